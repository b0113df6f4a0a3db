// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string_view>

namespace rosia_drill {

/// The page of a report. What is shown belongs in the place of the marker.
std::string_view page_template();

inline constexpr std::string_view page_marker = "/*ROSIA_DRILL_REPORT*/";

} // namespace rosia_drill
