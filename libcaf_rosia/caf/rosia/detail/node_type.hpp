// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/state.hpp"
#include "caf/rosia/task.hpp"

#include <concepts>
#include <type_traits>

namespace caf::rosia::detail {

/// The optional functions of a node's class.
struct node_type {
  task (*start)(node&);
  void (*shutdown)(node&);
  void (*resumed)(node&);
  const start_info* (*info)();

  /// Whether the class declares that it has no state.
  bool stateless;
};

/// Returns a function that calls `shutdown()` of class `T`; null if it has
/// none.
template <class T>
constexpr auto shutdown_of() -> void (*)(node&) {
  if constexpr (requires(T & x) { x.shutdown(); })
    return [](node& x) { static_cast<T&>(x).shutdown(); };
  else
    return nullptr;
}

/// Returns a function that calls `resumed()` of class `T`; null if it has none.
template <class T>
constexpr auto resumed_of() -> void (*)(node&) {
  if constexpr (requires(T & x) { x.resumed(); })
    return [](node& x) { static_cast<T&>(x).resumed(); };
  else
    return nullptr;
}

/// Returns the optional functions of class `T`.
template <class T>
const node_type& node_type_of() {
  static_assert(
    !requires {
      requires std::is_member_function_pointer_v<decltype(&T::start)>;
    } || requires(T & x) { x.start(); },
    "start() of a node has no parameters");
  static_assert(
    !requires {
      requires std::is_member_function_pointer_v<decltype(&T::shutdown)>;
    } || requires(T & x) { x.shutdown(); },
    "shutdown() of a node has no parameters");
  static_assert(
    !requires {
      requires std::is_member_function_pointer_v<decltype(&T::resumed)>;
    } || requires(T & x) { x.resumed(); },
    "resumed() of a node has no parameters");
  static_assert(
    !requires(T& x) { x.start(); }
      || requires(T& x) { { x.start() } -> std::same_as<void>; }
      || requires(T& x) { { x.start() } -> std::same_as<task>; },
    "start() of a node returns nothing, or a rosia::task if it yields");
  static_assert(
    !requires(T& x) { x.shutdown(); }
      || requires(T& x) { { x.shutdown() } -> std::same_as<void>; },
    "shutdown() of a node returns nothing: it cannot yield");
  static_assert(
    !requires(T& x) { x.resumed(); }
      || requires(T& x) { { x.resumed() } -> std::same_as<void>; },
    "resumed() of a node returns nothing: it cannot yield");
  static constexpr node_type result{
    [](node& x) -> task {
      if constexpr (requires(T & y) {
                      { y.start() } -> std::same_as<task>;
                    }) {
        return static_cast<T&>(x).start();
      } else {
        if constexpr (requires(T & y) { y.start(); })
          static_cast<T&>(x).start();
        return {};
      }
    },
    shutdown_of<T>(), resumed_of<T>(), &start_info_of<T>,
    std::is_base_of_v<stateless<T>, T>};
  return result;
}

/// Reports mistakes in a node's class.
template <class T>
constexpr void check_node_class() {
  static_assert(
    std::is_base_of_v<node, T>, "a node's class derives from rosia::node");
  static_assert(
    !std::is_base_of_v<node, T> || std::derived_from<T, node>,
    "a node's class derives from rosia::node publicly, and only once");
  static_assert(
    !std::derived_from<T, node> || requires(node & x) { static_cast<T&>(x); },
    "a node's class does not derive from rosia::node virtually");
  static_assert(!std::is_abstract_v<T>,
                "a node's class defines all of its virtual functions");
}

} // namespace caf::rosia::detail
