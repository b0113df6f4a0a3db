// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// The most characters of a name that a diagram shows.
inline constexpr std::size_t longest_label = 60;

/// A name as it can be shown on one line, as UTF-8: what cannot be printed as
/// an escape sequence, bytes that are no UTF-8 as U+FFFD, and an ellipsis in
/// place of what is beyond the limit. Of nothing, a space: neither DOT nor
/// Mermaid allows empty texts everywhere.
std::string label_of(std::string_view name, std::size_t limit = longest_label);

} // namespace caf::rosia::detail
