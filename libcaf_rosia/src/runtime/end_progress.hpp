// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace caf::rosia::detail {

/// Decides, while nodes execute up to the final tag, whether they make progress
/// [6.4]. The caller looks at growing sums of progress, with a pause in
/// between. Tests: test/runtime/end_progress_test.cpp.
class end_progress {
public:
  /// @param grace_period the maximal time without progress.
  explicit end_progress(std::chrono::nanoseconds grace_period) noexcept
    : grace_period_(grace_period) {
    // nop
  }

  std::chrono::nanoseconds pause() const noexcept {
    return std::clamp(grace_period_ / least_looks, least_pause, longest_pause);
  }

  void restart() noexcept {
    looks_ = 0;
  }

  /// @returns whether there was progress since the last look.
  bool note(std::uint64_t progress) noexcept {
    auto result = progress != last_;
    looks_ = result ? 0 : looks_ + 1;
    last_ = progress;
    return result;
  }

  /// Returns the time without progress.
  std::chrono::nanoseconds lack() const noexcept {
    return looks_ * pause();
  }

  /// Returns whether there was no progress for the grace period.
  bool is_overdue() const noexcept {
    return looks_ >= std::max(least_looks, grace_period_ / pause());
  }

private:
  /// Minimum number of looks that make up the grace period. Several are needed:
  /// nodes of a process that was stopped for a while made no progress either.
  static constexpr std::int64_t least_looks = 8;

  static constexpr std::chrono::nanoseconds least_pause
    = std::chrono::milliseconds{1};

  /// A longer pause would delay warnings.
  static constexpr std::chrono::nanoseconds longest_pause
    = std::chrono::milliseconds{250};

  std::chrono::nanoseconds grace_period_;
  std::uint64_t last_ = 0;
  std::int64_t looks_ = 0; // without progress
};

} // namespace caf::rosia::detail
