// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/signal_watch.hpp"
#include "caf/rosia/detail/event_descriptor.hpp"
#include "caf/rosia/options.hpp"
#include "distributed/interruptible_pause.hpp"
#include "distributed/process_actor.hpp"

#include <spdlog/logger.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace caf::rosia::detail {

/// Signals to this process before the application starts. A first one ends
/// pauses, and this process leaves in order; a second one ends the process.
/// Used by one thread, unless said otherwise. Tests:
/// test/distributed/early_test.py.
class joining_signals {
public:
  /// @param on_abort called before the process ends, by a thread of this.
  joining_signals(const options& opts, std::shared_ptr<spdlog::logger> log,
                  std::function<void()> on_abort);

  joining_signals(const joining_signals&) = delete;

  joining_signals& operator=(const joining_signals&) = delete;

  ~joining_signals();

  /// From now on, signals are reported to this actor, which decides about them.
  void report_to(const process_handle& actor);

  /// @throws ended_early if a signal arrived.
  void check() const;

  /// Pauses. @throws ended_early if a signal arrives.
  void pause(std::chrono::nanoseconds duration);

  /// Pauses until this time, a signal, or a call of `hurry`.
  void pause_until(std::chrono::steady_clock::time_point time) {
    pause_.wait_until(time);
  }

  /// Lets `pause_until` return at once, now and later. From any thread.
  void hurry() {
    pause_.hurry();
  }

  /// Stops the handling of signals, after those that arrived.
  void stop();

private:
  void run(const std::stop_token& stop);

  void handle(int signal, bool is_first);

  /// Handles the lack of a reaction of the coordinator to the first signal.
  void handle_silence(int signal);

  std::shared_ptr<spdlog::logger> log_;
  std::function<void()> on_abort_;
  interruptible_pause pause_;
  std::mutex mutex_;
  process_handle actor_; // protected by `mutex_`
  event_descriptor wake_;
  std::optional<signal_watch> watch_;
  std::jthread thread_; // last: uses all of the above
};

} // namespace caf::rosia::detail
