// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace caf::rosia::detail {

/// Exponential back-off for repeated warnings. Times are in nanoseconds. Tests:
/// test/runtime/lag_watch_test.cpp.
class growing_interval {
public:
  /// @param first must be positive.
  explicit growing_interval(std::int64_t first) noexcept : next_(first) {
    // nop
  }

  /// Returns the duration at which the next warning is due.
  std::int64_t next() const noexcept {
    return next_;
  }

  /// Checks whether a warning is due after this duration.
  /// @returns the interval that was reached; none if it was reported before.
  std::optional<std::int64_t> due(std::int64_t lasted) noexcept {
    std::optional<std::int64_t> result;
    while (next_ <= lasted) {
      result = next_;
      if (next_ > std::numeric_limits<std::int64_t>::max() / 2)
        break;
      next_ *= 2;
    }
    return result;
  }

private:
  std::int64_t next_;
};

} // namespace caf::rosia::detail
