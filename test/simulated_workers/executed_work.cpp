// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "simulated_workers/executed_work.hpp"

#include "rosia_trace/event.hpp"
#include "rosia_trace/schedule.hpp"
#include "rosia_trace/workload.hpp"

#include <string>
#include <string_view>

namespace simulated_workers {

namespace {

using rosia_trace::event;
using rosia_trace::event_kind;
using rosia_trace::member;
using rosia_trace::workload;

std::string name_of(std::size_t node) {
  return 'n' + std::to_string(node);
}

std::string output_of(std::size_t output) {
  return "out" + std::to_string(output);
}

void add_port(std::string_view name, auto& to) {
  auto& added = to.emplace_back();
  added.name = name;
  added.type = "token";
}

void add_node(const bench::graph_plan& graph, std::size_t id, workload& to) {
  auto name = name_of(id);
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < graph.nodes[id].outputs.size(); ++i)
    outputs.push_back(output_of(i));
  event x;
  x.kind = event_kind::node;
  x.present = {member::node, member::inputs, member::outputs};
  x.node = name;
  add_port("in", x.inputs);
  for (auto& output : outputs)
    add_port(output, x.outputs);
  to.add(x);
}

void add_connections(const bench::graph_plan& graph, std::size_t id,
                     workload& to) {
  for (std::size_t i = 0; i < graph.nodes[id].outputs.size(); ++i)
    for (auto& connection : graph.nodes[id].outputs[i]) {
      auto from = name_of(id) + '.' + output_of(i);
      auto target = name_of(connection.target) + ".in";
      event x;
      x.kind = event_kind::connection;
      x.present = {member::from, member::to, member::delay};
      x.from = from;
      x.to = target;
      x.delay.ns = connection.delay;
      to.add(x);
    }
}

/// @param groups by node.
void add_execution(const execution& x, const std::vector<std::uint32_t>& groups,
                   workload& to) {
  auto name = name_of(x.node);
  auto group = name_of(groups[x.node]);
  event line;
  line.present = {member::node, member::tag, member::group};
  line.node = name;
  line.group = group;
  line.tag = {x.tag.ns, x.tag.microstep};
  line.began = 0;
  line.ended = x.work;
  for (auto kind : {event_kind::group, event_kind::execute, event_kind::ran}) {
    line.kind = kind;
    to.add(line);
  }
}

/// Returns the group of each node in the middle of the run, when groups have
/// formed.
std::vector<std::uint32_t> settled_groups(
  const bench::graph_plan& graph, const std::vector<execution>& all) {
  std::vector<std::uint32_t> result(graph.nodes.size());
  for (std::uint32_t i = 0; i < result.size(); ++i)
    result[i] = i;
  for (auto i = all.rbegin(); i != all.rend() - all.size() / 2; ++i)
    result[i->node] = i->group;
  return result;
}

} // namespace

ideal_durations schedule_ideally(
  const bench::graph_plan& graph, const std::vector<execution>& all,
  std::size_t workers) {
  workload work;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    add_node(graph, i, work);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    add_connections(graph, i, work);
  auto groups = settled_groups(graph, all);
  for (auto& x : all)
    add_execution(x, groups, work);
  work.finish();
  auto duration = [&](const rosia_trace::schedule_options& x) {
    return make_schedule(work, x).duration;
  };
  return {duration({}), duration({.workers = workers}),
          duration({.workers = workers, .keep_groups = true})};
}

} // namespace simulated_workers
