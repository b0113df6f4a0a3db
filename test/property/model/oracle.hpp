// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "property/model/machine.hpp"
#include "property/model/random.hpp"

#include <cstdint>
#include <vector>

namespace model {

/// What all nodes have to do, by node.
struct expectation {
  std::vector<std::vector<log_entry>> logs;
  std::vector<std::vector<stamp>> stamps;

  /// The tags of what was requested, by whatever node.
  std::vector<logical_time> proposals;

  /// How many tags were executed.
  std::size_t tags = 0;
};

/// Runs a graph one tag after the other: sections 1 to 3 of the semantics, and
/// nothing of what makes them run in parallel.
/// @param stamps by node, in the order of their tags; may be empty.
/// @param last the last tag to execute.
expectation run_sequentially(
  const graph_spec& graph, const std::vector<std::vector<stamp>>& stamps = {},
  logical_time last = forever);

/// When some node does something: nanoseconds. 0 if that one does nothing.
std::int64_t some_moment(const expectation& x, random& rng);

} // namespace model
