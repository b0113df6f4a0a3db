// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace caf::rosia::detail {

/// What an actor leaves unread.
struct letter {
  caf::strong_actor_ptr sender; // null if it was sent anonymously
  caf::message content;
};

class actor_observer;

/// An actor, as its observer knows it.
struct observed_actor {
  /// Lives until the actor has ended.
  actor_observer* observer = nullptr;

  /// Null if it is not for us to see: a blocking actor, and one that stands for
  /// a remote one.
  caf::scheduled_actor* self = nullptr;
};

/// Learns of actors what only they themselves can see without a race. All
/// members are called while the actor handles a message, in its thread, and
/// must not block.
class actor_observer {
public:
  virtual ~actor_observer();

  /// Keeps it alive.
  virtual std::shared_ptr<actor_observer> share() = 0;

  /// What an actor has handled of what was in its mailbox when `ask_to_end` was
  /// called.
  struct progress {
    /// How many requests it has sent whose answers it still wants to handle.
    std::size_t unanswered = 0;

    /// Whether something urgent is left: CAF lets the rest overtake it.
    bool urgent_left = false;
  };

  /// The actor has handled its backlog. @returns whether that is its exit; if
  /// not, it goes on.
  /// @param linked is set to an actor that must not end because this one does.
  virtual bool may_end(observed_actor& who, const progress& so_far,
                       caf::strong_actor_ptr& linked)
    = 0;

  /// Tells whether `meets_exit` is to be given the letters, not only their
  /// number.
  virtual bool wants_letters() const = 0;

  /// The actor handles its exit now. If that ends it, these are never read.
  virtual void meets_exit(observed_actor& who, std::size_t unread,
                          std::vector<letter> letters)
    = 0;

  /// The actor has handled the exit that it met with something unread.
  virtual void handled_exit(observed_actor& who) = 0;

  /// The actor has ended.
  virtual void ended(observed_actor& who) = 0;
};

/// Finds what can be observed of an actor, see `observed_actor::self`.
caf::scheduled_actor* find_observable(const caf::strong_actor_ptr& actor);

/// Who gets an exit.
struct exit_target {
  caf::strong_actor_ptr actor;
  observed_actor* who; // the same; lives until it has ended
};

/// Sends actors what may be their exit behind their backlogs. Who may not end
/// yet does not notice. One that cannot be observed gets its exit.
void ask_to_end(const std::vector<exit_target>& targets);

/// Sends an actor its exit before all that is in its mailbox and not urgent. It
/// forgets what it awaits.
void force_to_end(const exit_target& to);

/// Tells the observer when an actor has ended, and others have been told who
/// monitor it or are linked to it; at once if it is dead already.
/// @param who lives as long as the observer.
void watch_end(const caf::strong_actor_ptr& actor,
               std::shared_ptr<actor_observer> observer, observed_actor& who);

/// What an actor waits for. Known only of one that a worker runs, and that is
/// idle.
struct idle_actor {
  /// It handles nothing but an answer: it is in `await`.
  bool awaits = false;

  /// It wants to handle answers.
  bool has_unanswered = false;
};

/// Looks at an actor without a message. @returns nothing if it is not idle.
std::optional<idle_actor> look_at(const exit_target& x);

} // namespace caf::rosia::detail
