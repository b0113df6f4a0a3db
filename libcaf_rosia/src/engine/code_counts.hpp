// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace caf::rosia::engine {

/// Counts something. Written by one thread at a time, read from any.
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

/// What a node's code has done so far.
struct code_counts {
  /// @param outputs how many the node has.
  explicit code_counts(std::size_t outputs) : written(outputs) {
    // nop
  }

  /// A piece of code begins. Times are physical, in nanoseconds.
  void begin(std::int64_t now) noexcept {
    began_ = now;
  }

  /// It has returned.
  void end(std::int64_t now) noexcept {
    pieces.add();
    busy.add(static_cast<std::uint64_t>(now - began_));
  }

  /// Pieces of code that have returned.
  counter pieces;

  /// The time that they took, in nanoseconds.
  counter busy;

  /// Values that were written, by output.
  std::vector<counter> written;

private:
  std::int64_t began_ = 0; // of the thread that runs the node
};

} // namespace caf::rosia::engine
