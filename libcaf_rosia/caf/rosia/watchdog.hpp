// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/action.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/time_span.hpp"

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

namespace caf::rosia {

namespace detail {

/// Makes the handler of a watchdog from a function without parameters.
template <class Fun>
code_ptr make_handler(Fun fun) {
  static_assert(std::is_invocable_v<Fun&>,
                "the handler of a watchdog is a function without parameters");
  if constexpr (std::is_invocable_v<Fun&>) {
    static_assert(
      std::is_void_v<std::invoke_result_t<Fun&>>,
      "the handler of a watchdog returns nothing, and cannot yield; "
      "the reaction that the watchdog triggers may");
    return code_ptr{new code_of<Fun>(std::move(fun))};
  } else {
    return {};
  }
}

} // namespace detail

/// A trigger without a value that is present once if it is not started again in
/// time [10.8.1]. Physical time decides, even while the node waits for other
/// nodes:
///
/// ~~~
/// rosia::watchdog dog{this, "dog", 500ms, [this] { log().error("no frame");
/// }}; rosia::reaction on_frame{this, "on_frame", {frame}, [this] {
/// dog.start(); }}; rosia::reaction on_dog{this, "on_dog", {dog}, [this] {
/// halt(true); }};
/// ~~~
///
/// If a started watchdog is neither started again nor stopped, it expires. It
/// is then present at the first tag that is left: not before its expiry, and
/// later than all that the node has executed or stamped. The handler runs at
/// once, between two tags. It may use the log and call
/// `application::request_shutdown()`. It may not write, yield, schedule,
/// request an end by the node, or start and stop watchdogs; this is an error of
/// the node. If code of the node runs at the expiry and starts the watchdog
/// again, it does not expire.
///
/// While a watchdog runs, its node does not end by itself. In a replay,
/// expiries are those of the recording, and no handler runs.
class watchdog final : public action_base {
public:
  /// @param parent the node that the watchdog is a member of: `this`.
  /// @param timeout a duration of 0 or more.
  /// @throws graph_error if the timeout is negative, for an invalid name, for
  /// the name of another action of the node, or if a reaction that was declared
  /// earlier has it as a trigger.
  template <class Node>
  watchdog(Node* parent, std::string name, time_span timeout)
    : watchdog(detail::member_parent{parent}, std::move(name), timeout,
               detail::code_ptr{}) {
    // nop
  }

  /// @param handler a function without parameters that returns nothing.
  template <class Node, class Handler>
  watchdog(Node* parent, std::string name, time_span timeout, Handler handler)
    : watchdog(detail::member_parent{parent}, std::move(name), timeout,
               detail::make_handler(std::move(handler))) {
    // nop
  }

  /// Never compiles: a watchdog has no mode.
  template <class... Ts>
  watchdog(mode&, Ts&&...)
    : watchdog(
      detail::without_mode<Ts...>(), std::string{}, {}, detail::code_ptr{}) {
    // nop
  }

  /// Never compiles: the node is missing.
  template <std::convertible_to<std::string> Name, class... Ts>
  explicit watchdog(Name&&, Ts&&...)
    : watchdog(
      detail::without_node<Name>(), std::string{}, {}, detail::code_ptr{}) {
    // nop
  }

  /// Starts the watchdog, or moves its expiry: it expires when physical time is
  /// the time of the current tag + the timeout + `extra`. If the sum does not
  /// fit, the watchdog never expires.
  /// @throws std::logic_error if `extra` is negative, or if it is not called
  /// from a reaction or `start()` of its node [10.8.1].
  void start(time_span extra = {});

  /// Stops the watchdog: it does not expire. An expiry that was not present yet
  /// remains.
  /// @throws std::logic_error if it is not called from a reaction or `start()`
  /// of its node.
  void stop();

private:
  friend struct detail::member_access;

  watchdog(const detail::member_parent& parent, std::string name,
           time_span timeout, detail::code_ptr handler);

  void require_runner(const char* verb) const;

  time_span timeout_;
  detail::code_ptr handler_; // null if there is none
};

} // namespace caf::rosia
