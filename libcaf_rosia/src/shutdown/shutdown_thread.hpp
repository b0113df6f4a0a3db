// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/signal_watch.hpp"
#include "shutdown/action_list.hpp"
#include "shutdown/shutdown_state.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace caf::rosia::detail {

class shutdown_core;

/// The shutdown's own thread: handles signals, runs the phases in their order,
/// watches the deadlines, and aborts late participants. Tests: test/shutdown.
class shutdown_thread {
public:
  using clock = std::chrono::steady_clock;

  /// Starts to handle signals.
  /// @throws std::runtime_error if there are too many signal handlers already.
  explicit shutdown_thread(shutdown_core& core);

  /// Waits for the beginning of the shutdown, and returns after its end, when
  /// the program waits for it.
  void run();

private:
  // -- waiting ----------------------------------------------------------------

  /// Waits for an event. Handles signals, and checks actors with open requests.
  void wait_until(clock::time_point end);

  void handle_signal(int signal);

  /// Aborts the shutdown after its deadline.
  void watch_deadline();

  // -- before the phases ------------------------------------------------------

  void run_on_signal();

  /// A function of the program with a time limit.
  struct timed_handler {
    const char* name;
    std::function<void()> code;
    std::chrono::nanoseconds timeout;
    const char* timeout_name;
  };

  /// Runs a handler on a separate thread.
  /// @param is_given_up returns whether to stop waiting for it.
  /// @returns the error, empty if there is none; nothing if it did not return.
  std::optional<std::string> run_in_time(
    timed_handler handler, const std::function<bool()>& is_given_up);

  // -- phases -----------------------------------------------------------------

  void run_phases();

  void run_phase(shutdown_phase& phase);

  void enter(shutdown_phase& phase);

  void start_workers();

  /// Starts those actions of a phase that may run now.
  /// @pre The lock is not held.
  void start_actions(const shutdown_phase& phase);

  void start_action(phase_action& action);

  /// Waits for the end of the phase. @returns false if it is late.
  bool await(shutdown_phase& phase);

  /// Returns whether the phase has nothing to wait for. @pre The lock is held.
  bool is_done(const shutdown_phase& phase) const;

  /// Gives up a phase that is late.
  void leave_late(shutdown_phase& phase);

  void log_late(const shutdown_phase& phase) const;

  // -- after the phases -------------------------------------------------------

  void finish();

  void run_backup();

  /// Aborts all remaining participants, and waits for them until the end of the
  /// grace period, which begins at `since`.
  void abort_rest(shutdown_state::lock& held, clock::time_point since);

  /// Returns whether all participants ended. @pre The lock is held.
  bool all_gone() const;

  void log_unread() const;

  /// Ends the process if the program does not wait for the finished shutdown.
  void await_waiter();

  shutdown_core& core_;
  std::optional<signal_watch> watch_;
  int signals_ = 0; // number of signals received
};

} // namespace caf::rosia::detail
