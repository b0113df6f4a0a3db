// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Completes a message about a name that does not exist: names those that do,
/// if they are few, else the closest one.
std::string suggestion(const std::string& name,
                       const std::vector<std::string>& names);

/// The same, but names the closest one wherever one resembles it.
std::string correction(const std::string& name,
                       const std::vector<std::string>& names);

} // namespace caf::rosia::detail
