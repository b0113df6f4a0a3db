// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <string>

namespace caf::rosia {

namespace detail {

/// Marks the library's types that are printed as their `to_string`: by `<<`,
/// and by fmt and spdlog if `caf/rosia/format.hpp` is included.
template <class T>
inline constexpr bool has_text = false;

std::ostream& print(std::ostream& out, const std::string& text);

/// Calls `to_string` from here, because a `to_string` in the caller's namespace
/// would hide this one.
template <class T>
std::string shown_text(const T& x) {
  return to_string(x);
}

} // namespace detail

/// Prints a tag, a delay, or an enumeration of the library.
template <class T>
requires detail::has_text<T> std::ostream& operator<<(
  std::ostream& out, const T& x) {
  return detail::print(out, detail::shown_text(x));
}

} // namespace caf::rosia
