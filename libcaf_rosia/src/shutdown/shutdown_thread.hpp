// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/signal_watch.hpp"
#include "shutdown/action_list.hpp"
#include "shutdown/shutdown_state.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

  /// Runs a handler of the program on a thread of its own.
  /// @returns false if it fails, or has not returned after `on_signal_timeout`.
  bool run_in_time(const char* name, const std::function<void()>& handler);

  // -- phases -----------------------------------------------------------------

  void run_phases();

  void run_phase(shutdown_phase& phase);

  /// Begins it. @returns its actions.
  std::vector<phase_action*> enter(shutdown_phase& phase);

  void start_workers();

  /// @param has_failed set if the action fails.
  void start_action(phase_action& action,
                    const std::shared_ptr<std::atomic<bool>>& has_failed);

  /// Waits until it is over. @returns false if it was not in time.
  bool await(shutdown_phase& phase);

  /// Whether nothing is left to wait for. @pre The lock is held.
  bool is_done(const shutdown_phase& phase) const;

  /// Gives up a phase that is not over in time.
  void leave_late(shutdown_phase& phase);

  void log_late(const shutdown_phase& phase) const;

  // -- after the phases -------------------------------------------------------

  void finish();

  /// Aborts what was left behind, and waits for it as long as the grace period.
  void abort_rest(shutdown_state::lock& held);

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
