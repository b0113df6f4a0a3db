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

/// Places the nodes that nobody has placed.
///
/// First each node that has to be where another one is. Then connected nodes
/// together: those that are connected with placed ones join the process with
/// which they have the most connections; other connected components go, as
/// wholes, largest first, to the process that has the fewest nodes, but one
/// that is larger than a fair share is cut into stretches of neighbours. The
/// same input leads to the same result everywhere.
///
/// @param homes per node; `unplaced` for those to be placed.
/// @param first, last the processes that may run them: first to last - 1.
void place(std::vector<engine::process_id>& homes,
           const std::vector<node_pair>& connections, engine::process_id first,
           engine::process_id last);

inline constexpr engine::process_id unplaced = ~engine::process_id{0};

} // namespace caf::rosia::detail
