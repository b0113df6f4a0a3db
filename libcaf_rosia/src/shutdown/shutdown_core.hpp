// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/shutdown.hpp"
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

/// The object shared by a shutdown, its guards, its threads and its
/// participants. All functions may be called from any thread. To use a member
/// directly, hold the lock of `state`, unless the member says otherwise. Tests:
/// test/shutdown.
class shutdown_core : public std::enable_shared_from_this<shutdown_core> {
public:
  /// Creates an object that lives until its last owner and CAF release it.
  static std::shared_ptr<shutdown_core> make(
    caf::actor_system& sys, shutdown_options opts);

  // -- threads and guards
  // -------------------------------------------------------

  /// @param thread null for a guard without a thread.
  shutdown_guard make_guard(const std::string& name, bool temporary,
                            std::shared_ptr<thread_progress> thread = nullptr);

  shutdown_guard make_child(std::uint64_t parent, const std::string& name);

  /// Returns the name of a guard's child, or of a thread that it spawns.
  std::string child_name(std::uint64_t parent, const std::string& name) const;

  void drop_guard(std::uint64_t id) noexcept;

  void spawn(const std::string& name, bool temporary, thread_start thread);

  /// Calls the code of an action.
  /// @returns the error; empty if there is none.
  std::string run(phase_action& action);

  /// Notifies all that wait for the result of an unfinished thread that there
  /// is none.
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

  /// Notes that the program waits for the shutdown.
  void be_awaited();

  /// @throws std::logic_error in code for which the shutdown waits.
  int wait(std::optional<std::chrono::nanoseconds> deadline);

  /// Waits for the end of all actors of the system, unless the options forbid
  /// it. After that, the shutdown can no longer end the process.
  void await_system();

  /// Returns the number of living actors, except for hidden ones.
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

  /// Warns about a thread that waits for an application, if that ends only
  /// after it.
  void check_task_of(const participant& application);

  void await_others();

  /// Returns the system's actors that are not participants.
  std::vector<std::string> find_others() const;

  caf::actor_system* system_;
};

} // namespace caf::rosia::detail
