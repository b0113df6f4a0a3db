// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "engine/fifo.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace caf::rosia::engine {

/// The values of a connection that keeps the latest ones, as long as they wait
/// for a tag. A further value takes the place of the oldest. The thread of the
/// sender adds values, that of the receiver takes them.
class latest_values {
public:
  /// What the receiver takes.
  struct taken {
    /// Values that were dropped since the last call.
    std::uint64_t dropped;

    /// The oldest value that waits; none if none waits.
    std::optional<value> content;
  };

  /// @param capacity at least 1.
  explicit latest_values(std::uint32_t capacity) noexcept
    : capacity_(capacity) {
    // nop
  }

  /// @returns whether the receiver must be told: it asks for values, once it
  ///          was told of some, until there is none.
  bool add(value x) {
    std::lock_guard guard{mutex_};
    if (values_.size() == capacity_) {
      values_.pop();
      ++dropped_;
    }
    values_.push(std::move(x));
    return !std::exchange(told_, true);
  }

  taken take() {
    std::lock_guard guard{mutex_};
    taken result{std::exchange(dropped_, 0), std::nullopt};
    if (values_.empty())
      told_ = false;
    else
      result.content = values_.pop();
    return result;
  }

private:
  std::mutex mutex_;
  fifo<value> values_;
  std::uint32_t capacity_;
  std::uint64_t dropped_ = 0; // since the last `take`
  bool told_ = false;
};

} // namespace caf::rosia::engine
