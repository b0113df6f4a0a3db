// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/agreed_graph.hpp"

#include "application/port_lookup.hpp"
#include "base/duration.hpp"
#include "base/suggestion.hpp"
#include "base/text.hpp"
#include "config/process_options.hpp"
#include "distributed/placement.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// Checks that the values of a connection can travel, and completes it.
void complete(engine::connection_spec& connection, const node_directory& nodes,
              const graph_description::node& source,
              const graph_description::node& target) {
  auto& from = source.outputs[connection.output];
  auto& to = target.inputs[connection.input];
  if (nodes.home(connection.source) != nodes.home(connection.target)
      && !(from.can_travel && to.can_travel))
    throw graph_error(
      "output '" + nodes.path(connection.source, true, connection.output)
      + "' leads to input '"
      + nodes.path(connection.target, false, connection.input)
      + "' in another process, but a value of type " + from.type
      + " cannot travel: give it an inspect() function for CAF and a "
        "default constructor, or place both nodes in one process");
  describe_target(target, connection);
}

/// Adds pairs of nodes that are probably connected, for the placement. The
/// ports of nodes in other processes are not known yet.
void add_pairs(const std::vector<graph_builder::end>& outputs,
               const std::vector<graph_builder::end>& inputs,
               std::vector<engine::connection_spec>& to) {
  if (outputs.empty() || inputs.empty())
    return;
  auto count = std::max(outputs.size(), inputs.size());
  for (std::size_t i = 0; i < count; ++i) {
    auto& added = to.emplace_back();
    added.source = outputs[i * outputs.size() / count].node;
    added.target = inputs[i * inputs.size() / count].node;
  }
}

/// Reads the agreed ports, end by end.
class end_reader {
public:
  end_reader(const std::vector<end_port>& ports,
             const std::vector<graph_description::node>& nodes) noexcept
    : next_(ports.begin()), last_(ports.end()), nodes_(&nodes) {
    // nop
  }

  /// Returns the ports at the next ends.
  port_bundle read(const std::vector<graph_builder::end>& ends, bool output) {
    port_bundle result;
    for (auto& end : ends) {
      auto& group = result.groups.emplace_back();
      group.node = end.node;
      group.block = end.block;
      ++number_;
      if (composites::is_relay(end.node)) {
        group.ports.push_back(0);
        continue;
      }
      auto& node = (*nodes_)[end.node];
      auto size = output ? node.outputs.size() : node.inputs.size();
      for (; next_ != last_ && next_->first + 1 == number_; ++next_) {
        if (next_->second >= size)
          throw graph_error(
            "a connection of node '" + node.name + "' has an unknown port");
        group.ports.push_back(next_->second);
      }
    }
    return result;
  }

private:
  std::vector<end_port>::const_iterator next_;
  std::vector<end_port>::const_iterator last_;
  const std::vector<graph_description::node>* nodes_;
  std::uint32_t number_ = 0;
};

/// The names of nodes of all processes.
struct names_in final : port_names {
  names_in(const node_directory& x, const composites& y) noexcept
    : port_names(y), nodes(&x) {
    // nop
  }

  const std::string& name_of_node(engine::node_id id) const override {
    return nodes->name(id);
  }

  std::string name_of_port(engine::node_id id, bool output,
                           std::uint32_t index) const override {
    return nodes->port_name(id, output, index);
  }

  const node_directory* nodes;
};

/// The names of nodes whose ports are not known yet.
struct names_of_declared final : port_names {
  explicit names_of_declared(const graph_builder& x) noexcept
    : port_names(x.composites()), declared(&x) {
    // nop
  }

  const std::string& name_of_node(engine::node_id id) const override {
    return declared->name_of(id);
  }

  std::string name_of_port(engine::node_id, bool,
                           std::uint32_t) const override {
    return "?";
  }

  const graph_builder* declared;
};

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
          return matches_node(rule.nodes, name);
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
    ends_.push_back(declared.ends_of(connection));
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
  std::vector<engine::connection_spec> segments;
  for (auto& x : ends_)
    add_pairs(x.outputs, x.inputs, segments);
  std::vector<node_pair> pairs;
  auto joined = declared_.composites().join_segments(
    std::move(segments), names_of_declared{declared_});
  for (auto& x : joined.connections)
    pairs.push_back({x.source, x.target});
  place(homes_, pairs, 1, static_cast<engine::process_id>(processes_.size()));
  // `place` may have separated a node from its companion.
  for (engine::node_id i = 0; i < declared_.size(); ++i)
    if (auto& companion = declared_.declared()[i].companion)
      homes_[i] = homes_[*companion];
}

// -- properties ---------------------------------------------------------------

