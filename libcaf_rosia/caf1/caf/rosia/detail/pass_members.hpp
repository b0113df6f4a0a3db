// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

// How `inspect_members` passes members to an inspector.

namespace caf::rosia::detail {

/// The name of a member for CAF's inspectors: "m01".
template <std::size_t Index>
struct member_name {
  static_assert(Index < 99, "inspect_members takes up to 99 members");

  static constexpr char text[]
    = {'m', '0' + (Index + 1) / 10, '0' + (Index + 1) % 10};

  static constexpr std::string_view value{text, sizeof(text)};
};

/// Describes a member to an inspector that requires names. An enumeration
/// without an inspect() is described as a number.
template <class Inspector, class T>
auto member_field(Inspector& f, std::string_view name, T& x) {
  if constexpr (std::is_enum_v<T> && !requires { inspect(f, x); }) {
    using number = std::underlying_type_t<T>;
    return f.field(
      name, [&x] { return static_cast<number>(x); },
      [&x](number y) {
        x = static_cast<T>(y);
        return true;
      });
  } else {
    return f.field(name, x);
  }
}

template <class Inspector, class T, std::size_t... Is, class... Members>
auto inspect_fields(Inspector& f, T& x, std::index_sequence<Is...>,
                    Members&... members) {
  return f.object(x).fields(
    member_field(f, member_name<Is>::value, members)...);
}

/// Passes the members of an object to an inspector, which requires names.
template <class Inspector, class T, class... Members>
auto pass_members(Inspector& f, T& x, Members&... members) {
  return inspect_fields(
    f, x, std::index_sequence_for<Members...>{}, members...);
}

} // namespace caf::rosia::detail
