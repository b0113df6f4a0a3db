// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/last_resort.hpp"

#include <utility>

namespace caf::rosia::detail {

last_resort::last_resort()
  : thread_([this](const std::stop_token& token) { run(token); }) {
  // nop
}

void last_resort::set(clock::time_point when, std::function<void()> what) {
  std::lock_guard guard{mutex_};
  when_ = when;
  what_ = std::move(what);
  changed_.notify_all();
}

void last_resort::call_off() {
  std::unique_lock guard{mutex_};
  when_ = clock::time_point::max();
  changed_.notify_all();
  changed_.wait(guard, [this] { return !running_; });
}

void last_resort::run(const std::stop_token& token) {
  std::unique_lock guard{mutex_};
  while (!token.stop_requested()) {
    auto when = when_;
    if (when == clock::time_point::max()) {
      changed_.wait(guard, token, [&] { return when_ != when; });
    } else if (clock::now() < when) {
      changed_.wait_until(guard, token, when, [&] { return when_ != when; });
    } else {
      when_ = clock::time_point::max();
      auto what = std::move(what_);
      running_ = true;
      guard.unlock();
      what();
      guard.lock();
      running_ = false;
      changed_.notify_all();
    }
  }
}

} // namespace caf::rosia::detail