std::vector<engine::process_id> agreed_graph::neighbours(
  const std::vector<engine::connection_spec>& connections) const {
  std::vector<engine::process_id> result;
  for (auto& x : connections) {
    auto source = homes_[x.source];
    auto target = homes_[x.target];
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
  result.ports = list_ports(false);
  result.placement = placement_;
  result.graph = describe();
  return result;
}

join_reply agreed_graph::agree_alone() {
  join_reply result;
  for (engine::node_id i = 0; i < declared_.size(); ++i)
    declared_.instance(i);
  result.ports = list_ports(true);
  return result;
}

std::vector<std::string> agreed_graph::describe() const {
  std::vector<std::string> result;
  for (engine::node_id i = 0; i < declared_.size(); ++i)
    result.push_back(
      "node '" + declared_.name_of(i) + "' ("
      + declared_.declared()[i].type_name + ") in process '"
      + processes_[homes_[i]] + "'");
  auto nodes = [this](const std::vector<graph_builder::end>& ends) {
    std::vector<std::string> names;
    auto interleaved = false;
    for (auto& end : ends) {
      names.push_back(declared_.name_at(end.node));
      interleaved = interleaved || end.block != 0;
    }
    return quoted_list(names) + (interleaved ? " (interleaved)" : "");
  };
  for (auto& x : declared_.connections()) {
    auto line
      = x.names
          ? "connection '" + x.names->from + "' to '" + x.names->to + "'"
          : "connection " + nodes(x.members->outputs) + " to "
              + nodes(x.members->inputs) + " of type " + x.members->type
              + (x.members->repeated ? ", broadcast" : "");
    if (auto n = x.spec.keep_latest; n > 0)
      line += ", keeps the latest " + std::to_string(n);
    else if (x.spec.physical)
      line += ", physical";
    else if (!x.spec.distance.is_zero())
      line += ", delay " + to_string(x.spec.distance);
    if (x.spec.has_max_wait())
      line += ", maximal wait "
              + time_text(std::chrono::nanoseconds{x.spec.max_wait});
    result.push_back(std::move(line));
  }
  for (auto& x : declared_.settings())
    result.push_back("rosia.set = '" + x + "'");
  return result;
}

std::vector<end_port> agreed_graph::list_ports(bool all) const {
  std::vector<end_port> result;
  std::uint32_t number = 0;
  auto add = [&](const std::vector<graph_builder::end>& ends, bool output) {
    for (auto& end : ends) {
      if (!composites::is_relay(end.node) && (all || homes_[end.node] == self_))
        for (auto port : declared_.ports_at(end, output))
          result.emplace_back(number, port);
      ++number;
    }
  };
  for (auto& x : ends_) {
    add(x.outputs, true);
    add(x.inputs, false);
  }
  return result;
}

node_directory agreed_graph::make_directory(const join_reply& agreed) const {
  auto others = agreed.nodes;
  others.resize(declared_.size());
  return {declared_.instances(), std::move(others), homes_, processes_, self_};
}

void agreed_graph::refuse_divided_loops(
  const engine::topology& graph, const node_directory& nodes) const {
  for (auto& loop : graph.inseparable_loops()) {
    std::string crossing;
    for (auto& x : graph.connections())
      if (x.in_loop && graph.loop_of(x.source) == graph.loop_of(loop.front())
          && homes_[x.source] != homes_[x.target])
        crossing
          += (crossing.empty() ? "'" : ", '")
             + nodes.path(x.source, true, x.output) + "' to '"
             + nodes.path(x.target, false, x.input) + '\'';
    if (crossing.empty())
      continue;
    std::vector<std::string> instant;
    for (auto id : loop)
      if (graph.in_instant_loop(id))
        instant.push_back(declared_.name_of(id));
    throw graph_error(
      "connections lead to other processes, but are part of a loop that "
      "contains the loop of nodes without delay "
      + quoted_list(instant) + ": " + crossing
      + "; run all nodes of the loop in one process, or give one of the "
        "connections without delay a delay (rosia::after(...))");
  }
}

engine::topology agreed_graph::make_graph(
  const node_directory& nodes, const join_reply& agreed) const {
  std::vector<graph_description::node> known;
  std::vector<bool> external;
  std::vector<bool> at_shutdown;
  for (engine::node_id i = 0; i < nodes.size(); ++i) {
    known.push_back(nodes.describe(i));
    external.push_back(is_external(known.back()));
    at_shutdown.push_back(std::ranges::any_of(
      known.back().reactions, engine::is_at_shutdown,
      &graph_description::reaction::triggers));
  }
  auto& relays = std::as_const(declared_).composites();
  names_in names{nodes, relays};
  auto type_at = [&](engine::node_id id, bool output, std::uint32_t index) {
    if (composites::is_relay(id))
      return relays.relay_of(id).type;
    return (output ? known[id].outputs : known[id].inputs)[index].type;
  };
  end_reader reader{agreed.ports, known};
  std::vector<engine::connection_spec> segments;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    auto outputs = reader.read(ends_[i].outputs, true);
    outputs.repeated = ends_[i].repeated;
    auto inputs = reader.read(ends_[i].inputs, false);
    for (auto& [from, to] : pair_ports(outputs, inputs, names)) {
      auto& x = segments.emplace_back(declared_.connections()[i].spec);
      std::tie(x.source, x.output) = from;
      std::tie(x.target, x.input) = to;
      require_same_type(x, names, type_at);
    }
  }
  if (self_ == 0)
    declared_.warn_of_dangling(segments);
  auto joined = relays.join_segments(std::move(segments), names);
  for (auto& x : joined.connections)
    complete(x, nodes, known[x.source], known[x.target]);
  engine::topology result{
    std::move(external), std::move(joined.connections),
    [&nodes](auto id, auto output, auto index) {
      return nodes.path(id, output, index);
    },
    [&known](auto id) { return known[id]; },
    [&](auto i) { return relays.path_of(joined, i); }};
  refuse_divided_loops(result, nodes);
  result.find_last_tag(at_shutdown);
  return result;
}

} // namespace caf::rosia::detail
