// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// The maximal number of characters of a name in a diagram.
inline constexpr std::size_t longest_label = 60;

/// Returns a name in printable form, on one line, as UTF-8. Unprintable
/// characters become escape sequences, bytes that are not UTF-8 become U+FFFD,
/// and an ellipsis replaces the part beyond the limit. An empty name becomes a
/// space, because neither DOT nor Mermaid allows empty texts everywhere.
std::string label_of(std::string_view name, std::size_t limit = longest_label);

} // namespace caf::rosia::detail
