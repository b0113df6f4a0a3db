// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "engine/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace caf::rosia::detail {

/// The rules by which nodes are executed together. Tests:
/// test/runtime/grouping_test.cpp.
struct grouping {
  enum class manner : std::uint8_t {
    /// Each node is executed alone.
    alone,
    /// Connected nodes are executed together, permanently.
    connected,
    /// Nodes that turn out to be light are executed together.
    by_load,
    /// Groups change at random, for tests.
    at_random,
    /// The nodes of each of `groups` are executed together.
    listed,
  };

  manner kind = manner::by_load;

  /// Groups of nodes of this process.
  std::vector<std::vector<engine::node_id>> groups = {};

  /// Nodes that are always executed alone.
  std::vector<engine::node_id> separate = {};
};

/// The maximal mean duration of a tag of quick nodes, in nanoseconds. A message
/// between two groups takes longer.
inline constexpr std::int64_t quick_tag = 250;

/// The number of groups or parts of a loop, for each worker, into which nodes
/// are divided. With several, a worker has something to do while one of them
/// waits for the rest.
inline constexpr std::size_t parts_of_worker = 4;

/// The minimal number of nodes of a part of a loop. A part of few nodes waits
/// often.
inline constexpr std::size_t least_part = 4;

/// The maximal numbers of nodes in a group. Tests:
/// test/runtime/grouping_test.cpp.
struct group_limits {
  /// The duration of a call of a group that is connected with other groups
  /// grows with the members, and they are executed one after the other.
  std::size_t usual = 256;

  /// The limit for quick nodes.
  std::size_t quick = 1024;

  /// The maximal size of a loop whose members may be in several groups, or
  /// leave a group. Each call of a group that has only a part of a large loop
  /// takes long.
  std::size_t loop = 256;

  /// Whether all nodes may begin in one group, because one worker executes them
  /// in any case.
  bool together = false;

  friend bool operator==(const group_limits&, const group_limits&) = default;
};

/// Returns the limits for a process.
/// @param nodes the number of its nodes.
/// @param workers the number of threads that run them.
/// @param alone whether there is no other process, which would cause a call for
///        each message.
/// @param follows_clock whether physical time calls the nodes. If so, a call
///        executes few tags, but visits all members of a group that is
///        connected with other groups.
group_limits limits_for(std::size_t nodes, std::size_t workers, bool alone,
                        bool follows_clock);

/// The nodes of an executor. Tests: test/runtime/grouping_test.cpp.
struct executed_nodes {
  std::vector<engine::node_id> members;

  /// Whether the executor exchanges nodes.
  bool moves = false;

  /// Whether each node starts alone, and the nodes are joined afterwards.
  bool seated_later = false;

  /// Whether the nodes are a large loop, or include one. They begin as a group
  /// unless they follow physical time: a node that is alone searches its loop
  /// at each tag.
  bool on_trial = false;

  /// Whether the nodes are a loop, which is divided if they are not light.
  bool divides = false;

  friend bool operator==(const executed_nodes&, const executed_nodes&)
    = default;
};

/// The maximal number of nodes of a process of which each starts alone, so that
/// a start that blocks delays no other node. With more nodes, there are enough
/// groups for all workers, and executing each node alone would take memory.
inline constexpr std::size_t most_alone = 1024;

/// The maximal size of a loop in which each node starts alone.
inline constexpr std::size_t most_alone_in_loop = 32;

/// Returns the executors with which a process begins. Whatever the rules are, a
/// loop that contains a loop of nodes without delay is executed by one.
/// @param nodes the nodes of this process, ascending.
std::vector<executed_nodes> first_executors(
  const grouping& rules, const engine::topology& graph,
  const std::vector<engine::node_id>& nodes, const group_limits& limits = {});

/// Divides nodes into groups that are joined by logical connections of either
/// direction. The nodes of a group are in their order of execution at one tag.
/// Groups with too many nodes are divided into parts.
/// @param nodes the nodes of this process, ascending.
/// @returns the groups of more than one node.
std::vector<std::vector<engine::node_id>> connected_groups(
  const engine::topology& graph, const std::vector<engine::node_id>& nodes,
  std::size_t limit);

} // namespace caf::rosia::detail
