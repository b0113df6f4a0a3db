// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace caf::rosia {

namespace detail {

/// The name of a member, for what CAF shows with names: "m01".
template <std::size_t Index>
struct member_name {
  static_assert(Index < 99, "inspect_members takes up to 99 members");

  static constexpr char text[]
    = {'m', '0' + (Index + 1) / 10, '0' + (Index + 1) % 10};

  static constexpr std::string_view value{text, sizeof(text)};
};

/// Describes a member to an inspector that wants each with a name. It takes an
/// enumeration as a number, unless that has an inspect() of its own.
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

} // namespace detail

/// Shows the members of `x` to an inspector of CAF, one after the other: the
/// body of an inspect() that does not depend on the version of CAF.
///
/// ~~~
/// template <class Inspector>
/// auto inspect(Inspector& f, pose& x) {
///   return caf::rosia::inspect_members(f, x, x.north, x.east);
/// }
/// ~~~
template <class Inspector, class T, class... Members>
auto inspect_members(Inspector& f, T& x, Members&... members) {
  if constexpr (requires { f.object(x); })
    return detail::inspect_fields(
      f, x, std::index_sequence_for<Members...>{}, members...);
  else
    return f(members...);
}

} // namespace caf::rosia
