// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <typeinfo>

namespace caf::rosia::detail {

/// The class that declares the `start()` of a node's class.
struct start_info {
  const std::type_info* owner;

  /// Whether it is virtual. A class that overrides it does so on purpose.
  bool is_virtual;
};

/// The type of a function, in contrast to that of a data member.
template <class T>
concept function_type = std::is_function_v<T>;

/// In the Itanium C++ ABI, which Linux uses, one bit of a pointer to a member
/// function is set if the function is virtual. The bit is in the pointer's
/// first word, or on some processors in its second word.
template <function_type Function, class Class>
start_info make_start_info(Function Class::*x) noexcept {
  using words = std::array<std::uintptr_t, 2>;
  static_assert(sizeof(x) == sizeof(words));
  auto [first, second] = std::bit_cast<words>(x);
  return {&typeid(Class), ((first | second) & 1) != 0};
}

/// Returns null if the class has no `start()`.
template <class T>
const start_info* start_info_of() {
  if constexpr (requires { make_start_info(&T::start); }) {
    static const auto result = make_start_info(&T::start);
    return &result;
  } else {
    return nullptr;
  }
}

/// The first argument of a port or a reaction: the node, and the declaration of
/// `start()` in the class that declares the member; or a mode of the node.
struct member_parent {
  node* parent = nullptr;
  const start_info* start = nullptr;
  mode* in_mode = nullptr;

  constexpr member_parent() noexcept = default;

  /// Leaves `parent` null if the mode is not constructed yet.
  explicit member_parent(mode& x);

  template <class T>
  explicit member_parent(T* x) {
    static_assert(
      std::is_base_of_v<node, T>,
      "ports and reactions are members of a class that derives from "
      "rosia::node, and their first argument is `this`");
    static_assert(
      !std::is_base_of_v<node, T> || std::is_convertible_v<T*, node*>,
      "a node's class derives from rosia::node publicly, and only once");
    if constexpr (std::is_convertible_v<T*, node*>) {
      parent = x;
      start = start_info_of<T>();
    }
  }
};

/// Reports the missing node instead of a list of constructors.
template <class... Ts>
member_parent without_node() {
  static_assert(sizeof...(Ts) > 1000,
                "the node comes first, then the name: {this, name, ...}");
  return {};
}

/// Reports a mode in place of the node.
template <class... Ts>
member_parent without_mode() {
  static_assert(
    sizeof...(Ts) > 1000,
    "only reactions, actions, ticks and states have a mode; the "
    "first argument of other members is `this`");
  return {};
}

} // namespace caf::rosia::detail
