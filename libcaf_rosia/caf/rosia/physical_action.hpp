// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/port.hpp"

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

namespace caf::rosia {

/// An event that enters a node from outside. Any thread may schedule it. It is
/// then present at a tag that the node chooses, not before the physical time of
/// the call:
///
/// ~~~
/// rosia::physical_action<int> key{this, "key"};
/// rosia::reaction on_key{this, "on_key", {key}, [this] { out(*key); }};
/// ~~~
///
/// It is also an input: it keeps its last value, and outputs can be connected
/// to it.
template <class T>
class physical_action final : public input_port<T> {
public:
  /// @param parent the node that the action is a member of: `this`.
  /// @throws graph_error for an invalid name, for the name of another input or
  /// physical action of the node, or if a reaction that was declared earlier
  /// has it as a trigger.
  template <class Node>
  physical_action(Node* parent, std::string name)
    : input_port<T>(detail::member_parent{parent}, std::move(name),
                    input_port_base::kind::from_outside) {
    // nop
  }

  /// Never compiles: the node is missing.
  template <class Name>
    requires(!std::derived_from<std::remove_cvref_t<Name>, input_port_base>)
  explicit physical_action(Name&&)
    : input_port<T>(detail::without_node<Name>(), std::string{},
                    input_port_base::kind::from_outside) {
    // nop
  }

  /// Adds a value to the action's queue, without blocking. Any thread may call
  /// this at any time [3.14].
  /// @returns false if the value was dropped: the queue is full (option
  ///   `max_in_flight`), or the node has left.
  bool schedule(T x) {
    return this->offer(engine::make_value<T>(std::move(x)));
  }
};

} // namespace caf::rosia
