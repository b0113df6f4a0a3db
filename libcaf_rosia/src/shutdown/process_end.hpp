// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "shutdown/shutdown_state.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace caf::rosia::detail {

/// Ends the process if a participant cannot be stopped, or if the program does
/// not wait for the shutdown; see `shutdown_options::end_process`. Runs on a
/// separate thread, because all other threads may be blocked, as by a log that
/// nothing reads, and no more threads may be available. Tests:
/// test/shutdown/draining_test.cpp, test/shutdown/refused_threads_test.cpp.
class process_end {
public:
  using clock = std::chrono::steady_clock;

  /// @throws std::system_error if threads are exhausted.
  explicit process_end(shutdown_state& state);

  /// Sets the time from the state of the shutdown. @pre The lock is held.
  void schedule();

  /// Sets the time to a bit after `deadline`, with the status of a missed
  /// deadline.
  void schedule(clock::time_point deadline);

  /// Sets the time to a bit after `deadline`, with a status that is mapped
  /// already.
  void schedule(clock::time_point deadline, int status);

  /// Cancels the end. Waits for it if it has begun.
  void cancel();

  /// Releases the thread. Nothing may be scheduled after this call.
  void close();

  /// Ends the process now, unless the options forbid it.
  void end(int status);

  /// Returns the exit status that the program maps a status to.
  /// @param refused set to true if the result is not a valid exit status.
  int map(int status, bool* refused = nullptr) const;

private:
  void set(clock::time_point deadline, std::optional<int> status);

  void run(const std::stop_token& token);

  shutdown_state& state_;
  std::mutex mutex_; // guards the following
  std::condition_variable_any changed_;
  clock::time_point time_ = clock::time_point::max();
  std::optional<int> status_; // none: that of a missed deadline
  bool running_ = false;
  std::jthread thread_; // only if it may end the process
};

} // namespace caf::rosia::detail
