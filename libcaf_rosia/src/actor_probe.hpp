// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
  virtual bool may_end(std::uint32_t actor, const progress& so_far,
                       caf::strong_actor_ptr& linked)
    = 0;

  /// Tells whether `meets_exit` is to be given the letters, not only their
  /// number.
  virtual bool wants_letters() const = 0;

  /// The actor handles its exit now. If that ends it, these are never read.
  virtual void meets_exit(std::uint32_t actor, std::size_t unread,
                          std::vector<letter> letters)
    = 0;

  /// The actor has handled the exit that it met with something unread.
  virtual void handled_exit(std::uint32_t actor) = 0;

  /// The actor has ended.
  virtual void ended(std::uint32_t actor) = 0;
};

/// Finds what can be observed of an actor. @returns null for a blocking actor,
/// and for one that stands for a remote one.
caf::scheduled_actor* find_observable(const caf::strong_actor_ptr& actor);

/// Who gets an exit.
struct exit_target {
  caf::strong_actor_ptr actor;
  caf::scheduled_actor* observable; // the same
};

/// Sends an actor what may be its exit behind its backlog. If it may not end
/// yet, it does not notice. One that cannot be observed gets its exit.
/// @param observer lives until the actor has ended.
void ask_to_end(const exit_target& to, actor_observer& observer,
                std::uint32_t id);

/// Sends an actor its exit before all that is in its mailbox and not urgent. It
/// forgets what it awaits.
/// @param observer lives until the actor has ended.
void force_to_end(const exit_target& to, actor_observer& observer,
                  std::uint32_t id);

/// Tells the observer when an actor has ended, and others have been told who
/// monitor it or are linked to it; at once if it is dead already.
void watch_end(const caf::strong_actor_ptr& actor,
               std::shared_ptr<actor_observer> observer, std::uint32_t id);

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
