// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace caf::rosia::engine {

/// A counter. One thread at a time writes it, any thread may read it.
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

/// The execution counters of a node.
struct code_counts {
  /// @param outputs the number of the node's outputs.
  explicit code_counts(std::size_t outputs) : written(outputs) {
    // nop
  }

  /// Records the start of a piece of code. Times are physical, in nanoseconds.
  void begin(std::int64_t now) noexcept {
    began_ = now;
  }

  /// Records its end.
  void end(std::int64_t now) noexcept {
    pieces.add();
    busy.add(static_cast<std::uint64_t>(now - began_));
  }

  /// The number of pieces of code that have returned.
  counter pieces;

  /// Their total time, in nanoseconds.
  counter busy;

  /// The number of written values, by output.
  std::vector<counter> written;

private:
  std::int64_t began_ = 0; // used by the thread that runs the node
};

} // namespace caf::rosia::engine
