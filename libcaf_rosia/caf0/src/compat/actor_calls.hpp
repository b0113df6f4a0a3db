// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/error.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/system_messages.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <utility>

// Functions that an actor calls in its own thread. Their names differ between
// the versions of CAF.

namespace caf::rosia::detail {

/// Sends a message.
template <class Self, class Handle, class... Ts>
void send_to(Self& self, const Handle& to, Ts&&... xs) {
  self.send(to, std::forward<Ts>(xs)...);
}

/// Sends a request. @returns the object with the functions `then` or `receive`.
template <class Self, class Handle, class... Ts>
auto request(Self& self, const Handle& receiver,
             std::chrono::nanoseconds patience, Ts&&... xs) {
  return self.request(receiver, patience, std::forward<Ts>(xs)...);
}

/// Describes why an actor ended.
inline std::string exit_text(const caf::error& reason) {
  return caf::to_string(reason);
}

/// Monitors actors, and calls a function when one of them is down. Tests:
/// test/distributed.
template <class Self>
class monitored_actors {
public:
  /// Called with the address of the actor, and the reason.
  using callback
    = std::function<void(const caf::actor_addr&, const caf::error&)>;

  /// @param self must have no other monitors, and no other down handler.
  monitored_actors(Self& self, callback fun)
    : self_(self), callback_(std::move(fun)) {
    self.set_down_handler([this](const caf::down_msg& x) {
      callback_(x.source, x.reason);
    });
  }

  monitored_actors(const monitored_actors&) = delete;

  monitored_actors& operator=(const monitored_actors&) = delete;

  template <class Handle>
  void add(const Handle& receiver) {
    self_.monitor(receiver);
  }

private:
  Self& self_;
  callback callback_;
};

/// Makes the behavior of a typed actor that handles exit messages itself, and
/// that ignores other messages and errors that it does not expect.
/// @param on_exit takes a `caf::exit_msg&`.
template <class Behavior, class Self, class OnExit, class... Handlers>
Behavior make_robust_behavior(
  Self& self, OnExit on_exit, Handlers... handlers) {
  self.set_exit_handler(std::move(on_exit));
  self.set_error_handler([](caf::error&) {
    // ignored
  });
  self.set_default_handler(caf::drop);
  return {std::move(handlers)...};
}

} // namespace caf::rosia::detail
