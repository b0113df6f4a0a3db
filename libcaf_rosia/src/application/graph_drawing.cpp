// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/graph_drawing.hpp"

#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

graph_description::node node_of(
  const node_directory& nodes, engine::node_id id) {
  auto known = nodes.describe(id);
  graph_description::node result{std::move(known.name)};
  if (nodes.distributed())
    result.process = nodes.processes()[nodes.home(id)];
  for (auto& x : known.inputs)
    result.inputs.push_back({std::move(x.name), std::move(x.type), x.physical});
  for (auto& x : known.outputs)
    result.outputs.push_back({std::move(x.name), std::move(x.type)});
  for (auto& x : known.reactions)
    result.reactions.push_back(
      {std::move(x.name), std::move(x.triggers), x.eager, x.trigger, x.startup,
       std::move(x.actions)});
  for (auto& x : known.actions)
    result.actions.push_back({std::move(x.name), std::move(x.type)});
  return result;
}

/// Adds the groups by process, because each process computes its own.
void add_groups(graph_description& to, const node_directory& nodes,
                const engine::topology& graph, const grouping& how) {
  std::uint32_t count = 0;
  auto of_process = [&](const std::vector<engine::node_id>& members) {
    for (auto& group : first_executors(how, graph, members)) {
      if (group.members.size() > 1 && !group.moves)
        for (auto id : group.members)
          to.nodes[id].group = count;
      ++count;
    }
  };
  if (!nodes.distributed())
    of_process(nodes.local());
  for (engine::process_id i = 0; i < nodes.processes().size(); ++i)
    of_process(nodes.nodes_of(i));
}

} // namespace

graph_description describe_graph(
  const node_directory& nodes, const engine::topology& graph,
  const grouping& groups) {
  graph_description result;
  for (engine::node_id i = 0; i < nodes.size(); ++i)
    result.nodes.push_back(node_of(nodes, i));
  for (auto& x : graph.connections())
    result.connections.push_back(
      {x.source, x.output, x.target, x.input, x.distance, x.physical,
       !x.physical && graph.in_same_loop(x.source, x.target), x.keep_latest});
  add_groups(result, nodes, graph, groups);
  return result;
}

} // namespace caf::rosia::detail
