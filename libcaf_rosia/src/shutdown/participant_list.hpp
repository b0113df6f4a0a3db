// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "shutdown/dead_letters.hpp"
#include "shutdown/participant.hpp"
#include "shutdown/participant_store.hpp"
#include "shutdown/phase_list.hpp"
#include "shutdown/recheck_list.hpp"
#include "shutdown/report_builder.hpp"
#include "shutdown/shutdown_state.hpp"
#include "shutdown/timeline_builder.hpp"

#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace caf::rosia::detail {

/// The actors and applications that take part in a shutdown: adopts them,
/// requests their exits, and aborts those that are late.
///
/// When the phase of an actor begins, the actor gets a message behind its
/// backlog: it is `draining`. When it comes to that message, it exits at once:
/// `ending`. If it has open requests, it gets another one a little later. If it
/// has children, or exits together with others, it is `waiting` until nobody is
/// left to wait for.
class participant_list {
public:
  using clock = std::chrono::steady_clock;

  using lock = shutdown_state::lock;

  participant_list(shutdown_state& state, phase_list& phases);

  /// @pre `abandon` was called, and has called its function.
  ~participant_list();

  /// Nobody but CAF refers to this any more.
  /// @param free_this called once CAF refers to no participant any more: now,
  ///                  or later in another thread.
  void abandon(std::function<void()> free_this) noexcept;

  // -- adopting; takes the lock -----------------------------------------------

  /// @param actor null if it is an application.
  /// @throws std::invalid_argument if there is no such phase or parent.
  participant& add(const caf::strong_actor_ptr& actor,
                   std::shared_ptr<adopted_program> program, std::string name,
                   part_options opts);

  /// Adds an actor that nobody has adopted, as the child of the actor that
  /// spawned it, or else to a phase.
  /// @param parent the id of who spawned it.
  /// @param at_once also if the phase in which it ends takes no strays yet.
  /// @returns null if it takes part already, or is not added.
  participant* add_stray(
    const caf::strong_actor_ptr& actor, caf::actor_id parent, std::string name,
    shutdown_phase& phase, bool at_once);

  /// Requests the exit of a new participant if its phase has begun, and aborts
  /// it if that is over.
  /// @param was_adopted whether the program did it, which learns of an abort.
  void admit(participant& added, bool was_adopted = true);

  /// An application is over.
  void note_outcome(participant& application,
                    const adopted_program::outcome& outcome);

  // -- a phase; the lock is held, and free while code of others runs ----------

  /// Requests the exits of all participants of a phase that begins.
  void request_exits(const shutdown_phase& phase, lock& held);

  /// Lets the actors of a phase exit that have waited for each other.
  void release(shutdown_phase& phase, lock& held);

  /// Takes the lock. @param phase null stands for all.
  void abort_all(const shutdown_phase* phase);

  /// When to call `recheck`; `max()` if there is no need to. Takes the lock.
  clock::time_point recheck_at() const;

  /// Looks again at actors that had open requests. Takes the lock.
  void recheck();

  // -- what participants tell, in their actors' threads; takes the lock -------

  /// The actor has handled its backlog. @returns whether it exits.
  /// @param linked see `observed_actor::may_end`.
  bool may_exit(participant& actor, const participant::progress& so_far,
                caf::strong_actor_ptr& linked);

  bool wants_letters() const noexcept {
    return dead_letters_.are_wanted();
  }

  void expect_letters(participant& actor, dead_letters::leftover messages);

  void forget_letters(participant& actor);

  /// An actor's `on_exit` has thrown something.
  void note_failed_exit(participant& actor, const std::string& error);

  /// @param why of an actor: the reason of its exit.
  void note_end(participant& ended, const caf::error& why = {});

  /// A phase has lost its last participant.
  void note_phase_empty() const noexcept {
    state_.notify();
  }

  /// CAF does not refer to `count` participants any more. Takes no lock.
  void let_go_of(std::size_t count) noexcept;

  // -- properties; the lock is held -------------------------------------------

  dead_letters& letters() noexcept {
    return dead_letters_;
  }

  const dead_letters& letters() const noexcept {
    return dead_letters_;
  }

  std::unordered_set<caf::actor_id> living_actors() const;

  void add_to(report_builder& builder);

  /// Adds those of the builder's phase whose exits were requested.
  void add_to(timeline_builder& builder) const;

  /// Calls `fun(name, unread)` for each that has left messages unread.
  void each_unread(
    const std::function<void(const std::string&, std::size_t)>& fun) const;

private:
  /// Whose exits are requested once the lock is free.
  struct outbox {
    std::vector<exit_target> actors;
    std::vector<participant*> applications;
  };

  /// Adds a participant. @pre The lock is held.
  /// @param parent an index, or `no_parent`.
  participant& insert(
    const caf::strong_actor_ptr& actor, caf::scheduled_actor* self,
    shutdown_phase& phase, std::uint32_t parent, std::string name);

  /// Lets a parent wait for a new child, unless it has handled its backlog.
  void await_child(participant& parent, participant& child);

  /// Finds a participant by the id of its actor. @pre The lock is held.
  std::uint32_t find(caf::actor_id id);

  void send(outbox& mail, lock& held);

  /// Requests an exit for the first time.
  void request_exit(participant& x, outbox& mail, clock::time_point now);

  /// Asks an actor to handle its backlog and exit.
  void drain(participant& x, outbox& mail, clock::time_point now);

  /// Asks an application to end, and not to start if it has not.
  /// @param abort_status none if it is not aborted.
  void end_application(participant& x, std::optional<int> abort_status);

  /// Whether a participant that has handled its backlog has to wait; if so, it
  /// does.
  bool has_to_wait(participant& x);

  /// Whether there is nobody left that it has to wait for.
  static bool may_proceed(const participant& x);

  void note_drained(participant& x);

  void abort(participant& x, lock& held);

  void recheck_later(participant& x);

  /// A child has ended.
  void note_child_end(participant& parent, outbox& mail);

  shutdown_state& state_;
  phase_list& phases_;
  participant_store all_;
  std::deque<adopted_record> applications_; // the address of one stays
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  // Only once somebody looks for an id: nobody does in most programs.
  std::optional<std::unordered_map<caf::actor_id, std::uint32_t>> by_id_;
  // Why actors exited before they were asked to, unless that was normal.
  std::unordered_map<const participant*, std::string> early_ends_;
  recheck_list rechecks_;
  dead_letters dead_letters_;
  std::atomic<std::size_t> kept_by_caf_ = 0; // once it is abandoned
  std::function<void()> free_this_;
};

} // namespace caf::rosia::detail
