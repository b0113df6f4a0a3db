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

/// The shutdown's own thread: it deals with signals, runs the phases in their
/// order, watches the deadlines, and aborts what is late.
class shutdown_thread {
public:
  using clock = std::chrono::steady_clock;

  /// Handles signals from now on.
  /// @throws std::runtime_error if too many handle signals already.
  explicit shutdown_thread(shutdown_core& core);

  /// Waits until the shutdown begins, and returns when it is over and somebody
  /// has waited for that.
  void run();

private:
  // -- waiting ----------------------------------------------------------------

  /// Waits for something to happen. Meanwhile signals and actors that have open
  /// requests are looked after.
  void wait_until(clock::time_point end);

  void handle_signal(int signal);

  /// Aborts the shutdown once its deadline has passed.
  void watch_deadline();

  // -- before the phases ------------------------------------------------------

  void run_on_signal();

  /// A function of the program that is not waited for for ever.
  struct timed_handler {
    const char* name;
    std::function<void()> code;
    std::chrono::nanoseconds timeout;
    const char* timeout_name;
  };

  /// Runs a handler on a thread of its own.
  /// @param is_given_up tells whether to wait for it no longer.
  /// @returns the error, empty if there is none; nothing if it has not
  /// returned.
  std::optional<std::string> run_in_time(
    timed_handler handler, const std::function<bool()>& is_given_up);

  // -- phases -----------------------------------------------------------------

  void run_phases();

  void run_phase(shutdown_phase& phase);

  void enter(shutdown_phase& phase);

  void start_workers();

  /// Starts the actions of a phase whose turn it is.
  /// @pre The lock is not held.
  void start_actions(const shutdown_phase& phase);

  void start_action(phase_action& action);

  /// Waits until it is over. @returns false if it was not in time.
  bool await(shutdown_phase& phase);

  /// Whether nothing is left to wait for. @pre The lock is held.
  bool is_done(const shutdown_phase& phase) const;

  /// Gives up a phase that is not over in time.
  void leave_late(shutdown_phase& phase);

  void log_late(const shutdown_phase& phase) const;

  // -- after the phases -------------------------------------------------------

  void finish();

  void run_backup();

  /// Aborts what was left behind, and waits for it as long as the grace period,
  /// which begins at `since`.
  void abort_rest(shutdown_state::lock& held, clock::time_point since);

  /// Whether all that takes part has ended. @pre The lock is held.
  bool all_gone() const;

  void log_unread() const;

  /// Ends the process if nobody waits for the shutdown, which is over.
  void await_waiter();

  shutdown_core& core_;
  std::optional<signal_watch> watch_;
  int signals_ = 0; // that came
};

} // namespace caf::rosia::detail
