// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/action.hpp"
#include "caf/rosia/detail/failure.hpp"
#include "caf/rosia/detail/node_type.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/time_span.hpp"

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// What helps to test nodes. Not needed by a program that runs them.
namespace caf::rosia::test {

// -- what goes in, and comes out ----------------------------------------------

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

/// A value that the node has sent, and the tag at which it has.
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

/// An event that the node has scheduled, and the tag at which it comes.
template <class T>
using scheduled = sent<T>;

/// The request that the node made by `request_shutdown`.
struct shutdown_request {
  /// The tag that the application is to end at.
  logical_time tag;

  int status = 0;

  friend bool operator==(const shutdown_request&, const shutdown_request&)
    = default;
};

/// An error that would have aborted the application: its reaction ("start" for
/// `start()`), its tag, and its text.
using engine::failure;

// -- the part that is the same for all nodes ----------------------------------

/// The part of `harness` that does not depend on the type of its node.
class harness_base {
public:
  // -- constructors, destructors, and assignment operators --------------------

  harness_base(const harness_base&) = delete;

  harness_base& operator=(const harness_base&) = delete;

  // -- running ----------------------------------------------------------------

  /// Runs the node up to and including a tag, and lets physical time pass up
  /// to it. Further values may be set and calls made afterwards.
  /// @throws std::logic_error if `until` lies before the end of an earlier run.
  void run_until(moment until);

  /// Runs the node to its end, `shutdown()` included: until it has ended by
  /// itself, at the final tag of a request, or after an error. A node that
  /// could go on only because it has triggers or physical inputs is ended as if
  /// by a signal once all calls have been made.
  /// @throws std::runtime_error if the node executes a million tags and does
  ///         not end, as a timer does. Use `run_until` for such a node.
  void run();

  // -- properties -------------------------------------------------------------

  /// The tag that the node executed last.
  logical_time now() const noexcept;

  /// Simulated physical time since the start.
  std::chrono::nanoseconds elapsed() const noexcept;

  /// Whether `start()`, if there is one, has run.
  bool started() const noexcept;

  /// Whether the node has left: `shutdown()`, if there is one, has run.
  bool ended() const noexcept;

  /// The node's first request, if it has made any.
  const std::optional<shutdown_request>& requested_shutdown() const noexcept;

  /// The status that an application of this node alone would end with; 0 as
  /// long as nothing else is known.
  int status() const noexcept;

  /// The error that ended the node, if any.
  const std::optional<failure>& error() const noexcept;

  /// An exception out of `shutdown()`, if any.
  const std::optional<failure>& shutdown_error() const noexcept;

  /// How many values for triggers and physical inputs were dropped.
  std::size_t dropped() const noexcept;

  /// The node's states, in the order of declaration, a line each: "count: 3".
  std::vector<std::string> states() const;

  /// What the node has logged so far, a line each: "warning: too hot". All
  /// levels are there.
  std::vector<std::string> log() const;

protected:
  harness_base();

  ~harness_base();

  /// Takes the node in. @param type how to call what its class has.
  void adopt(node& subject, const detail::node_type& type);

  void set(const input_port_base& port, logical_time tag,
           engine::value content);

  /// Has `call` called at some physical time.
  void at(time_span when, std::function<bool()> call);

  bool inject(input_port_base& port, engine::value content);

  const std::vector<sent<engine::value>>& sent_by(
    const output_port_base& port) const noexcept;

  std::vector<scheduled<engine::value>> scheduled_for(
    const action_base& action) const;

private:
  class impl;

  std::unique_ptr<impl> impl_;
};

// -- harness ------------------------------------------------------------------

/// Runs one node alone, so that it is tested without an application or an actor
/// system, in one thread, and without waiting:
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
/// The node lives by the same rules as in an application: `start()` comes
/// first, then each tag, once, with all of its values; triggers get their tags
/// from the clock; a request leads to a final tag, after which nothing runs;
/// an exception, a broken promise or a second write ends the node with an
/// error. At the end `shutdown()` runs, once. The harness stands for the
/// nodes around it, which send what was set, and take everything at once.
///
/// Physical time is simulated: it passes when the node has nothing to do but
/// wait for it, and costs nothing. Unless the node itself says otherwise
/// (`realtime(false)`), a tag waits for its physical time, so that triggers
/// mix with it in the order of time. So a test is the same at each run, on
/// every machine. The harness does not wait for threads that the node may have
/// started: use `call` instead of them.
///
/// Not for nodes that need their actor: `self()` throws. Assertions inside
/// reactions work if they do not throw (`CHECK` of Catch2, `EXPECT` of
/// GoogleTest); an exception becomes the node's error.
///
/// Use it from one thread.
template <std::derived_from<node> T>
class harness : public harness_base {
public:
  // -- constructors -----------------------------------------------------------

