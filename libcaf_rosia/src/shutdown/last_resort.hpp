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

/// Calls a function at a given time, on a thread of its own, unless it is
/// called off before. For what must happen even if all other threads are
/// blocked, and no more can be had.
class last_resort {
public:
  using clock = std::chrono::steady_clock;

  /// @throws std::system_error without threads left.
  last_resort();

  /// Sets the time and the function, and replaces those that were set before.
  void set(clock::time_point time, std::function<void()> action);

  /// Calls it off; waits for the function if that has begun.
  void call_off();

private:
  void run(const std::stop_token& token);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  clock::time_point time_ = clock::time_point::max();
  std::function<void()> action_;
  bool running_ = false;
  std::jthread thread_; // comes last: it uses the others
};

} // namespace caf::rosia::detail
