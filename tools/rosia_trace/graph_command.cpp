// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/diagram.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/graph.hpp"
#include "rosia_trace/trace_file.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace rosia_trace {

namespace {

using caf::rosia::graph_description;
using reaction_kind = graph_description::reaction_kind;
using trigger_kind = graph_description::trigger_kind;

graph_description::spacing spacing_of(const declaration& x) {
  graph_description::spacing result{x.spacing};
  using enum caf::rosia::spacing_policy;
  for (auto policy : {defer, drop, replace, update})
    if (to_string(policy) == x.policy)
      result.policy = policy;
  return result;
}

/// Collects the graph from a trace, line by line.
class drawn_graph {
public:
  void add(const event& x) {
    switch (x.kind) {
      case event_kind::node:
        declared_.add_node(x, rules_);
        add_node(x);
        break;
      case event_kind::connection:
        declared_.add_connection(x, rules_);
        break;
      case event_kind::group:
        set_group(x);
        break;
      default:
        break;
    }
  }

  graph_description finish() && {
    declared_.seal(rules_);
    for (const auto& x : declared_.connections())
      add_connection(x);
    return std::move(result_);
  }

private:
  /// Returns the index of an action among those of its node.
  std::uint32_t action_of(index node, std::string_view name) const {
    return declared_.find_action(node, name)
           - declared_.nodes()[node].first_action;
  }

  std::uint32_t mode_of(index node, std::string_view name) const {
    return name.empty() ? graph_description::no_mode : action_of(node, name);
  }

  void add_node(const event& x) {
    auto id = static_cast<index>(result_.nodes.size());
    auto& node = result_.nodes.emplace_back();
    node.name = x.node;
    if (x.has(member::process))
      node.process = x.process;
    for (const auto& port : x.inputs) {
      auto& added = node.inputs.emplace_back();
      added.name = port.name;
      added.type = port.type;
      added.physical = port.physical;
      added.after = port.after;
      added.spacing = spacing_of(port);
    }
    for (const auto& port : x.outputs)
      node.outputs.push_back({std::string{port.name}, std::string{port.type}});
    for (const auto& action : x.actions)
      node.actions.push_back(
        {std::string{action.name}, std::string{action.type}, action.ticks,
         action.offset, action.period, spacing_of(action), action.timeout,
         action.is_mode, mode_of(id, action.mode)});
    for (const auto& reaction : x.reactions) {
      auto& added = node.reactions.emplace_back();
      added.name = reaction.name;
      added.deadline = reaction.deadline;
      added.deadline_state = reaction.deadline_state;
      added.mode = mode_of(id, reaction.mode);
      auto input = [&](std::string_view name) {
        return declared_.find_input(id, name)
               - declared_.nodes()[id].first_input;
      };
      auto output = [&](std::string_view name) {
        return declared_.find_output(id, name)
               - declared_.nodes()[id].first_output;
      };
      for (auto name : x.names_of(reaction.triggers))
        added.triggers.push_back({trigger_kind::input, input(name)});
      for (auto name : x.names_of(reaction.actions))
        added.triggers.push_back({trigger_kind::action, action_of(id, name)});
      added.declares = reaction.declares;
      auto indices = [&](name_range names, auto& index_of, auto& to) {
        std::ranges::transform(
          x.names_of(names), std::back_inserter(to), index_of);
      };
      indices(reaction.reads, input, added.reads);
      indices(reaction.writes, output, added.writes);
      indices(reaction.writes_later, output, added.writes_later);
      if (reaction.at_shutdown)
        added.triggers.push_back({trigger_kind::at_shutdown, 0});
      added.kind
        = reaction.is_startup ? reaction_kind::startup
          : reaction.eager
            ? reaction_kind::eager
            : reaction_kind::plain;
    }
  }

  void add_connection(const declared_connection& x) {
    const auto& sender = declared_.nodes()[x.sender];
    const auto& receiver = declared_.nodes()[x.receiver];
    result_.connections.push_back(
      {.source = x.sender,
       .output = x.from - sender.first_output,
       .target = x.receiver,
       .input = x.to - receiver.first_input,
       .distance = caf::rosia::delay::from_parts(
         x.delay.ns, static_cast<std::uint32_t>(x.delay.microsteps)),
       .physical = x.physical,
       .in_loop = !x.physical && sender.loop == receiver.loop,
       .max_wait = x.wait});
  }

  /// Only the last group counts.
  void set_group(const event& x) {
    auto& group = result_.nodes[declared_.find_node(x.node)].group;
    group.reset();
    if (x.has(member::group))
      group = declared_.find_node(x.group);
  }

  graph declared_;
  judge rules_;
  graph_description result_;
};

/// Reads a trace. A truncated trace is used as far as it goes.
graph_description read_graph(const std::string& file) {
  drawn_graph graph;
  graph_description result;
  read_events(
    file, [&](const event& x) { graph.add(x); },
    [&] { result = std::move(graph).finish(); });
  return result;
}

} // namespace

int graph_command(const conversion_options& options, std::ostream& out) {
  auto drawn = read_graph(options.file);
  if (options.output.empty())
    out << caf::rosia::to_dot(drawn);
  else
    caf::rosia::write_diagram(options.output, drawn);
  return exit_good;
}

} // namespace rosia_trace
