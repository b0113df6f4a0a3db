// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/replay.hpp"

#include "caf/rosia/graph_error.hpp"
#include "caf/rosia/options.hpp"
#include "caf/rosia/reaction.hpp"
#include "nodes/node_access.hpp"
#include "nodes/saved_data.hpp"
#include "runtime/recorder.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

namespace caf::rosia::detail {

namespace {

using engine::envelope_kind;
using engine::stamped_value;

[[noreturn]] void refuse(const run_file::event_record& x) {
  throw std::runtime_error(
    "rosia.replay: node '" + x.node + "' has no " + x.source + " '" + x.name
    + "', for which a value was recorded");
}

stamped_value to_trigger(const run_file::event_record& x, node& to) {
  auto& reactions = node_access::reactions(to);
  auto i = std::find_if(reactions.begin(), reactions.end(), [&](auto* y) {
    return y->is_trigger() && y->name() == x.name;
  });
  if (i == reactions.end())
    refuse(x);
  auto& type = static_cast<trigger_base*>(*i)->payload();
  return {x.tag, envelope_kind::trigger, (*i)->index(),
          from_bytes("the recorded value of trigger '" + x.node + '.' + x.name
                       + "' at tag " + to_string(x.tag),
                     x.bytes, type)};
}

engine::value to_input(const run_file::event_record& x, node& to,
                       std::uint32_t input) {
  auto& port = *node_access::inputs(to)[input];
  return from_bytes(
    "the recorded value for input '" + x.node + '.' + port.name() + "' at tag "
      + to_string(x.tag),
    x.bytes, port.payload());
}

stamped_value injected(const run_file::event_record& x, node& to) {
  for (auto* port : node_access::inputs(to))
    if (port->name() == x.name)
      return {x.tag, envelope_kind::injected, port->index(),
              to_input(x, to, port->index())};
  refuse(x);
}

stamped_value over_connection(
  const run_file::event_record& x, node& to, engine::node_id id,
  const node_directory& nodes, const engine::topology& graph) {
  auto incoming = graph.incoming(id);
  for (std::uint32_t i = 0; i < incoming.size(); ++i) {
    auto& connection = graph.connections()[incoming[i]];
    if (connection.physical && connection_name(nodes, connection) == x.name)
      return {
        x.tag, envelope_kind::physical, i, to_input(x, to, connection.input)};
  }
  refuse(x);
}

} // namespace

replay::replay(const run_file::recorded_run& run, const node_directory& nodes,
               const engine::topology& graph)
  : events_(nodes.size()), final_(run.final), status_(run.status) {
  if (auto difference
      = first_difference(run.graph, describe_graph({}, nodes, graph)))
    throw graph_error(
      "rosia.replay: the graph is not the recorded one: " + *difference);
  std::map<std::string_view, engine::node_id> local;
  for (auto id : nodes.local())
    local[nodes.name(id)] = id;
  for (auto& [name, last] : run.done)
    if (auto found = local.find(name); found != local.end())
      done_[found->second] = last;
  for (auto& x : run.events) {
    auto found = local.find(x.node);
    if (found == local.end())
      continue;
    auto id = found->second;
    auto& to = *nodes.find(id);
    events_[id].push_back(
      x.source == "trigger" ? to_trigger(x, to)
      : x.source == "injected"
        ? injected(x, to)
        : over_connection(x, to, id, nodes, graph));
  }
}

logical_time replay::stop(engine::node_id node, logical_time stop) const {
  auto done = done_.find(node);
  // The user may have it end before.
  return done == done_.end() || stop < final_ ? stop : done->second;
}

} // namespace caf::rosia::detail
