// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/error.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/system_messages.hpp>
#include <caf/type_id.hpp>

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
  self.mail(std::forward<Ts>(xs)...).send(to);
}

/// Sends a request. @returns the object with the functions `then` or `receive`.
template <class Self, class Handle, class... Ts>
auto request(Self& self, const Handle& receiver,
             std::chrono::nanoseconds patience, Ts&&... xs) {
  return self.mail(std::forward<Ts>(xs)...).request(receiver, patience);
}

/// Describes why an actor ended.
inline std::string exit_text(const caf::error& reason) {
  if (reason && reason.category() == caf::type_id_v<caf::exit_reason>)
    return "exit_reason(" + caf::to_string(reason) + ')';
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
    // nop
  }

  monitored_actors(const monitored_actors&) = delete;

  monitored_actors& operator=(const monitored_actors&) = delete;

  template <class Handle>
  void add(const Handle& receiver) {
    self_.monitor(
      receiver, [this, address = receiver.address()](const caf::error& reason) {
        callback_(address, reason);
      });
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
  // The only way for typed actors.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  self.set_default_handler(caf::drop);
#pragma GCC diagnostic pop
  return {std::move(handlers)..., std::move(on_exit), [](caf::error&) {
            // ignored
          }};
}

} // namespace caf::rosia::detail
