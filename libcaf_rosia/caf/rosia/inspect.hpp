// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/inspect_flags.hpp"

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace caf::rosia {

namespace detail {

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

/// A type that CAF supports without an `inspect`.
template <class T>
inline constexpr bool known_to_caf = false;

template <class... Ts>
inline constexpr bool known_to_caf<std::basic_string<Ts...>> = true;

template <class... Ts>
inline constexpr bool known_to_caf<std::vector<Ts...>> = true;

template <class Rep, class Period>
inline constexpr bool known_to_caf<std::chrono::duration<Rep, Period>> = true;

template <class T>
inline constexpr std::size_t least_size = std::is_empty_v<T> ? 0 : sizeof(T);

/// Whether these can be the types of an object and of its members.
template <class T, class... Members>
inline constexpr bool can_be_members
  = (std::is_class_v<T> || std::is_union_v<T>)&&!known_to_caf<
      T> && (!std::same_as<T, Members> && ...)
    && ((least_size<Members> <= sizeof(T)) && ...)
    && (std::is_empty_v<T> || sizeof...(Members) > 0);

/// Fails to compile for types that cannot be members of a `T`. Does so only
/// once, however many inspectors there are.
template <class T, class... Members>
struct checked_members {
  static_assert(can_be_members<T, Members...>,
                "the object comes first, then its own members: "
                "inspect_members(f, x, x.a)");
};

template <class T, class Member>
bool is_part(const T& x, const Member& member) noexcept {
  auto* begin = reinterpret_cast<const std::byte*>(std::addressof(x));
  auto* at = reinterpret_cast<const std::byte*>(std::addressof(member));
  std::less_equal<> not_above;
  return not_above(begin, at)
         && not_above(at + least_size<Member>, begin + sizeof(T));
}

[[noreturn]] inline void refuse_members(std::initializer_list<bool> are_parts) {
  auto number = 1;
  for (auto is_in : are_parts) {
    if (!is_in)
      break;
    ++number;
  }
  throw std::logic_error(
    "inspect_members: member " + std::to_string(number)
    + " is not in the object; the object comes first, then its own members: "
      "inspect_members(f, x, x.a)");
}

template <class Inspector, class T, std::size_t... Is, class... Members>
auto inspect_fields(Inspector& f, T& x, std::index_sequence<Is...>,
                    Members&... members) {
  return f.object(x).fields(
    member_field(f, member_name<Is>::value, members)...);
}

} // namespace detail

/// Applies an inspector of CAF to the members of `x`, one after the other. This
/// is the body of an inspect() that does not depend on the version of CAF.
///
/// ~~~
/// template <class Inspector>
/// auto inspect(Inspector& f, pose& x) {
///   return caf::rosia::inspect_members(f, x, x.north, x.east);
/// }
/// ~~~
///
/// @throws std::logic_error if a member is not part of `x`, but in a container,
/// in another object, or behind a pointer: reading would not change `x`.
template <class Inspector, class T, class... Members>
auto inspect_members(Inspector& f, T& x, Members&... members) {
  static_cast<void>(detail::checked_members<std::remove_cv_t<T>,
                                            std::remove_cv_t<Members>...>{});
  if (!(detail::is_part(x, members) && ...))
    detail::refuse_members({detail::is_part(x, members)...});
  if constexpr (requires { f.object(x); }) {
    return detail::inspect_fields(
      f, x, std::index_sequence_for<Members...>{}, members...);
  } else if constexpr (requires { f.end_sequence(); }) {
    typename Inspector::result_type result{};
    static_cast<void>(((result = detail::inspect_value(f, members)) || ...));
    return result;
  } else {
    return f(members...);
  }
}

} // namespace caf::rosia
