// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "report.hpp"

#include <string>
#include <vector>

namespace bench {

/// Draws the ratios of generated graphs over their number of nodes, as SVG. The
/// graphs of one kind are a curve.
std::string plot_ratios(const std::vector<row>& rows);

} // namespace bench