  /// Creates the node, whose name is "node". @param xs go to its constructor.
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

  // -- what goes in -----------------------------------------------------------

  /// Sends a value to an input at a tag. At most eight for one input at one
  /// tag, which the node gets in this order.
  /// @throws std::logic_error for a negative tag, for `forever`, for a tag that
  ///         a run has left behind, for too many values, or if the node has
  ///         ended.
  template <class U, class Base, class V>
    requires std::derived_from<T, Base> && std::convertible_to<V, U>
  void set(input_port<U> Base::*port, moment when, V&& value) {
    harness_base::set(
      node_.*port, when.tag, engine::make_value<U>(std::forward<V>(value)));
  }

  /// Calls a trigger now.
  /// @returns what the trigger returned: whether it took the value.
  template <class U, class Base, class V>
    requires std::derived_from<T, Base> && std::convertible_to<V, U>
  bool call(trigger<U> Base::*which, V&& value) {
    return (node_.*which)(std::forward<V>(value));
  }

  /// Has a trigger called at a physical time, at once if that has passed.
  template <class U, class Base, class V>
    requires std::derived_from<T, Base> && std::convertible_to<V, U>
  void call(trigger<U> Base::*which, time_span when, V&& value) {
    auto x = std::make_shared<U>(std::forward<V>(value));
    at(when, [this, which, x] { return (node_.*which)(std::move(*x)); });
  }

  /// Hands a value to a physical input now.
  /// @returns whether it was taken.
  /// @throws graph_error if the input is not declared physical.
  template <class U, class Base, class V>
    requires std::derived_from<T, Base> && std::convertible_to<V, U>
  bool inject(input_port<U> Base::*port, V&& value) {
    return harness_base::inject(
      node_.*port, engine::make_value<U>(std::forward<V>(value)));
  }

  /// Hands a value to a physical input at a physical time, at once if that has
  /// passed.
  /// @throws graph_error when the time has come, if the input is not declared
  ///         physical.
  template <class U, class Base, class V>
    requires std::derived_from<T, Base> && std::convertible_to<V, U>
  void inject(input_port<U> Base::*port, time_span when, V&& value) {
    auto content = engine::make_value<U>(std::forward<V>(value));
    at(when, [this, port, content] {
      return harness_base::inject(node_.*port, content);
    });
  }

  // -- what comes out ---------------------------------------------------------

  /// What the node has sent on an output so far, in the order of the tags.
  template <class U, class Base>
    requires std::derived_from<T, Base> std::vector<test::sent<U>> outputs(
      output_port<U> Base::*port)
  const {
    std::vector<test::sent<U>> result;
    for (auto& x : sent_by(node_.*port))
      result.push_back({x.tag, content<U>(x)});
    return result;
  }

  /// The same without the tags.
  template <class U, class Base>
    requires std::derived_from<T, Base> std::vector<U> values(
      output_port<U> Base::*port)
  const {
    std::vector<U> result;
    for (auto& x : sent_by(node_.*port))
      result.push_back(content<U>(x));
    return result;
  }

  // -- what the node keeps for later ------------------------------------------

  /// What an action is scheduled for, in the order in which it will come. A
  /// run executes it as an application does.
  template <class U, class Base>
    requires std::derived_from<T, Base> &&(!std::is_void_v<U>)
      std::vector<test::scheduled<U>> scheduled(action<U> Base::*which) const {
      std::vector<test::scheduled<U>> result;
      for (auto& x : scheduled_for(node_.*which))
        result.push_back({x.tag, content<U>(x)});
      return result;
    }

    /// The tags that an action without values is scheduled for.
    template <class Base>
      requires std::derived_from<T, Base> std::vector<logical_time> scheduled(
        action<void> Base::*which)
    const {
      std::vector<logical_time> result;
      for (auto& x : scheduled_for(node_.*which))
        result.push_back(x.tag);
      return result;
    }

  private:
    template <class U>
    static const U& content(const test::sent<engine::value>& x) noexcept {
      return x.value.get<U>();
    }

    T node_;
};

} // namespace caf::rosia::test
