// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/growing_interval.hpp"
#include "caf/rosia/logical_time.hpp"
#include "runtime/messages.hpp"
#include "runtime/watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace caf::rosia::detail {

/// Sends the coordinator messages about the time that a stage of the end takes.
/// Tests: test/application/ending_test.cpp.
class stage_timer {
public:
  /// The shortest interval between two reminders.
  static constexpr std::chrono::nanoseconds first_reminder
    = std::chrono::seconds{1};

  /// The arguments must outlive this.
  stage_timer(timekeeper& time, watchdog& sender) noexcept
    : time_(time), sender_(sender) {
    // nop
  }

  /// Enters a stage, and withdraws the messages about the one before.
  void restart() {
    for (auto* call : {&limit_call_, &look_call_})
      time_.cancel(std::exchange(*call, 0));
    began_ = time_.elapsed();
    restart_reminders();
  }

  /// Sends a `stage_overdue` after this time.
  void limit(std::chrono::nanoseconds duration, std::uint64_t deadline) {
    limit_call_
      = sender_.send_at(time_.elapsed_in(duration), stage_overdue{deadline});
  }

  /// Sends a `look_at_progress` after a pause from now, or from `ns` if that is
  /// later.
  void look_after(std::chrono::nanoseconds pause, std::int64_t ns,
                  std::uint64_t deadline) {
    look_at(sum(std::max(ns, time_.elapsed()), pause), deadline);
  }

  /// Returns the time since the begin of the stage.
  std::chrono::nanoseconds lasted() const {
    return std::chrono::nanoseconds{time_.elapsed() - began_};
  }

  // -- reminders, at growing intervals ----------------------------------------

  /// Returns to the shortest interval.
  void restart_reminders() noexcept {
    interval_ = growing_interval{first_reminder.count()};
  }

  /// Returns the elapsed time of the next reminder, or of the end of `limit`,
  /// in nanoseconds.
  std::int64_t next_reminder(std::chrono::nanoseconds limit
                             = std::chrono::nanoseconds::max()) const noexcept {
    return sum(
      began_, std::min(std::chrono::nanoseconds{interval_.next()}, limit));
  }

  /// Sends a `look_at_progress` when a reminder is due.
  void remind(std::uint64_t deadline) {
    look_at(next_reminder(), deadline);
  }

  /// Checks whether a reminder is due after this time.
  /// @returns the interval that was reached; none if it was reported before.
  std::optional<std::chrono::nanoseconds> due(
    std::chrono::nanoseconds lasted) noexcept {
    if (auto result = interval_.due(lasted.count()))
      return std::chrono::nanoseconds{*result};
    return std::nullopt;
  }

private:
  void look_at(std::int64_t ns, std::uint64_t deadline) {
    look_call_ = sender_.send_at(ns, look_at_progress{deadline});
  }

  static std::int64_t sum(std::int64_t ns,
                          std::chrono::nanoseconds duration) noexcept {
    return saturating_add(logical_time{ns, 0}, delay{duration}).ns;
  }

  timekeeper& time_;
  watchdog& sender_;
  std::int64_t began_ = 0;
  growing_interval interval_{first_reminder.count()};
  std::uint64_t limit_call_ = 0;
  std::uint64_t look_call_ = 0;
};

} // namespace caf::rosia::detail
