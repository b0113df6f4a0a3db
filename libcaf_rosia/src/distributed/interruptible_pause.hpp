// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace caf::rosia::detail {

/// Pauses of a thread that a signal to the process or another thread can end.
/// From any thread. Tests: test/distributed/interruptible_pause_test.cpp.
class interruptible_pause {
public:
  /// Notes a signal to the process.
  void note_signal(int signal);

  /// Returns the last signal; 0 if there was none.
  int signal() const;

  /// Lets `wait_until` return at once, now and later.
  void hurry();

  /// Pauses until a signal arrives. Does not pause after a signal.
  void wait_for(std::chrono::nanoseconds duration);

  /// Pauses until this time, a signal, or a call of `hurry`.
  void wait_until(std::chrono::steady_clock::time_point time);

private:
  mutable std::mutex mutex_; // protects the members below
  std::condition_variable changed_;
  int signal_ = 0;
  bool hurry_ = false;
};

} // namespace caf::rosia::detail
