// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// Returns the candidate that a user most likely meant by an unknown name, or
/// an empty string if none resembles it. Case does not matter, and `-` equals
/// `_`.
std::string closest_name(std::string_view name,
                         const std::vector<std::string>& candidates);

} // namespace caf::rosia::detail
