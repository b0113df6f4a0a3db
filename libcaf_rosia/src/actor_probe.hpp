// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace caf::rosia::detail {

/// What an actor leaves unread.
struct letter {
  caf::strong_actor_ptr sender; // null if it was sent anonymously
  caf::message content;
};

/// Learns of actors what only they themselves can see without a race. All
/// members are called while the actor handles a message, in its thread, and
/// must not block.
class actor_observer {
public:
  virtual ~actor_observer();

  /// The actor has handled all that was in its mailbox when `ask_to_end` was
  /// called. @returns whether that is its exit; if not, it goes on.
  /// @param unanswered how many requests it has sent whose answers it still
  ///        wants to handle.
  virtual bool may_end(std::uint32_t actor, std::size_t unanswered) = 0;

  /// Tells whether `meets_exit` is to be given the letters, not only their
  /// number.
  virtual bool wants_letters() const = 0;

  /// The actor handles its exit now. If that ends it, these are never read.
  virtual void meets_exit(std::uint32_t actor, std::size_t unread,
                          std::vector<letter> letters)
    = 0;

  /// The actor has handled the exit that it met with something unread.
  virtual void handled_exit(std::uint32_t actor) = 0;
};

/// Tells whether an actor of this process can be observed: all but blocking
/// ones and those that stand for a remote one.
bool is_observable(const caf::strong_actor_ptr& actor);

/// Sends an actor what may be its exit behind its backlog. If it may not end
/// yet, it does not notice.
/// @param observer null for an actor that cannot be observed: it gets its exit.
void ask_to_end(const caf::strong_actor_ptr& actor,
                std::shared_ptr<actor_observer> observer, std::uint32_t id);

/// Sends an actor its exit before all that is in its mailbox.
/// @param observer null for an actor that cannot be observed.
void force_to_end(const caf::strong_actor_ptr& actor,
                  std::shared_ptr<actor_observer> observer, std::uint32_t id);

/// Tells whether an actor does nothing but to wait for an answer: in `await` it
/// skips all else. Knows that only of one that a worker runs, and that is idle.
/// @pre `is_observable(actor)`
bool awaits_answer(const caf::strong_actor_ptr& actor);

/// Lets such an actor forget what it waits for: it handles its mailbox again.
void stop_awaiting(const caf::strong_actor_ptr& actor);

} // namespace caf::rosia::detail
