// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/agreed_graph.hpp"

#include "application/port_lookup.hpp"
#include "base/suggestion.hpp"
#include "config/process_options.hpp"
#include "distributed/placement.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// Checks a connection whose ports are known, and completes it.
void complete(engine::connection_spec& connection, const node_directory& nodes,
              const graph_description::node& source,
              const graph_description::node& target) {
  auto& from = source.outputs[connection.output];
  auto& to = target.inputs[connection.input];
  auto from_path = nodes.path(connection.source, true, connection.output);
  auto to_path = nodes.path(connection.target, false, connection.input);
  require_same_type(from_path, from.type, to_path, to.type);
  if (nodes.home(connection.source) != nodes.home(connection.target)
      && !(from.can_travel && to.can_travel))
    throw graph_error(
      "output '" + from_path + "' leads to input '" + to_path
      + "' in another process, but a value of type " + from.type
      + " cannot travel: give it an inspect() function for CAF and a "
        "default constructor, or place both nodes in one process");
  describe_target(target, connection);
}

} // namespace

std::vector<std::string> check_placement(
  const graph_builder& declared, const std::string& placement) {
  std::vector<std::string> result;
  auto rules = parse_placement(placement);
  if (!rules)
    return result;
  std::vector<std::string> names;
  for (auto& node : declared.declared())
    names.push_back(node.name);
  for (auto& rule : *rules) {
    if (std::any_of(names.begin(), names.end(), [&](auto& name) {
          return matches(rule.nodes, name);
        }))
      continue;
    auto problem = "rosia.placement: there is no node '" + rule.nodes
                   + "', which is to run in process '" + rule.process + "'";
    if (rule.nodes.find_first_of("*?") != std::string::npos) {
      result.push_back(std::move(problem));
      continue;
    }
    throw graph_error(problem + suggestion(rule.nodes, names));
  }
  return result;
}

// -- constructors, destructors ------------------------------------------------

agreed_graph::agreed_graph(
  graph_builder& declared, std::vector<std::string> processes,
  engine::process_id self, std::string placement)
  : declared_(declared), processes_(std::move(processes)), self_(self),
    placement_(std::move(placement)) {
  for (auto& connection : declared.connections())
    outlines_.push_back(declared.outline(connection));
  place_nodes();
}

agreed_graph::~agreed_graph() {
  // nop
}

void agreed_graph::place_nodes() {
  auto process_named = [&](const std::string& placed, const std::string& name) {
    auto at = std::find(processes_.begin(), processes_.end(), name);
    if (at == processes_.end())
      throw graph_error(
        placed + "' is placed in process '" + name + "', which does not exist"
        + suggestion(name, processes_));
    return static_cast<engine::process_id>(at - processes_.begin());
  };
  for (engine::node_id i = 0; i < declared_.size(); ++i) {
    auto process = declared_.process_of(i, placement_);
    homes_.push_back(
      process.empty()
        ? unplaced
        : process_named("node '" + declared_.name_of(i), process));
  }
  // The rules that the program's own placement overrides are checked as well.
  for (auto& rule :
       parse_placement(placement_).value_or(std::vector<placement_rule>{}))
    process_named("rosia.placement: '" + rule.nodes, rule.process);
  std::vector<node_pair> pairs;
  for (auto& outline : outlines_)
    pairs.push_back({outline.source, outline.target});
  place(homes_, pairs, 1, static_cast<engine::process_id>(processes_.size()));
  // `place` may have separated a node from its companion.
  for (engine::node_id i = 0; i < declared_.size(); ++i)
    if (auto& companion = declared_.declared()[i].companion)
      homes_[i] = homes_[*companion];
}

// -- properties ---------------------------------------------------------------

