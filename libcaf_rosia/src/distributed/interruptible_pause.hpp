// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace caf::rosia::detail {

/// Pauses of a thread that a signal to the process cuts short, or another
/// thread. From any thread.
class interruptible_pause {
public:
  /// A signal has come.
  void note_signal(int signal);

  /// The last signal that has come; 0 if none has.
  int signal() const;

  /// Lets `wait_until` return at once, now and later.
  void hurry();

  /// Pauses, unless a signal has come or comes.
  void wait_for(std::chrono::nanoseconds duration);

  /// The same until this time; `hurry` cuts it short, too.
  void wait_until(std::chrono::steady_clock::time_point time);

private:
  mutable std::mutex mutex_; // protects what follows
  std::condition_variable changed_;
  int signal_ = 0;
  bool hurry_ = false;
};

} // namespace caf::rosia::detail
