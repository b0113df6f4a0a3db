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
/// When the phase of an actor begins, the actor gets a message after its
/// backlog, and is `draining`. When it handles this message, it exits at once,
/// and is `ending`. If it has open requests, it gets another message a little
/// later. If it has children, or exits together with other actors, it is
/// `waiting` until it has nothing to wait for. Tests:
/// test/shutdown/rooms_test.cpp.
class participant_list {
public:
  using clock = std::chrono::steady_clock;

  using lock = shutdown_state::lock;

  participant_list(shutdown_state& state, phase_list& phases);

  /// @pre `abandon` was called, and it called its function.
  ~participant_list();

  /// Notes that only CAF still refers to this object.
  /// @param free_this called when CAF refers to no participant: now, or later
  ///        in another thread.
  void abandon(std::function<void()> free_this) noexcept;

  // -- adopting; takes the lock -----------------------------------------------

  /// @param actor null for an application.
  /// @throws std::invalid_argument if there is no such phase or parent.
  participant& add(const caf::strong_actor_ptr& actor,
                   std::shared_ptr<adopted_program> program, std::string name,
                   part_options opts);

  /// Adds an actor that was not adopted, as a child of the actor that spawned
  /// it, or else to a phase.
  /// @param parent the id of the actor that spawned it.
  /// @param at_once whether to add it even if its phase takes no strays yet.
  /// @returns null if it takes part already, or is not added.
  participant* add_stray(
    const caf::strong_actor_ptr& actor, caf::actor_id parent, std::string name,
    shutdown_phase& phase, bool at_once);

  /// Requests the exit of a new participant if its phase began. Aborts it if
  /// its phase ended.
  /// @param was_adopted whether the program adopted it. If so, an abort is
  ///        logged as a warning.
  void admit(participant& added, bool was_adopted = true);

  /// Notes the end of an application.
  void note_outcome(participant& application,
                    const adopted_program::outcome& outcome);

  // -- a phase; the lock is held, but free while the program's code runs ------

  /// Requests the exits of all participants of a phase that begins.
  void request_exits(const shutdown_phase& phase, lock& held);

  /// Lets the actors of a phase exit that waited for each other.
  void release(shutdown_phase& phase, lock& held);

  /// Aborts the participants of a phase. Takes the lock. @param phase null for
  /// all.
  void abort_all(const shutdown_phase* phase);

  /// Returns when to call `recheck`; `max()` if never. Takes the lock.
  clock::time_point recheck_at() const;

  /// Checks the actors that had open requests again. Takes the lock.
  void recheck();

  // -- events of participants, in their actors' threads; take the lock --------

  /// Handles the end of an actor's backlog. @returns whether the actor exits.
  /// @param linked see `observed_actor::may_end`.
  bool may_exit(participant& actor, const participant::progress& so_far,
                caf::strong_actor_ptr& linked);

  bool wants_letters() const noexcept {
    return dead_letters_.are_wanted();
  }

  void expect_letters(participant& actor, dead_letters::leftover messages);

  void forget_letters(participant& actor);

  /// Notes that an actor's `on_exit` threw an exception.
  void note_failed_exit(participant& actor, const std::string& error);

  /// @param error the reason of an actor's exit.
  void note_end(participant& ended, const caf::error& error = {});

  /// Notes that a phase lost its last participant.
  void note_phase_empty() const noexcept {
    state_.notify();
  }

  /// Notes that CAF released `count` participants. Takes no lock.
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

  /// Adds the participants of the builder's phase whose exits were requested.
  void add_to(timeline_builder& builder) const;

  /// Calls `fun(name, unread)` for each participant that left messages unread.
  void each_unread(
    const std::function<void(const std::string&, std::size_t)>& fun) const;

private:
  /// The participants whose exits are requested when the lock is free.
  struct outbox {
    std::vector<exit_target> actors;
    std::vector<participant*> applications;
  };

  /// Adds a participant. @pre The lock is held.
  /// @param parent an index, or `no_parent`.
  participant& insert(
    const caf::strong_actor_ptr& actor, caf::scheduled_actor* self,
    shutdown_phase& phase, std::uint32_t parent, std::string name);

  /// Lets a parent wait for a new child, unless the parent's backlog is
  /// handled.
  void await_child(participant& parent, participant& child);

  /// Returns the index of an actor with this id. @pre The lock is held.
  std::uint32_t find(caf::actor_id id);

  void send(outbox& mail, lock& held);

  /// Requests an exit for the first time.
  void request_exit(participant& x, outbox& mail, clock::time_point now);

  /// Requests that an actor handles its backlog and exits.
  void drain(participant& x, outbox& mail, clock::time_point now);

  /// Requests the end of an application, which also prevents its start.
  /// @param abort_status nothing for a regular end.
  void end_application(participant& x, std::optional<int> abort_status);

  /// Lets a participant with an empty backlog wait, if it must.
  /// @returns whether it waits.
  bool has_to_wait(participant& x);

  /// Returns whether there is nothing left that the participant must wait for.
  static bool may_proceed(const participant& x);

  void note_drained(participant& x);

  void abort(participant& x, lock& held);

  void recheck_later(participant& x);

  void note_child_end(participant& parent, outbox& mail);

  shutdown_state& state_;
  phase_list& phases_;
  participant_store all_;
  std::deque<adopted_record> applications_; // addresses do not change
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  // Created at the first search for an id, which most programs never need.
  std::optional<std::unordered_map<caf::actor_id, std::uint32_t>> by_id_;
  // The reasons of abnormal exits before the exit request.
  std::unordered_map<const participant*, std::string> early_ends_;
  recheck_list rechecks_;
  dead_letters dead_letters_;
  std::atomic<std::size_t> kept_by_caf_ = 0; // after `abandon`
  std::function<void()> free_this_;
};

} // namespace caf::rosia::detail
