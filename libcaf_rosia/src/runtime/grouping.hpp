// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "engine/topology.hpp"

#include <cstddef>
#include <vector>

namespace caf::rosia::detail {

/// How many nodes a group has at most: each call of one takes as long as it has
/// members.
inline constexpr std::size_t most_members = 256;

/// Divides nodes into groups of those that logical connections join, whatever
/// their direction; each in the order in which its nodes are executed at one
/// tag, and in parts where it would have too many.
/// @param nodes those of this process, ascending.
/// @returns the groups of more than one node.
std::vector<std::vector<engine::node_id>> connected_groups(
  const engine::topology& graph, const std::vector<engine::node_id>& nodes,
  std::size_t limit = most_members);

} // namespace caf::rosia::detail
