// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/loop_time_table.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace caf::rosia::detail {

/// A loop time table that the threads of one process share. Tests:
/// test/property.
class shared_loop_time_table : public engine::loop_time_table {
public:
  using engine::loop_time_table::loop_time_table;

  /// Sets a function that is called before each unlocking. Called before the
  /// table is shared.
  void before_unlock(std::function<void()> fun) {
    before_unlock_ = std::move(fun);
  }

  void lock() override {
    mutex_.lock();
    if (before_unlock_)
      owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }

  void unlock() override {
    if (before_unlock_) {
      before_unlock_();
      owner_.store({}, std::memory_order_relaxed);
    }
    mutex_.unlock();
  }

  /// Returns whether this thread has locked it. @pre `before_unlock` was
  /// called.
  bool held_here() const noexcept {
    return owner_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }

private:
  std::mutex mutex_;
  std::function<void()> before_unlock_;
  std::atomic<std::thread::id> owner_{};
};

} // namespace caf::rosia::detail
