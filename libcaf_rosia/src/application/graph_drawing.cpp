// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/graph_drawing.hpp"

#include <vector>

namespace caf::rosia::detail {

graph_description add_groups(
  graph_description to, const node_directory& nodes,
  const engine::topology& graph, const grouping& groups) {
  // By process, because each process computes its own groups.
  std::uint32_t count = 0;
  auto of_process = [&](const std::vector<engine::node_id>& members) {
    for (auto& group : first_executors(groups, graph, members)) {
      if (group.members.size() > 1 && !group.moves && !group.divides)
        for (auto id : group.members)
          to.nodes[id].group = count;
      ++count;
    }
  };
  if (!nodes.distributed())
    of_process(nodes.local());
  for (engine::process_id i = 0; i < nodes.processes().size(); ++i)
    of_process(nodes.nodes_of(i));
  return to;
}

} // namespace caf::rosia::detail
