// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/action.hpp"
#include "caf/rosia/detail/failure.hpp"
#include "caf/rosia/detail/node_type.hpp"
#include "caf/rosia/detail/parameter_scope.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/ports.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/tick.hpp"
#include "caf/rosia/time_span.hpp"
#include "caf/rosia/watchdog.hpp"

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Support for tests of nodes. Programs that run nodes do not need it.
namespace caf::rosia::test {

// -- input and output --------------------------------------------------------

/// A point in logical time, written as a tag or as a duration since the start:
/// `5ms` is the tag (5 ms, 0).
struct moment {
  constexpr moment(logical_time x) noexcept : tag(x) {
    // nop
  }

  template <class Rep, class Period>
  constexpr moment(std::chrono::duration<Rep, Period> x) noexcept
    : tag{detail::saturated(x).count(), 0} {
    // nop
  }

  logical_time tag;
};

/// A value that the node sent, and its tag.
template <class T>
struct sent {
  sent(moment when, T x) : tag(when.tag), value(std::move(x)) {
    // nop
  }

  logical_time tag;

  T value;

  friend bool operator==(const sent&, const sent&) = default;
};

/// A type whose values are printed by `<<`.
template <class T>
concept printable = requires(std::ostream& out, const T& x) {
  out << x;
};

/// Renders a value with its tag: "7 at 5ms".
template <printable T>
std::ostream& operator<<(std::ostream& out, const sent<T>& x) {
  return out << x.value << " at " << to_string(x.tag);
}

/// The type of an action's values.
template <class T>
concept content_type = !std::is_void_v<T>;

/// An action without values, or a tick.
template <class T>
concept action_without_content
  = std::same_as<T, action<void>> || std::same_as<T, tick>;

/// An event that the node scheduled, and its tag.
template <class T>
using scheduled = sent<T>;

/// The request that the node made by `request_shutdown`.
struct shutdown_request {
  /// The requested final tag.
  logical_time tag;

  int status = 0;

  friend bool operator==(const shutdown_request&, const shutdown_request&)
    = default;
};

/// An error that would have aborted the application: its reaction ("start" for
/// `start()`), its tag, and its text.
using engine::failure;

/// Values of the node's parameters, by name, as text:
/// `rosia::test::parameters{{{"gain", "2.5"}}}`.
struct parameters {
  detail::parameter_values values;
};

// -- harness_base
// --------------------------------------------------------------

/// The part of `harness` that does not depend on the type of its node.
class harness_base {
public:
  // -- constructors, destructors, and assignment operators --------------------

  harness_base(const harness_base&) = delete;

  harness_base& operator=(const harness_base&) = delete;

  // -- running ----------------------------------------------------------------

  /// Lets code of the node run late from now on: at tag t, physical time is t +
  /// `late`. By default, code is on time. Each call of `deadline_missed()` by a
  /// reaction takes `by_call`, so that a loop that improves a result until its
  /// deadline ends.
  /// @throws std::logic_error if one of them is negative.
  void lag(time_span late, time_span by_call = std::chrono::microseconds{1});

  /// Runs the node up to and including a tag, and advances physical time to it.
  /// More values and calls may follow.
  /// @throws std::logic_error if `until` lies before the end of an earlier run.
  /// @throws std::runtime_error if the node executes a million tags of one
  /// nanosecond.
  void run_until(moment until);

  /// Runs the node to its end, including reactions to `at_shutdown` and
  /// `shutdown()`: until it ends by itself, at the final tag of a request, or
  /// after an error. If only its physical
  /// actions keep the node alive, it is ended as if by a signal after
  /// all calls. Watchdogs that run expire before.
  /// @throws std::runtime_error if the node executes a million tags and does
  /// not end, like a timer. Use `run_until` for such a node.
  void run();

  // -- properties -------------------------------------------------------------

  /// Returns the tag that the node executed last.
  logical_time now() const noexcept;

  /// Returns the simulated physical time since the start.
  std::chrono::nanoseconds elapsed() const noexcept;

  /// Returns whether the node was started.
  bool started() const noexcept;

  /// Returns whether the node has ended, after its `shutdown()`.
  bool ended() const noexcept;

  /// Returns the node's first request, if any.
  const std::optional<shutdown_request>& requested_shutdown() const noexcept;

  /// Returns the status that an application of this node alone would have; 0 if
  /// nothing set one.
  int status() const noexcept;

  /// Returns the error that ended the node, if any.
  const std::optional<failure>& error() const noexcept;

  /// Returns the exception of `shutdown()`, if any.
  const std::optional<failure>& shutdown_error() const noexcept;

