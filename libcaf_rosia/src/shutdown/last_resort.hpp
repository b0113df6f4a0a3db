// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace caf::rosia::detail {

/// Calls a function at a given time, on a separate thread, unless it is
/// cancelled. For actions that must happen even if all other threads are
/// blocked, and no more threads can be created.
class last_resort {
public:
  using clock = std::chrono::steady_clock;

  /// @throws std::system_error if threads are exhausted.
  last_resort();

  /// Sets the time and the function, in place of the previous ones.
  void set(clock::time_point time, std::function<void()> action);

  /// Cancels the call. Waits for the function if it is running.
  void call_off();

private:
  void run(const std::stop_token& token);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  clock::time_point time_ = clock::time_point::max();
  std::function<void()> action_;
  bool running_ = false;
  std::jthread thread_; // last: uses all of the above
};

} // namespace caf::rosia::detail
