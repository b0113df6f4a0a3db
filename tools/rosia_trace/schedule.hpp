// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/workload.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace rosia_trace {

inline constexpr auto unlimited = std::numeric_limits<std::size_t>::max();

struct schedule_options {
  /// Number of threads in each process.
  std::size_t workers = unlimited;

  /// Whether one thread at a time executes the nodes of a group, as in the run.
  bool keep_groups = false;
};

/// A run of the same work by other threads.
struct schedule {
  /// Nanoseconds from its start to its end.
  std::int64_t duration = 0;

  /// The activations up to the last one, each of which could run when the
  /// previous one had ended. With unlimited workers this is the critical path.
  std::vector<std::size_t> path;
};

/// Schedules the work of a run. A worker that is idle takes the activation with
/// the least tag from those that may run: the node's previous activation, and
/// all that may send to this tag, have ended. Messages and promises take no
/// time.
schedule make_schedule(const workload& work, const schedule_options& options);

} // namespace rosia_trace
