// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// Returns the candidate that a user most likely meant by a name that does not
/// exist, or an empty string if none resembles it. Letters that differ in case
/// and `-` instead of `_` count as equal.
std::string closest_name(std::string_view name,
                         const std::vector<std::string>& candidates);

} // namespace caf::rosia::detail
