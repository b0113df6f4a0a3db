// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "engine/code_counts.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace caf::rosia::detail {

/// The counters of a node at a point in time. Processes exchange them. Tests:
/// test/watch/live_page_test.cpp.
struct node_counts {
  /// Physical time when they were read, in nanoseconds since the start.
  std::int64_t at = 0;

  std::uint64_t pieces = 0;
  std::uint64_t busy = 0; // in nanoseconds
  std::uint64_t late = 0;
  std::uint64_t dropped = 0;
  std::vector<std::uint64_t> written; // by output

  /// See `node_counters::lags`.
  std::vector<std::uint64_t> lags;
  std::uint64_t lag_sum = 0;

  /// The greatest lag within the last minute, in nanoseconds.
  std::int64_t lag_max = 0;
};

/// The activity counters of a node, for metrics. Written by the thread that
/// runs the node, read from any thread, during and after the run. Tests:
/// test/watch/live_page_test.cpp.
class node_counters : public engine::code_counts {
public:
  /// Upper bounds of the lag behind physical time for the entries of `lags`, in
  /// nanoseconds, ascending.
  static constexpr std::array<std::int64_t, 13> lag_bounds{
    100'000,       500'000,       1'000'000,     2'500'000,   5'000'000,
    10'000'000,    25'000'000,    50'000'000,    100'000'000, 250'000'000,
    1'000'000'000, 2'500'000'000, 10'000'000'000};

  using engine::code_counts::code_counts;

  /// Counts a tag that began `ns` nanoseconds behind physical time.
  /// @param now physical time, in nanoseconds since the start.
  void note_lag(std::int64_t ns, std::int64_t now) noexcept;

  /// @param now physical time, in nanoseconds since the start.
  node_counts read(std::int64_t now) const;

  /// Number of tags by the first bound that their lag does not exceed. The last
  /// entry counts the tags beyond all bounds.
  std::array<engine::counter, lag_bounds.size() + 1> lags;

  /// The sum of these lags, in nanoseconds.
  engine::counter lag_sum;

  /// Tags that ran later than the option `lag_warn` allows.
  engine::counter late;

  /// Physical values that were dropped.
  engine::counter dropped;

private:
  static constexpr std::int64_t slots = 12;
  static constexpr std::int64_t time_of_slot = 5'000'000'000;

  /// The greatest lag within a part of the last minute.
  struct maximum {
    std::atomic<std::int64_t> part{-1};
    std::atomic<std::int64_t> lag{0};
  };

  std::array<maximum, slots>
    maxima_; // by part of the time, modulo the number of slots
};

/// The counters of all nodes. Those of other processes are as current as their
/// last message. Outlives the nodes' instances. Tests:
/// test/watch/live_page_test.cpp.
class run_counters {
public:
  /// @param size the number of nodes, including those of other processes.
  explicit run_counters(std::size_t size) : counters_(size), reported_(size) {
    // nop
  }

  /// Creates the counters of a node. Called before the run, once for each node.
  node_counters& make(engine::node_id id, std::size_t outputs);

  /// Returns null if another process runs the node.
  node_counters* find(engine::node_id id) const noexcept {
    return counters_[id].get();
  }

  /// Stores the counts of a node of another process.
  void note(engine::node_id id, node_counts x);

  /// Returns nothing for a node of another process without any counts yet.
  /// @param now physical time, in nanoseconds since the start.
  std::optional<node_counts> read(engine::node_id id, std::int64_t now) const;

private:
  std::vector<std::unique_ptr<node_counters>> counters_;
  mutable std::mutex mutex_; // protects the members below
  std::vector<std::optional<node_counts>> reported_;
};

} // namespace caf::rosia::detail
