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

/// The waiting values of a connection that keeps the latest ones [3.17]. A
/// further value replaces the oldest. The sender's thread adds values, the
/// receiver's thread takes them. Tests: test/engine/keep_latest_rules_test.cpp.
class latest_values {
public:
  /// The result of `take`.
  struct taken {
    /// The number of values that were dropped since the last call.
    std::uint64_t dropped;

    /// The oldest waiting value; none if no value waits.
    std::optional<value> content;
  };

  /// @param capacity at least 1.
  explicit latest_values(std::uint32_t capacity) noexcept
    : capacity_(capacity) {
    // nop
  }

  /// Adds a value.
  /// @returns whether the receiver must be notified. Once notified, it takes
  ///   values until none is left.
  bool add(value x) {
    std::lock_guard guard{mutex_};
    if (values_.size() == capacity_) {
      values_.pop();
      ++dropped_;
    }
    values_.push(std::move(x));
    return !std::exchange(announced_, true);
  }

  taken take() {
    std::lock_guard guard{mutex_};
    taken result{std::exchange(dropped_, 0), std::nullopt};
    if (values_.empty())
      announced_ = false;
    else
      result.content = values_.pop();
    return result;
  }

private:
  std::mutex mutex_;
  fifo<value> values_;
  std::uint32_t capacity_;
  std::uint64_t dropped_ = 0; // since the last `take`
  bool announced_ = false;
};

} // namespace caf::rosia::engine
