// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/signal_watch.hpp"
#include "base/thread_usage.hpp"
#include "caf/rosia/detail/event_descriptor.hpp"
#include "runtime/simulated_time.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <queue>
#include <stop_token>
#include <vector>

namespace caf::rosia::detail {

/// Keeps the physical time of a running application. The thread that called
/// `application::run` waits here. It wakes nodes, watches deadlines, and
/// handles signals, even if all of CAF's workers are busy. Tests:
/// test/runtime/timekeeper_test.cpp.
class timekeeper {
public:
  // -- member types -----------------------------------------------------------

  using clock = std::chrono::steady_clock;

  /// The functions that `run` calls, on its thread.
  struct events {
    /// Called when `run` begins.
    std::function<void()> begin;

    /// Called when a requested wake-up of a node is due.
    std::function<void(std::uint32_t node)> wake;

    /// Called when SIGINT or SIGTERM arrives for the `count`-th time.
    std::function<void(int signal, int count)> signal;

    /// Called when SIGUSR1 arrives.
    std::function<void()> report;

    /// Called when the checkpoint signal arrives.
    std::function<void()> checkpoint = {};
  };

  /// Replaces the time of all timekeepers in tests; null otherwise. Set while
  /// no application runs.
  static simulated_time* for_tests;

  // -- constructors, destructors ----------------------------------------------

  timekeeper();

  timekeeper(const timekeeper&) = delete;

  timekeeper& operator=(const timekeeper&) = delete;

  ~timekeeper();

  // -- time -------------------------------------------------------------------

  /// Sets the common start to now [1.6].
  void start();

  /// Sets the common start to this time of the clock, in nanoseconds.
  void start(std::int64_t at) noexcept;

  /// Sets the elapsed time at the common start: that of the checkpoint from
  /// which a run resumes. Called before the start.
  void origin(std::int64_t ns) noexcept {
    origin_ = ns;
  }

  /// Returns the common start by the clock, in nanoseconds.
  std::int64_t started_at() const noexcept {
    return start_.load(std::memory_order_acquire);
  }

  /// Returns the nanoseconds since the common start, plus `origin`. From any
  /// thread.
  std::int64_t elapsed() const noexcept {
    return since_start(read_clock());
  }

  /// Returns the elapsed time from a clock that is much cheaper to read, and up
  /// to some milliseconds behind.
  std::int64_t coarse_elapsed() const noexcept;

  /// Returns the resource usage of the calling thread.
  static thread_usage usage() noexcept {
    return for_tests != nullptr ? for_tests->usage() : thread_usage::now();
  }

  /// Returns `elapsed()` plus a duration; saturates.
  std::int64_t elapsed_in(std::chrono::nanoseconds duration) const noexcept;

  // -- requests, from any thread ----------------------------------------------

  /// Wakes a node when `elapsed()` reaches `ns`.
  void wake_at(std::uint32_t node, std::int64_t ns);

  /// Calls `fun` when `elapsed()` reaches `ns`, unless it is cancelled.
  /// @returns a number for `cancel`.
  std::uint64_t call_at(std::int64_t ns, std::function<void()> fun);

  /// Does the same for a deadline of another thread. If the deadline is noticed
  /// much too late, the whole process stood still, and so did the other thread.
  /// In this case, the deadline is postponed once.
  std::uint64_t deadline_at(std::int64_t ns, std::function<void()> fun);

  /// Forgets a call.
  void cancel(std::uint64_t call);

  /// Lets `run` return.
  void finish();

  // -- waiting ----------------------------------------------------------------

  /// Returns the descriptor for a `signal_watch`: signals must interrupt the
  /// waits.
  int descriptor() const noexcept {
    return wake_.get();
  }

  /// Serves requests and signals until `finish` is called.
  /// @param checkpoint one of `checkpoint_signals`; 0 if none.
  void run(const events& on, signal_watch& signals, int checkpoint = 0);

  /// Calls `on_signal` for each further signal until the token is stopped. Call
  /// after `run`.
  void serve_signals(const std::stop_token& token, signal_watch& signals,
                     const std::function<void(int signal)>& on_signal);

private:
  struct wake_request {
    std::int64_t ns;
    std::uint32_t node;
    bool operator>(const wake_request& other) const noexcept {
      return ns > other.ns;
    }
  };

  struct call_request {
    std::int64_t ns;
    std::uint64_t number;
    std::function<void()> fun;
    bool may_wait; // a deadline that was not postponed yet

    /// Postpones a deadline if the process stood still. @returns whether it
    /// did.
    bool postpone(std::int64_t now);
  };

  std::uint64_t add_call(std::int64_t ns, std::function<void()> fun,
                         bool is_deadline);

  static constexpr std::int64_t no_time
    = std::numeric_limits<std::int64_t>::max();

  static constexpr std::int64_t not_started
    = std::numeric_limits<std::int64_t>::max();

  static std::chrono::nanoseconds read_clock() noexcept {
    return for_tests != nullptr
             ? std::chrono::nanoseconds{for_tests->now()}
             : clock::now().time_since_epoch();
  }

  std::int64_t since_start(std::chrono::nanoseconds now) const noexcept {
    auto start = start_.load(std::memory_order_acquire);
    auto since
      = start == not_started
          ? 0
          : std::max<std::int64_t>(now.count() - start, 0);
    return since < no_time - origin_ ? origin_ + since : no_time - 1;
  }

  std::int64_t next_time() const;

  void wait_until(std::int64_t ns);

  event_descriptor wake_;
  // By the clock, in nanoseconds.
  std::atomic<std::int64_t> start_{not_started};
  std::int64_t origin_ = 0;
  std::mutex mutex_;
  std::int64_t waiting_for_ = std::numeric_limits<std::int64_t>::min();
  std::priority_queue<wake_request, std::vector<wake_request>, std::greater<>>
    wakes_;
  std::vector<call_request> calls_;
  std::uint64_t calls_made_ = 0;
  bool finished_ = false;
};

} // namespace caf::rosia::detail
