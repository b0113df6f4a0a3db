// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/shutdown/thread_result.hpp"

#include "base/duration.hpp"

namespace caf::rosia::detail {

thread_progress::~thread_progress() {
  // nop
}

void thread_progress::publish() {
  std::lock_guard guard{mutex_};
  if (stage_ != stage::pending)
    return;
  stage_ = stage::published;
  changed_.notify_all();
}

void thread_progress::refuse(std::string reason) {
  std::lock_guard guard{mutex_};
  if (stage_ != stage::pending)
    return;
  stage_ = stage::refused;
  reason_ = std::move(reason);
  changed_.notify_all();
}

bool thread_progress::is_ready() const {
  std::lock_guard guard{mutex_};
  return stage_ != stage::pending;
}

void thread_progress::wait() const {
  std::unique_lock guard{mutex_};
  changed_.wait(guard, [this] { return stage_ != stage::pending; });
}

bool thread_progress::wait_for(physical_time_span timeout) const {
  std::unique_lock guard{mutex_};
  return changed_.wait_until(
    guard, add_saturated(std::chrono::steady_clock::now(), timeout),
    [this] { return stage_ != stage::pending; });
}

void thread_progress::require() const {
  wait();
  std::lock_guard guard{mutex_};
  if (stage_ == stage::refused)
    throw no_thread_result("thread '" + name_ + "' has no result: " + reason_);
}

} // namespace caf::rosia::detail
