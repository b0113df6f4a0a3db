// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "benchmark/graphs/graph.hpp"

#include "caf/rosia/logical_time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simulated_workers {

/// The execution of a tag of a node, in simulated time.
struct execution {
  std::uint32_t node = 0;
  /// A node of the group that executed it; `node` if it was alone.
  std::uint32_t group = 0;
  caf::rosia::logical_time tag;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t work = 0;
  /// The time that all workers lost by fixed costs until the end.
  std::int64_t overhead = 0;
};

/// The shortest durations of a run.
struct ideal_durations {
  /// With unlimited workers: the critical path.
  std::int64_t span = 0;
  /// With these workers, if hand-overs and knowledge cost nothing.
  std::int64_t at_no_cost = 0;
  /// If, in addition, one worker at a time executes a group.
  std::int64_t in_groups = 0;
};

/// Schedules the work of a run as `rosia-trace scaling` does.
/// @param all in the order of their ends.
ideal_durations schedule_ideally(
  const bench::graph_plan& graph, const std::vector<execution>& all,
  std::size_t workers);

} // namespace simulated_workers
