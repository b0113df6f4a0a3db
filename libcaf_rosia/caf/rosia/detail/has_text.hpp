// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <iosfwd>
#include <string>

namespace caf::rosia {

namespace detail {

/// Marks the types of the library that are printed as their `to_string`: by
/// `<<`, and by fmt and spdlog where `caf/rosia/format.hpp` is included.
template <class T>
inline constexpr bool has_text = false;

std::ostream& print(std::ostream& out, const std::string& text);

/// Here, because another namespace may have a `to_string` of its own, which
/// would hide this one's.
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
