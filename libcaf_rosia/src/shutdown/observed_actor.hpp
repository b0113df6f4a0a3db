// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"
#include "shutdown/exit_state.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/attachable.hpp>
#include <caf/fwd.hpp>
#include <caf/message.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// A message that an actor leaves unread.
struct letter {
  caf::strong_actor_ptr sender; // null if it was sent anonymously
  caf::message content;
};

class observed_actor;

/// The receiver of an exit request.
struct exit_target {
  caf::strong_actor_ptr actor;
  observed_actor* observer; // observes `actor`
};

/// The state of an idle actor. Available only for actors that workers run.
struct idle_actor {
  /// It handles only an answer: it is in `await`.
  bool awaits = false;

  /// Some of its requests are unanswered.
  bool has_unanswered = false;
};

/// Observes an actor from the actor's thread, where its state can be read
/// without a race. The virtual functions are called while the actor handles a
/// message, and must not block.
///
/// The object itself is in the actor's list of attachables, and in its mailbox
/// as the request to exit. Hundreds of thousands may exit at the same time, and
/// the memory used by an exit should be compact. So the owner must not free the
/// object before `abandon` allows it.
///
/// In CAF 1, whose mailbox takes no such objects, the request is a separate
/// object. `exit_state` is the part for one version. Tests: test/shutdown.
class observed_actor : public caf::attachable, public exit_state {
public:
  /// The progress of an actor with the backlog that it had when `request_exit`
  /// was called.
  struct progress {
    /// Number of its requests that are still unanswered.
    std::size_t unanswered = 0;

    /// Whether urgent messages are left: CAF lets other messages overtake them.
    bool urgent_left = false;
  };

  /// @param self see `self`.
  explicit observed_actor(caf::scheduled_actor* self);

  /// Returns null if the actor cannot be observed: a blocking actor, or the
  /// proxy of a remote one.
  caf::scheduled_actor* self() const noexcept {
    return self_;
  }

  /// Notes that only CAF still refers to this object. Called once.
  /// @returns whether CAF has released it as well. If not, `let_go` is called
  ///          later.
  bool abandon() noexcept;

  // -- called by CAF ----------------------------------------------------------

  /// Called after everything that was attached before.
  void actor_exited(const caf::error& reason, worker* host) final;

  /// Does not free the object, although CAF deletes attachables.
  static void operator delete(observed_actor* x, std::destroying_delete_t);

protected:
  ~observed_actor() override;

  /// Called when the actor has handled its backlog.
  /// @returns whether it exits; if not, it continues.
  /// @param linked set to an actor that must not exit because of this exit.
  virtual bool may_end(const progress& so_far, caf::strong_actor_ptr& linked)
    = 0;

  /// Returns whether `reads_exit` needs the letters, and not only their number.
  virtual bool wants_letters() const = 0;

  /// Called before the actor handles its exit message. If that ends the actor,
  /// these messages stay unread.
  virtual void reads_exit(std::size_t unread, std::vector<letter> letters) = 0;

  /// Called after the actor handled an exit message announced by `reads_exit`.
  virtual void handled_exit() = 0;

  /// Called if the exit message ended the actor, and its `on_exit` threw an
  /// exception.
  virtual void failed(const std::string& error) = 0;

  /// Called at the end of the actor. @param reason empty if unknown.
  virtual void ended(const caf::error& reason) = 0;

  /// Called when CAF released this object, if `abandon` returned false.
  virtual void let_go() noexcept = 0;

private:
  friend class exit_request;
  friend class exit_state;
  friend class guarded_exit;
  friend class spare_exit_request;
  friend void request_exit(std::vector<exit_target>&);
  friend void abort_actor(const exit_target&);
  friend void watch_end(const caf::strong_actor_ptr&, observed_actor&);
  friend std::optional<idle_actor> look_at(const exit_target&);

  /// References of CAF to this object, and whether there are only these. In CAF
  /// 1, all requests are multiples of the first one.
  enum : std::uint32_t {
    attached = 1,
    requested = 2,
    requested_again = 4, // and multiples: further requests
    abandoned = 0x8000'0000
  };

  /// Calls `ended`. In CAF 1, postpones that while the actor handles an exit
  /// message of this object.
  void note_end(const caf::error& reason);

  /// Drops one of CAF's references.
  void drop(std::uint32_t use) noexcept;

  std::atomic<std::uint32_t> uses_ = 0;
  caf::scheduled_actor* self_;
};

/// Returns the part of an actor that can be observed, see
/// `observed_actor::self`.
caf::scheduled_actor* find_observable(const caf::strong_actor_ptr& actor);

/// Puts a request to exit behind the backlog of each actor. If an actor may not
/// exit yet, the request has no effect on it. An actor that cannot be observed
/// gets a plain exit message.
/// @param targets lose their handles, which may be the last ones. Each is
///        released at once, to avoid contention for the reference counts.
void request_exit(std::vector<exit_target>& targets);

/// Sends an actor an exit message that overtakes its mailbox, except for urgent
/// messages. The actor forgets what it awaits.
void abort_actor(const exit_target& to);

/// Calls `ended` of `observer` when an actor ends, after its monitors and
/// linked actors were notified; at once if it is dead already.
/// @param observer observes `actor`; called once for it.
void watch_end(const caf::strong_actor_ptr& actor, observed_actor& observer);

/// Reads the state of an actor without a message. @returns nothing if it is not
/// idle.
std::optional<idle_actor> look_at(const exit_target& x);

} // namespace caf::rosia::detail
