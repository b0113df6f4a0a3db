// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "last_resort.hpp"

#include <utility>

namespace caf::rosia::detail {

void last_resort::set(clock::time_point when, std::function<void()> what) {
  std::lock_guard guard{mutex_};
  when_ = when;
  what_ = std::move(what);
  if (thread_.joinable())
    changed_.notify_all();
  else
    thread_ = std::jthread{[this](std::stop_token token) { run(token); }};
}

void last_resort::call_off() {
  std::jthread ending; // joined once the lock is free
  std::lock_guard guard{mutex_};
  ending = std::exchange(thread_, std::jthread{});
  ending.request_stop();
}

void last_resort::run(const std::stop_token& token) {
  std::unique_lock guard{mutex_};
  while (!token.stop_requested()) {
    if (clock::now() >= when_) {
      auto what = what_;
      guard.unlock();
      what();
      return;
    }
    auto when = when_;
    changed_.wait_until(guard, token, when, [&] { return when_ != when; });
  }
}

} // namespace caf::rosia::detail
