// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// Returns the end of a message about an unknown name: the closest name if one
/// resembles it, otherwise all names if there are few.
std::string suggestion(std::string_view name,
                       const std::vector<std::string>& names);

} // namespace caf::rosia::detail
