// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "engine/code_counts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace caf::rosia::detail {

/// What a node has done so far, for metrics. Written by whoever runs the node,
/// read from any thread, also after the run.
class node_counters : public engine::code_counts {
public:
  /// In nanoseconds, ascending: how far a tag may run behind physical time to
  /// be counted here.
  static constexpr std::array<std::int64_t, 13> lag_bounds{
    100'000,       500'000,       1'000'000,     2'500'000,   5'000'000,
    10'000'000,    25'000'000,    50'000'000,    100'000'000, 250'000'000,
    1'000'000'000, 2'500'000'000, 10'000'000'000};

  using engine::code_counts::code_counts;

  /// A tag began so many nanoseconds behind physical time.
  void note_lag(std::int64_t ns) noexcept;

  /// Tags by the first bound that their lag does not pass; the last entry has
  /// those beyond all of them.
  std::array<engine::counter, lag_bounds.size() + 1> lags;

  /// The sum of these lags, in nanoseconds.
  engine::counter lag_sum;

  /// Tags that ran later than the option `lag_warn` allows.
  engine::counter late;

  /// Physical values that were dropped.
  engine::counter dropped;
};

/// What the nodes of this process have done so far. Outlives their instances.
class run_counters {
public:
  /// @param size the number of nodes, those of other processes included.
  explicit run_counters(std::size_t size) : counters_(size) {
    // nop
  }

  /// For a node with so many outputs. Before the run, once for each node.
  node_counters& make(engine::node_id id, std::size_t outputs);

  /// Null if another process runs the node.
  node_counters* find(engine::node_id id) const noexcept {
    return counters_[id].get();
  }

private:
  std::vector<std::unique_ptr<node_counters>> counters_;
};

} // namespace caf::rosia::detail
