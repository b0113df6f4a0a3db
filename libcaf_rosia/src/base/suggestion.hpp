// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// Completes a message about a name that does not exist: names the closest one
/// if one resembles it, else those that exist, if they are few.
std::string suggestion(std::string_view name,
                       const std::vector<std::string>& names);

} // namespace caf::rosia::detail
