// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/interruptible_pause.hpp"

namespace caf::rosia::detail {

void interruptible_pause::note_signal(int signal) {
  std::lock_guard guard{mutex_};
  signal_ = signal;
  hurry_ = true;
  changed_.notify_all();
}

int interruptible_pause::signal() const {
  std::lock_guard guard{mutex_};
  return signal_;
}

void interruptible_pause::hurry() {
  std::lock_guard guard{mutex_};
  hurry_ = true;
  changed_.notify_all();
}

void interruptible_pause::wait_for(std::chrono::nanoseconds duration) {
  std::unique_lock guard{mutex_};
  changed_.wait_for(guard, duration, [this] { return signal_ != 0; });
}

void interruptible_pause::wait_until(
  std::chrono::steady_clock::time_point time) {
  std::unique_lock guard{mutex_};
  changed_.wait_until(guard, time, [this] { return hurry_; });
}

} // namespace caf::rosia::detail
