// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/remote_loop_table.hpp"

#include <vector>

namespace caf::rosia::detail {

/// A connection between two nodes.
struct node_pair {
  engine::node_id from;
  engine::node_id to;
};

/// Places the nodes without a process.
///
/// Connected nodes are placed together. A node connected with placed ones joins
/// the process with which it has the most connections. Every other connected
/// component goes to the process with the fewest nodes, the largest first. If
/// it is larger than a fair share, it is cut into stretches of neighbours.
/// Equal input leads to equal results in all processes.
///
/// @param homes by node; `unplaced` for the nodes to place.
/// @param first, last the available processes: first to last - 1.
void place(std::vector<engine::process_id>& homes,
           const std::vector<node_pair>& connections, engine::process_id first,
           engine::process_id last);

inline constexpr engine::process_id unplaced = ~engine::process_id{0};

} // namespace caf::rosia::detail
