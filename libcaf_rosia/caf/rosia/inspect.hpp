// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/pass_members.hpp"

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace caf::rosia {

namespace detail {

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
  return detail::pass_members(f, x, members...);
}

} // namespace caf::rosia
