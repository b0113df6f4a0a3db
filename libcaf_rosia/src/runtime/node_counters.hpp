// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "engine/body.hpp"
#include "engine/node.hpp"
#include "runtime/timekeeper.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace caf::rosia::detail {

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

/// What a node has done so far, for metrics. Written by whoever runs the node,
/// read from any thread, also after the run.
class node_counters {
public:
  /// In nanoseconds, ascending: how far a tag may run behind physical time to
  /// be counted here.
  static constexpr std::array<std::int64_t, 13> lag_bounds{
    100'000,       500'000,       1'000'000,     2'500'000,   5'000'000,
    10'000'000,    25'000'000,    50'000'000,    100'000'000, 250'000'000,
    1'000'000'000, 2'500'000'000, 10'000'000'000};

  /// @param outputs how many the node has.
  explicit node_counters(std::size_t outputs) : written(outputs) {
    // nop
  }

  /// A tag began so many nanoseconds behind physical time.
  void note_lag(std::int64_t ns) noexcept;

  /// Pieces of the node's code that have returned.
  counter pieces;

  /// Values that were written, by output.
  std::vector<counter> written;

  /// Tags by the first bound that their lag does not pass; the last entry has
  /// those beyond all of them.
  std::array<counter, lag_bounds.size() + 1> lags;

  /// The sum of these lags, in nanoseconds.
  counter lag_sum;

  /// Tags that ran later than the option `lag_warn` allows.
  counter late;

  /// Physical values that were dropped.
  counter dropped;
};

/// What the nodes of this process have done so far. Outlives their instances.
class run_counters {
public:
  /// @param size the number of nodes, those of other processes included.
  explicit run_counters(std::size_t size) : counters_(size) {
    // nop
  }

  /// Counts what a node does. Before the run, once for each node.
  /// @returns what is to be run in place of `code`.
  engine::body& count(
    engine::body& code, const engine::node& node, engine::node_id id,
    std::size_t outputs, const timekeeper& time);

  /// Null if another process runs the node.
  node_counters* find(engine::node_id id) const noexcept {
    return counters_[id].get();
  }

private:
  std::vector<std::unique_ptr<node_counters>> counters_;
  std::vector<std::unique_ptr<engine::body>> bodies_;
};

} // namespace caf::rosia::detail
