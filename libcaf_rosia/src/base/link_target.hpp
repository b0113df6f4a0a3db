// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

namespace caf::rosia::detail {

/// Returns the path that a path leads to by symbolic links at its end. It need
/// not exist. A file that replaces the result does not replace a link.
std::string link_target(const std::string& path);

/// Returns whether a path, or the target of its link, does not exist. Returns
/// false if that is unknown.
bool is_missing(const std::string& path);

} // namespace caf::rosia::detail