  /// Returns how many values of physical actions were dropped.
  std::size_t dropped() const noexcept;

  /// Returns the node's states, in the order of declaration, a line each:
  /// "count: 3".
  std::vector<std::string> states() const;

  /// Returns the name of the node's active mode; empty if it has no modes.
  std::string active_mode() const;

  /// Returns the node's log so far, a line each: "warning: too hot". Includes
  /// all levels.
  std::vector<std::string> log() const;

protected:
  harness_base();

  ~harness_base();

  /// Sets up the node.
  /// @param type the optional functions of its class.
  void adopt(node& subject, const detail::node_type& type);

  /// Refuses values of parameters that the node does not have.
  static void require(const parameters& set, const node& subject);

  void set(const input_port_base& port, logical_time tag,
           engine::value content);

  void set_tardy(const input_port_base& port, logical_time intended,
                 time_span when, engine::value content);

  /// Schedules `call` for a physical time. Its result is ignored.
  void at(time_span when, std::function<bool()> call);

  const std::vector<sent<engine::value>>& sent_by(
    const output_port_base& port) const noexcept;

  std::vector<scheduled<engine::value>> scheduled_for(
    const action_base& action) const;

  std::optional<std::chrono::nanoseconds> expiry_of(const watchdog& x) const;

private:
  class impl;

  std::unique_ptr<impl> impl_;
};

// -- harness ------------------------------------------------------------------

/// Runs one node alone, to test it without an application or an actor system,
/// in one thread, and without waiting:
///
/// ~~~
/// rosia::test::harness<counter> h{3}; // what the constructor takes
/// h.set(&counter::tick, 10ms, rosia::logical_time{});
/// h.set(&counter::tick, 20ms, rosia::logical_time{});
/// h.run();
/// using rosia::test::sent;
/// CHECK(h.outputs(&counter::output) == std::vector<sent<int>>{{10ms, 0},
///                                                             {20ms, 1}});
/// CHECK(h.ended());
/// ~~~
///
/// The rules are those of an application: `start()` runs first, then each tag,
/// once, with all of its values. The clock determines the tags of physical
/// actions. A request leads to a final tag, after which only reactions to
/// `at_shutdown` run. An exception, a broken promise or a second write ends the
/// node with an error. At the end, `shutdown()` runs once. The harness plays
/// the connected nodes: it sends the values that were set, and consumes all
/// outputs at once.
///
/// Physical time is simulated: it advances when the node can only wait for it.
/// Unless the node calls `realtime(false)`, a tag waits for its physical time,
/// so that physical actions and tags run in the order of time. A test thus has
/// the same result at each run, on every machine. The harness does not wait for
/// threads that the node starts: use `schedule` instead of them.
///
/// Not for nodes that need their actor: `self()` throws. Assertions inside
/// reactions work if they do not throw (`CHECK` of Catch2, `EXPECT` of
/// GoogleTest). An exception becomes the node's error.
///
/// Use it from one thread.
template <std::derived_from<node> T>
class harness : public harness_base {
public:
  // -- constructors -----------------------------------------------------------

  /// Creates the node, with the name "node" and with values of parameters.
  /// @throws std::logic_error if the node has no parameter of such a name.
  template <class... Ts>
    requires std::constructible_from<T, Ts...>
  explicit harness(parameters set, Ts&&... xs)
    : harness(
      detail::parameter_scope{set.values}, set, std::forward<Ts>(xs)...) {
    // nop
  }

  /// Creates the node, with the name "node".
  /// @param xs the arguments of its constructor.
  template <class... Ts>
    requires std::constructible_from<T, Ts...>
  explicit harness(Ts&&... xs) : node_(std::forward<Ts>(xs)...) {
    adopt(node_, detail::node_type_of<T>());
  }

  // -- the node ---------------------------------------------------------------

  T* operator->() noexcept {
    return &node_;
  }

  T& operator*() noexcept {
    return node_;
  }

  // -- input ------------------------------------------------------------------

  /// Sends a value to an input at a tag. One input accepts at most eight values
  /// for one tag, which the node receives in this order.
  /// @throws std::logic_error for a negative tag, for `forever`, for a tag
  /// before the end of a run, for too many values, or if the node has ended.
  template <std::derived_from<input_port_base> Port, class Base, class V>
    requires std::derived_from<T, Base> && std::convertible_to<
      V, typename Port::value_type>
  void set(Port Base::*port, moment when, V&& value) {
    harness_base::set(
      node_.*port, when.tag,
      engine::make_value<typename Port::value_type>(std::forward<V>(value)));
  }

