// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>

namespace caf::rosia::detail {

/// Returns the name of an enumerator from a list of all names, in the order of
/// the enumerators. Invalid values have the last name.
template <class Enum, std::size_t Size>
constexpr const char* name_of(
  Enum x, const char* const (&names)[Size]) noexcept {
  return names[std::min(static_cast<std::size_t>(x), Size - 1)];
}

} // namespace caf::rosia::detail
