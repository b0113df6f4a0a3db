// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "engine/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace caf::rosia::detail {

/// Who is executed with whom.
struct grouping {
  enum class manner : std::uint8_t {
    /// Each node on its own.
    alone,
    /// Those that are connected, for good.
    connected,
    /// Those that turn out to be light.
    by_load,
    /// By turns, for tests.
    at_random,
    /// Those that somebody has listed.
    listed,
  };

  manner kind = manner::by_load;

  /// Groups of nodes of this process.
  std::vector<std::vector<engine::node_id>> groups = {};

  /// These are alone in any case.
  std::vector<engine::node_id> separate = {};
};

/// The nodes of an executor.
struct executed_nodes {
  std::vector<engine::node_id> members;

  /// Whether it exchanges nodes with others.
  bool moves = false;

  /// Whether each of them starts on its own, and the executor takes them over
  /// afterwards.
  bool seated_later = false;

  /// Whether these are a loop that is divided if its nodes are not light.
  bool divides = false;

  friend bool operator==(const executed_nodes&, const executed_nodes&)
    = default;
};

/// The number of nodes of a process up to which each of them starts on its own:
/// a start that blocks delays no other one. Of more than that there are enough
/// groups for all workers, and each node that is alone takes memory.
inline constexpr std::size_t most_alone = 1024;

/// The executors that a process begins with.
/// @param nodes those of this process, ascending.
std::vector<executed_nodes> first_executors(
  const grouping& rules, const engine::topology& graph,
  const std::vector<engine::node_id>& nodes);

/// How many nodes a group has at most: each call of one takes as long as it has
/// members, and they are executed one after the other.
inline constexpr std::size_t most_members = 256;

/// The mean duration of a tag, in nanoseconds, up to which nodes are quick. A
/// message between two groups takes longer.
inline constexpr std::int64_t quick_tag = 250;

/// The maximal number of quick nodes in a group.
inline constexpr std::size_t most_quick_members = 1024;

/// Divides nodes into groups of those that logical connections join, whatever
/// their direction; each in the order in which its nodes are executed at one
/// tag, and in parts where it would have too many.
/// @param nodes those of this process, ascending.
/// @returns the groups of more than one node.
std::vector<std::vector<engine::node_id>> connected_groups(
  const engine::topology& graph, const std::vector<engine::node_id>& nodes,
  std::size_t limit = most_members);

} // namespace caf::rosia::detail
