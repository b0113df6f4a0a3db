// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace caf::rosia::detail {

/// Decides when to speak of something that lasts: after a while, then each time
/// that has doubled. In nanoseconds.
class growing_interval {
public:
  /// @param first is positive.
  explicit growing_interval(std::int64_t first) noexcept : next_(first) {
    // nop
  }

  /// How long it will have lasted when there is something to say again.
  std::int64_t next() const noexcept {
    return next_;
  }

  /// It has lasted that long.
  /// @returns which interval it has reached; none if that was said before.
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
