// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "property/model/machine.hpp"
#include "property/model/random.hpp"

#include <cstdint>
#include <vector>

namespace model {

/// The expected behavior of all nodes.
struct expectation {
  std::vector<std::vector<log_entry>> logs;
  std::vector<std::vector<stamp>> stamps;

  /// The requested tags of all nodes.
  std::vector<logical_time> proposals;

  /// The number of executed tags.
  std::size_t tags = 0;
};

/// A value that arrived too late over a connection with a maximal wait.
struct tardy_value {
  std::uint32_t connection = 0;
  logical_time intended;

  /// The tag that its receiver gave it; `forever` if it was dropped.
  logical_time tag;
};

/// Events by node, in the order in which they occurred. A list may be empty.
struct outside_events {
  std::vector<std::vector<stamp>> stamps = {};

  std::vector<std::vector<expiry>> expiries = {};

  /// After the last one, no deadline is missed.
  std::vector<std::vector<lateness>> deadlines = {};

  /// The tardy values of all nodes.
  std::vector<tardy_value> tardy = {};
};

/// Runs a graph one tag after the other by sections 1 to 3 of the semantics,
/// without the rules for parallel execution.
/// @param outside the events of a run that depend on physical time.
/// @param last the last tag to execute.
/// @param has_last_tag whether `last` is the final tag, after which reactions
///   to the last tag run.
expectation run_sequentially(
  const graph_spec& graph, const outside_events& outside = {},
  logical_time last = forever, bool has_last_tag = false);

/// Returns the time in nanoseconds at which a random node executes a tag. 0 if
/// that node executes none.
std::int64_t some_moment(const expectation& x, random& rng);

} // namespace model
