// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/graph_drawing.hpp"

#include <vector>

namespace caf::rosia::detail {

graph_description describe_graph(
  const node_directory& nodes, const engine::topology& graph,
  const grouping& groups) {
  auto result = nodes.describe(graph);
  // By process, because each process computes its own groups.
  std::uint32_t count = 0;
  auto add_groups = [&](const std::vector<engine::node_id>& members) {
    for (auto& group : first_executors(groups, graph, members)) {
      if (group.members.size() > 1 && !group.moves)
        for (auto id : group.members)
          result.nodes[id].group = count;
      ++count;
    }
  };
  if (!nodes.distributed())
    add_groups(nodes.local());
  for (engine::process_id i = 0; i < nodes.processes().size(); ++i)
    add_groups(nodes.nodes_of(i));
  return result;
}

} // namespace caf::rosia::detail
