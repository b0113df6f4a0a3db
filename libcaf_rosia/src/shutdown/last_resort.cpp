// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/last_resort.hpp"

#include <utility>

namespace caf::rosia::detail {

last_resort::last_resort()
  : thread_([this](const std::stop_token& token) { run(token); }) {
  // nop
}

void last_resort::set(clock::time_point time, std::function<void()> action) {
  std::lock_guard guard{mutex_};
  time_ = time;
  action_ = std::move(action);
  changed_.notify_all();
}

void last_resort::call_off() {
  std::unique_lock guard{mutex_};
  time_ = clock::time_point::max();
  changed_.notify_all();
  changed_.wait(guard, [this] { return !running_; });
}

void last_resort::run(const std::stop_token& token) {
  std::unique_lock guard{mutex_};
  while (!token.stop_requested()) {
    auto time = time_;
    if (time == clock::time_point::max()) {
      changed_.wait(guard, token, [&] { return time_ != time; });
    } else if (clock::now() < time) {
      changed_.wait_until(guard, token, time, [&] { return time_ != time; });
    } else {
      time_ = clock::time_point::max();
      auto action = std::move(action_);
      running_ = true;
      guard.unlock();
      action();
      guard.lock();
      running_ = false;
      changed_.notify_all();
    }
  }
}

} // namespace caf::rosia::detail
