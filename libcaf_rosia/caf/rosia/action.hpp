// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/member_parent.hpp"
#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/inspect.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/member.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/spacing.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace caf::rosia {

namespace detail {

/// The value of an event without a value.
struct no_value {};

template <class Inspector>
auto inspect(Inspector& f, no_value& x) {
  return inspect_members(f, x);
}

} // namespace detail

/// The common part of all actions.
class action_base : private engine::input, public typed_member {
public:
  /// Returns whether it was scheduled for the current tag.
  bool is_present() const noexcept {
    return present;
  }

protected:
  action_base(const detail::member_parent& parent, std::string name,
              const engine::payload_type& type);

  ~action_base() = default;

  /// @throws graph_error if the distance is negative.
  void set(const spacing& x);

  /// Makes it an action of a mode, if `parent` is one.
  void join_mode(const detail::member_parent& parent);

  /// @returns whether the event occurs.
  bool add(const delay& d, engine::value content);

  /// Returns the last value.
  /// @throws std::logic_error if there is none.
  const engine::value& last() const {
    if (!present)
      throw_no_value();
    return values.back();
  }

  /// Returns all values of the current tag.
  std::span<const engine::value> present_values() const noexcept {
    return {values.data(), values.size()};
  }

private:
  friend struct detail::member_access;

  [[noreturn]] void throw_no_value() const;
};

/// An event that a node schedules for itself. Like an input, it can trigger the
/// node's reactions:
///
/// ~~~
/// rosia::action<int> retry{this, "retry"};
/// rosia::reaction on_retry{this, "on_retry", {retry}, [this] {
///   if (!try_again() && *retry < 5)
///     retry.schedule(100ms, *retry + 1);
/// }};
/// ~~~
///
/// Scheduled events are data, unlike a coroutine that yielded: tests can
/// inspect them, and checkpoints save them. Their number is unlimited; each
/// takes some 60 bytes in addition to its value. Only the node's own reactions
/// may use an action. With a `spacing`, its events keep a distance.
///
/// An `action<void>` has no values. It has `schedule(d)`, and `count()`, the
/// number of times that it was scheduled for the current tag.
template <class T>
class action : public action_base {
public:
  static_assert(std::is_same_v<T, std::remove_cvref_t<T>>,
                "the type of an action must be a plain type, as that of a port "
                "is: values are immutable");

  using value_type = T;

  /// @param parent the node that the action is a member of: `this`.
  /// @throws graph_error for an invalid name, for the name of another action of
  /// the node, or if a reaction that was declared earlier has it as a trigger.
  template <class Node>
  action(Node* parent, std::string name)
    : action(detail::member_parent{parent}, std::move(name)) {
    // nop
  }

  /// Makes an action of a mode: it can be scheduled while the mode is active,
  /// and its events are suspended while the mode is not [10.7.3].
  /// @throws graph_error also if the mode is one of another node.
  action(mode& parent, std::string name)
    : action(detail::member_parent{parent}, std::move(name)) {
    // nop
  }

  /// An action of a mode has no spacing.
  action(mode& parent, std::string name, const spacing& x) = delete;

  /// Makes an action whose events keep a distance [10.5.2].
  /// @throws graph_error also if the distance is negative.
  template <class Node>
  action(Node* parent, std::string name, const spacing& x)
    : action(parent, std::move(name)) {
    set(x);
  }

  /// Never compiles: the node is missing.
  template <class Name>
    requires(!std::derived_from<std::remove_cvref_t<Name>, action_base>)
  explicit action(Name&&)
    : action(detail::without_node<Name>(), std::string{}) {
    // nop
  }

  /// Makes the action present at the current tag + `d`, with this value [3.10],
  /// unless a spacing moves or drops the event [10.5.2]. Without a spacing,
  /// scheduled events cannot be cancelled, and all values for one tag are kept,
  /// in the order of the calls. An event at `forever` never occurs.
  /// @returns false if there is no event, because the spacing drops it, or
  /// because its tag would be `forever`.
  /// @throws std::logic_error without a delay, for a negative delay, or if it
  /// is not called from a reaction or `start()` [3.12]. In the node's code this
  /// is an error of the node.
  bool schedule(const delay& d, T x) {
    return add(d, engine::make_value<T>(std::move(x)));
  }

  /// Schedules a shared value, without a copy.
  bool schedule(const delay& d, const shared_value<T>& x) {
    return add(d, x.content());
  }

  /// Schedules the value of an input.
  bool schedule(const delay& d, const input_port<T>& x) {
    return schedule(d, x.value());
  }

  /// Returns the value; the last one if the tag has several. The reference is
  /// valid until the reaction ends or yields.
  /// @throws std::logic_error unless the action is present.
  const T& operator*() const {
    return last().template get<T>();
  }

  const T* operator->() const {
    return &**this;
  }

  /// Returns the value in a form that can be kept or sent without a copy.
  /// @throws std::logic_error unless the action is present.
  shared_value<T> value() const {
    return shared_value<T>{last()};
  }

  /// Returns all values of the current tag, in the order of scheduling. Valid
  /// until the reaction ends or yields.
  port_values<T> all() const noexcept {
    return port_values<T>{present_values()};
  }

private:
  action(const detail::member_parent& parent, std::string name)
    : action_base(parent, std::move(name), engine::payload_type_of<T>()) {
    join_mode(parent);
  }
};

// The manual's tools cannot show a specialization.
/// @cond
/// An event without a value.
template <>
class action<void> : public action_base {
public:
  using value_type = void;

  /// Like the constructor of other actions.
  template <class Node>
  action(Node* parent, std::string name)
    : action(detail::member_parent{parent}, std::move(name)) {
    // nop
  }

  /// Makes an action of a mode.
  action(mode& parent, std::string name)
    : action(detail::member_parent{parent}, std::move(name)) {
    // nop
  }

  /// An action of a mode has no spacing.
  action(mode& parent, std::string name, const spacing& x) = delete;

  /// Makes an action whose events keep a distance.
  template <class Node>
  action(Node* parent, std::string name, const spacing& x)
    : action(parent, std::move(name)) {
    set(x);
  }

  /// Never compiles: the node is missing.
  template <class Name>
    requires(!std::derived_from<std::remove_cvref_t<Name>, action_base>)
  explicit action(Name&&)
    : action(detail::without_node<Name>(), std::string{}) {
    // nop
  }

  /// Makes the action present at the current tag + `d`. The result and errors
  /// are those of other actions.
  bool schedule(const delay& d) {
    return add(d, engine::make_value<detail::no_value>());
  }

  /// Returns how often it was scheduled for the current tag.
  std::size_t count() const noexcept {
    return present_values().size();
  }

private:
  action(const detail::member_parent& parent, std::string name)
    : action_base(
      parent, std::move(name), engine::payload_type_of<detail::no_value>()) {
    join_mode(parent);
  }
};
/// @endcond

} // namespace caf::rosia
