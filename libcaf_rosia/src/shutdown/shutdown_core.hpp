// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "shutdown/action_list.hpp"
#include "shutdown/adopted_program.hpp"
#include "shutdown/backup_step.hpp"
#include "shutdown/guard_list.hpp"
#include "shutdown/participant_list.hpp"
#include "shutdown/phase_list.hpp"
#include "shutdown/process_end.hpp"
#include "shutdown/shutdown_state.hpp"
#include "shutdown/shutdown_thread.hpp"
#include "shutdown/stray_actors.hpp"
#include "shutdown/thread_list.hpp"
#include "shutdown/worker_list.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// What a shutdown, its guards, its threads and its participants share. All
/// functions may be called from any thread; whoever uses a member itself holds
/// the lock of `state`, unless the member says otherwise.
class shutdown_core : public std::enable_shared_from_this<shutdown_core> {
public:
  /// It lives as long as somebody shares it, or CAF refers to a participant.
  static std::shared_ptr<shutdown_core> make(
    caf::actor_system& sys, shutdown_options opts);

  // -- tasks and guards -------------------------------------------------------

  /// @param task nothing if it is a guard alone.
  shutdown_guard make_guard(const std::string& name, bool temporary,
                            std::shared_ptr<task_progress> task = nullptr);

  shutdown_guard make_child(std::uint64_t parent, const std::string& name);

  /// What a child of a guard, or a task that it has spawned, is called.
  std::string child_name(std::uint64_t parent, const std::string& name) const;

  void drop_guard(std::uint64_t id) noexcept;

  void spawn(const std::string& name, bool temporary, task_start task);

  /// Tells who waits for the result of a task that has not returned that there
  /// will be none.
  void refuse_results();

  // -- participants -----------------------------------------------------------

  void adopt(caf::strong_actor_ptr actor, std::string name, part_options opts);

  void adopt(std::shared_ptr<adopted_program> program, std::string name,
             part_options opts);

  /// Adopts an actor, unless it takes part already.
  /// @param phase,at_once see `participant_list::add_stray`.
  void adopt_stray(const named_actor& x, shutdown_phase& phase, bool at_once);

  // -- shutting down ----------------------------------------------------------

  void abort(int status, const std::string& reason);

  /// Somebody waits for the shutdown.
  void be_awaited();

  int wait(std::optional<std::chrono::nanoseconds> deadline);

  /// Waits until there is no actor any more, taking part or not, unless the
  /// options say otherwise. Nothing can end the process any more, then.
  void await_system();

  /// How many actors of the system are alive, but hidden ones.
  std::size_t count_actors() const;

  // -- status and timeline ----------------------------------------------------

  shutdown_report status();

  shutdown_timeline timeline() const;

  // -- members, the most general first ----------------------------------------

  shutdown_state state;
  std::stop_source stop; // needs no lock
  process_end process{state};
  phase_list phases;
  guard_list guards;
  action_list actions;
  worker_list workers;
  participant_list participants{state, phases};
  thread_list threads{state};
  backup_step backup;
  stray_actors strays{*this};    // needs no lock
  shutdown_thread runner{*this}; // needs no lock

private:
  shutdown_core(caf::actor_system& sys, shutdown_options opts);

  ~shutdown_core();

  /// Warns of a task that waits for an application which ends only after it.
  void check_task_of(const participant& application);

  void await_others();

  /// The system's actors that are no participants.
  std::vector<std::string> find_others() const;

  caf::actor_system* system_;
};

} // namespace caf::rosia::detail
