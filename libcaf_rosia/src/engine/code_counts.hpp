// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace caf::rosia::engine {

/// A counter. One thread at a time writes it, any thread may read it. Tests:
/// test/engine/code_counts_test.cpp.
class counter {
public:
  void add(std::uint64_t n = 1) noexcept {
    value_.store(value() + n, std::memory_order_relaxed);
  }

  std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

private:
  std::atomic<std::uint64_t> value_{0};
};

/// The execution counters of a node. Reading the clock takes longer than a
/// quick piece of code. So the time of the measured pieces pays for further
/// reads; when it is spent, a measured piece stands for about 32. Tests:
/// test/engine/code_counts_test.cpp.
class code_counts {
public:
  /// @param outputs the number of the node's outputs.
  explicit code_counts(std::size_t outputs) : written(outputs) {
    // nop
  }

  /// Records the start of a piece of code.
  /// @param clock returns physical time, in nanoseconds.
  template <class Clock>
  [[gnu::always_inline]] void begin(Clock&& clock) {
    if (pieces.value() >= next_measured_) [[unlikely]]
      began_ = clock();
  }

  /// Records its end.
  template <class Clock>
  [[gnu::always_inline]] void end(Clock&& clock) {
    pieces.add();
    if (pieces.value() > next_measured_) [[unlikely]]
      measure(clock());
  }

  /// The number of pieces of code that have returned.
  counter pieces;

  /// Their total time, in nanoseconds.
  counter busy;

  /// The number of written values, by output.
  std::vector<counter> written;

private:
  /// The time of code that pays for a measurement, in nanoseconds: about 30
  /// times as long as that takes.
  static constexpr std::int64_t price = 2'000;

  [[gnu::noinline]] void measure(std::int64_t now) noexcept {
    auto count = pieces.value();
    auto all = static_cast<std::int64_t>(count - measured_);
    auto took = (now - began_) * all;
    busy.add(static_cast<std::uint64_t>(took));
    paid_ = std::max<std::int64_t>(paid_ + took - all * price, 0);
    measured_ = count;
    next_measured_ = paid_ > 0 ? count : count + gap_after(count);
  }

  /// Returns the number of pieces that are not measured: 0 to 63, without a
  /// pattern that the node's code could share.
  static std::uint64_t gap_after(std::uint64_t count) noexcept {
    return (count * 0x9e3779b97f4a7c15u) >> 58;
  }

  // Used by the thread that runs the node.
  std::int64_t began_ = 0;          // the measured piece
  std::int64_t paid_ = 0;           // time that pays for further measurements
  std::uint64_t measured_ = 0;      // the number of pieces at the last one
  std::uint64_t next_measured_ = 0; // the number of pieces before the next one
};

} // namespace caf::rosia::engine
