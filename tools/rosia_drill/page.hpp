// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string_view>

namespace rosia_drill {

/// Returns the page of a report. The data replaces a marker in it.
std::string_view page_template();

inline constexpr std::string_view page_marker = "/*ROSIA_DRILL_REPORT*/";

} // namespace rosia_drill
