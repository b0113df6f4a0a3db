// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

namespace caf::rosia::detail {

/// Lets the program `dot` of Graphviz, found by PATH, turn its language into
/// SVG. No shell is involved.
/// @throws std::runtime_error if there is none, or if it fails.
std::string run_layout_program(const std::string& dot);

} // namespace caf::rosia::detail