std::vector<engine::process_id> agreed_graph::neighbours() const {
  std::vector<engine::process_id> result;
  for (auto& outline : outlines_) {
    auto source = homes_[outline.source];
    auto target = homes_[outline.target];
    if (source == self_ && target != self_)
      result.push_back(target);
    else if (target == self_ && source != self_)
      result.push_back(source);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// -- agreement ----------------------------------------------------------------

join_request agreed_graph::request() {
  join_request result;
  for (engine::node_id i = 0; i < declared_.size(); ++i)
    if (homes_[i] == self_)
      result.nodes.emplace_back(i, detail::describe(declared_.instance(i)));
  for (std::uint32_t i = 0; i < outlines_.size(); ++i) {
    if (homes_[outlines_[i].source] == self_)
      result.outputs.emplace_back(i, output_of(i));
    if (homes_[outlines_[i].target] == self_)
      result.inputs.emplace_back(i, input_of(i));
  }
  result.placement = placement_;
  result.graph = describe();
  return result;
}

join_reply agreed_graph::agree_alone() {
  join_reply result;
  for (engine::node_id i = 0; i < declared_.size(); ++i)
    declared_.instance(i);
  for (std::size_t i = 0; i < outlines_.size(); ++i)
    result.ports.emplace_back(output_of(i), input_of(i));
  return result;
}

std::vector<std::string> agreed_graph::describe() const {
  std::vector<std::string> result;
  for (engine::node_id i = 0; i < declared_.size(); ++i)
    result.push_back(
      "node '" + declared_.name_of(i) + "' ("
      + declared_.declared()[i].type_name + ") in process '"
      + processes_[homes_[i]] + "'");
  for (std::size_t i = 0; i < outlines_.size(); ++i) {
    auto& x = declared_.connections()[i];
    auto line
      = x.names
          ? "connection '" + x.names->from + "' to '" + x.names->to + "'"
          : "connection '" + declared_.name_of(x.spec.source) + "' to '"
              + declared_.name_of(x.spec.target) + "' of type "
              + x.members->type;
    if (auto n = outlines_[i].keep_latest; n > 0)
      line += ", keeps the latest " + std::to_string(n);
    else if (outlines_[i].physical)
      line += ", physical";
    else if (!outlines_[i].distance.is_zero())
      line += ", delay " + to_string(outlines_[i].distance);
    result.push_back(std::move(line));
  }
  return result;
}

std::uint32_t agreed_graph::output_of(std::size_t connection) const {
  auto& x = declared_.connections()[connection];
  auto source = outlines_[connection].source;
  return x.names ? find_output(*declared_.find(source), x.names->from)
                 : find_member(source, x.members->output);
}

std::uint32_t agreed_graph::input_of(std::size_t connection) const {
  auto& x = declared_.connections()[connection];
  auto target = outlines_[connection].target;
  return x.names ? find_input(*declared_.find(target), x.names->to)
                 : find_member(target, x.members->input);
}

std::uint32_t agreed_graph::find_member(
  engine::node_id id, const member_port& port) const {
  auto& node = declared_.declared()[id];
  return find_port_of(node.name, port, node.factory->object());
}

node_directory agreed_graph::make_directory(const join_reply& agreed) const {
  auto others = agreed.nodes;
  others.resize(declared_.size());
  return {declared_.instances(), std::move(others), homes_, processes_, self_};
}

engine::topology agreed_graph::make_graph(
  const node_directory& nodes, const join_reply& agreed) const {
  std::vector<graph_description::node> known;
  std::vector<bool> external;
  for (engine::node_id i = 0; i < nodes.size(); ++i) {
    known.push_back(nodes.describe(i));
    external.push_back(is_external(known.back()));
  }
  auto connections = outlines_;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    auto& x = connections[i];
    auto& source = known[x.source];
    auto& target = known[x.target];
    if (i < agreed.ports.size())
      std::tie(x.output, x.input) = agreed.ports[i];
    if (i >= agreed.ports.size() || x.output >= source.outputs.size()
        || x.input >= target.inputs.size())
      throw graph_error(
        "the connection from node '" + nodes.name(x.source) + "' to node '"
        + nodes.name(x.target) + "' has unknown ports");
    complete(x, nodes, source, target);
  }
  return engine::topology{
    std::move(external), std::move(connections),
    [&nodes](auto id, auto output, auto index) {
      return nodes.path(id, output, index);
    },
    [&known](auto id, auto input) {
      std::vector<std::string> result;
      for (auto& x : known[id].reactions)
        if (is_triggered(x, input))
          result.push_back(known[id].name + '.' + x.name);
      return result;
    }};
}

} // namespace caf::rosia::detail
