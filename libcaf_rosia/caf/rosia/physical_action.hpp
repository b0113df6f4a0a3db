// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/spacing.hpp"

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace caf::rosia {

namespace detail {

/// The options of a physical action.
struct physical_action_options {
  std::optional<rosia::spacing> spacing = {};
  delay after = {};

  void set(const rosia::spacing& x) noexcept {
    spacing = x;
  }

  void set(const delay& x) noexcept {
    after = x;
  }
};

template <class T>
concept physical_action_option
  = std::same_as<T, spacing> || std::same_as<T, delay>;

} // namespace detail

/// An event that enters a node from outside. Any thread may schedule it. It is
/// then present at a tag that the node chooses, not before the physical time of
/// the call:
///
/// ~~~
/// rosia::physical_action<int> key{this, "key"};
/// rosia::reaction on_key{this, "on_key", {key}, [this] { out(*key); }};
/// ~~~
///
/// With options, events keep a distance, or are later than the call:
///
/// ~~~
/// rosia::physical_action<frame> got{
///   this, "got", rosia::spacing{10ms, rosia::drop}, rosia::after(2ms)};
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

  /// Makes an action with options, each of them at most once, in any order. An
  /// option is a `spacing`, which keeps a distance between the events of the
  /// action [10.5.2], or `rosia::after(d)`: an event is at physical time + `d`
  /// or later [10.5.1].
  /// @throws graph_error also for a negative duration.
  template <class Node, class... Options>
    requires(sizeof...(Options) > 0
             && (detail::physical_action_option<Options> && ...))
  physical_action(Node* parent, std::string name, const Options&... xs)
    : physical_action(parent, std::move(name)) {
    detail::physical_action_options all;
    (all.set(xs), ...);
    static_assert(
      (std::same_as<Options, spacing> + ... + 0) <= 1
        && (std::same_as<Options, delay> + ... + 0) <= 1,
      "a physical action has at most one rosia::spacing and at "
      "most one rosia::after(...)");
    this->set(all);
  }

  /// Never compiles: a physical action has no mode.
  template <class... Ts>
  physical_action(mode&, Ts&&...)
    : input_port<T>(detail::without_mode<Ts...>(), std::string{},
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
  /// this at any time [3.14]. A value that a spacing drops later is counted.
  /// @returns false if the value was dropped: the queue is full (option
  ///   `max_in_flight`), or the node has left.
  bool schedule(T x) {
    return this->offer(engine::make_value<T>(std::move(x)));
  }
};

} // namespace caf::rosia