  /// Sends a value to an input of a channel at a tag.
  /// @throws std::out_of_range if the channel has no such port.
  template <class U, class Base, class V>
    requires std::derived_from<T, Base> && std::convertible_to<V, U>
  void set(input_ports<U> Base::*ports, std::size_t index, moment when,
           V&& value) {
    harness_base::set((node_.*ports)[index], when.tag,
                      engine::make_value<U>(std::forward<V>(value)));
  }

  /// Sends a value to an input too late, as over a connection with a maximal
  /// wait: it is tardy [10.10.1]. It arrives at a physical time, or at once if
  /// that has passed.
  /// @param intended the tag that its sender meant, up to `when`.
  /// @throws std::logic_error for another tag, or if the node has ended.
  template <std::derived_from<input_port_base> Port, class Base, class V>
    requires std::derived_from<T, Base> && std::convertible_to<
      V, typename Port::value_type>
  void set_tardy(Port Base::*port, moment intended, time_span when, V&& value) {
    harness_base::set_tardy(
      node_.*port, intended.tag, when,
      engine::make_value<typename Port::value_type>(std::forward<V>(value)));
  }

  /// Schedules a physical action now.
  /// @returns whether it accepted the value.
  template <class U, class Base, class V>
    requires std::derived_from<T, Base> && std::convertible_to<V, U>
  bool schedule(physical_action<U> Base::*which, V&& value) {
    return (node_.*which).schedule(std::forward<V>(value));
  }

  /// Schedules a physical action at a physical time, or at once if that has
  /// passed.
  template <class U, class Base, class V>
    requires std::derived_from<T, Base> && std::convertible_to<V, U>
  void schedule(physical_action<U> Base::*which, time_span when, V&& value) {
    auto x = std::make_shared<U>(std::forward<V>(value));
    at(when,
       [this, which, x] { return (node_.*which).schedule(std::move(*x)); });
  }

  // -- output -----------------------------------------------------------------

  /// Returns what the node sent on an output so far, in the order of tags.
  template <class U, class Base>
    requires std::derived_from<T, Base> std::vector<test::sent<U>> outputs(
      output_port<U> Base::*port)
  const {
    return with_content<U>(sent_by(node_.*port));
  }

  /// Returns what the node sent on an output of a channel so far.
  /// @throws std::out_of_range if the channel has no such port.
  template <class U, class Base>
    requires std::derived_from<T, Base> std::vector<test::sent<U>> outputs(
      output_ports<U> Base::*ports, std::size_t index)
  const {
    return with_content<U>(sent_by((node_.*ports)[index]));
  }

  /// Returns the values that the node sent on an output so far.
  template <class U, class Base>
    requires std::derived_from<T, Base> std::vector<U> values(
      output_port<U> Base::*port)
  const {
    std::vector<U> result;
    for (auto& x : sent_by(node_.*port))
      result.push_back(x.value.template get<U>());
    return result;
  }

  // -- scheduled events
  // --------------------------------------------------------

  /// Returns the scheduled events of an action, in the order of tags. A run
  /// executes them as an application does.
  template <content_type U, class Base>
    requires std::derived_from<T, Base> std::vector<test::scheduled<U>>
    scheduled(action<U> Base::*which)
  const {
    return with_content<U>(scheduled_for(node_.*which));
  }

  /// Returns the tags of the scheduled events of an action without values, or
  /// of a tick.
  template <action_without_content Action, class Base>
    requires std::derived_from<T, Base> std::vector<logical_time> scheduled(
      Action Base::*which)
  const {
    std::vector<logical_time> result;
    for (auto& x : scheduled_for(node_.*which))
      result.push_back(x.tag);
    return result;
  }

  /// Returns the physical time at which a watchdog expires; none if it does not
  /// run.
  template <class Base>
    requires std::derived_from<T, Base> std::optional<std::chrono::nanoseconds>
    expiry(watchdog Base::*which)
  const {
    return expiry_of(node_.*which);
  }

private:
  template <class... Ts>
  harness(const detail::parameter_scope&, const parameters& set, Ts&&... xs)
    : harness(std::forward<Ts>(xs)...) {
    require(set, node_);
  }

  template <class U>
  static std::vector<test::sent<U>> with_content(
    const std::vector<test::sent<engine::value>>& from) {
    std::vector<test::sent<U>> result;
    for (auto& x : from)
      result.push_back({x.tag, x.value.template get<U>()});
    return result;
  }

  T node_;
};

} // namespace caf::rosia::test
