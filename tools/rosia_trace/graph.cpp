// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/graph.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>

namespace rosia_trace {

namespace {

std::uint64_t ends_key(index from, index to) {
  return std::uint64_t{from} << 32 | to;
}

index to_index(std::size_t x) {
  return static_cast<index>(x);
}

declared_spacing to_spacing(const declaration& x, judge& rules) {
  declared_spacing result{
    x.spacing, x.policy == "replace" || x.policy == "update"};
  if (!x.policy.empty())
    rules.require(
      rule::graph,
      x.spacing >= 0
        && (result.withdraws || x.policy == "defer" || x.policy == "drop"),
      [&] {
        return "an action has the spacing " + std::to_string(x.spacing)
               + " with the policy " + quoted(x.policy);
      });
  return result;
}

template <class Map, class Key>
index find_declared(const Map& map, const Key& key, const char* kind,
                    std::string_view name) {
  if (auto i = map.find(key); i != map.end())
    return i->second;
  throw broken_rule{
    rule::format,
    "no " + std::string{kind} + ' ' + quoted(name) + " is declared"};
}

/// Repeatedly removes a vertex without entering edges. `entering` is afterwards
/// positive for vertices on cycles, or behind one.
/// @param entering the number of edges to each vertex.
/// @param each_edge called with a vertex, calls its second parameter with the
/// end of each edge that leaves the vertex.
template <class Fun>
void remove_free(std::vector<index>& entering, Fun&& each_edge) {
  std::vector<index> free;
  for (index i = 0; i < entering.size(); ++i)
    if (entering[i] == 0)
      free.push_back(i);
  while (!free.empty()) {
    auto leaving = free.back();
    free.pop_back();
    each_edge(leaving, [&](index to) {
      if (--entering[to] == 0)
        free.push_back(to);
    });
  }
}

} // namespace

std::size_t graph::local_hash::operator()(const local_name& x) const noexcept {
  return std::hash<std::string_view>{}(x.name) ^ x.node * 0x9e3779b97f4a7c15ull;
}

// -- building -----------------------------------------------------------------

std::string_view graph::keep(std::string_view text) {
  return texts_.emplace_back(text);
}

void graph::add_node(const event& x, judge& rules) {
  rules.require(rule::graph, !names_.nodes.contains(x.node), [&] {
    return "a second node is called " + quoted(x.node);
  });
  auto& added = nodes_.emplace_back();
  added.name = keep(x.node);
  names_.nodes.emplace(added.name, to_index(nodes_.size() - 1));
  add_inputs(x, rules);
  add_outputs(x, rules);
  add_actions(x, rules);
  add_reactions(x, rules);
}

void graph::add_inputs(const event& x, judge& rules) {
  auto owner = to_index(nodes_.size() - 1);
  nodes_[owner].first_input = to_index(inputs_.size());
  for (const auto& declared : x.inputs) {
    auto id = to_index(inputs_.size());
    auto& added = inputs_.emplace_back();
    added.name = keep(declared.name);
    added.type = keep(declared.type);
    added.node = owner;
    added.physical = declared.physical;
    added.spacing = to_spacing(declared, rules);
    nodes_[owner].external |= declared.physical;
    add_port({owner, added.name}, id, "inputs", names_.inputs,
             names_.input_ends, rules);
  }
  nodes_[owner].last_input = to_index(inputs_.size());
}

void graph::add_outputs(const event& x, judge& rules) {
  auto owner = to_index(nodes_.size() - 1);
  nodes_[owner].first_output = to_index(outputs_.size());
  for (const auto& declared : x.outputs) {
    auto id = to_index(outputs_.size());
    auto& added = outputs_.emplace_back();
    added.name = keep(declared.name);
    added.type = keep(declared.type);
    added.node = owner;
    add_port({owner, added.name}, id, "outputs", names_.outputs,
             names_.output_ends, rules);
  }
  nodes_[owner].last_output = to_index(outputs_.size());
}

void graph::add_local(local_name name, index id, const char* kind,
                      local_names& known, judge& rules) {
  rules.require(rule::graph, known.emplace(name, id).second, [&] {
    return "the node " + node_name(name.node) + " has two " + kind + " called "
           + quoted(name.name);
  });
}

void graph::add_port(local_name name, index id, const char* kind,
                     local_names& local, global_names& ends, judge& rules) {
  add_local(name, id, kind, local, rules);
  auto end
    = keep(std::string{nodes_[name.node].name} + '.' + std::string{name.name});
  rules.require(rule::graph, ends.emplace(end, id).second, [&] {
    return std::string{"two "} + kind + " of the graph are called "
           + quoted(end);
  });
}

void graph::add_actions(const event& x, judge& rules) {
  auto owner = to_index(nodes_.size() - 1);
  nodes_[owner].first_action = to_index(actions_.size());
  for (const auto& declared : x.actions) {
    auto id = to_index(actions_.size());
    auto& added = actions_.emplace_back();
    added.name = keep(declared.name);
    added.node = owner;
    added.ticks = declared.ticks;
    added.offset = declared.offset;
    added.period = declared.period;
    added.spacing = to_spacing(declared, rules);
    added.timeout = declared.timeout;
    added.is_mode = declared.is_mode;
    rules.require(
      rule::graph, declared.offset >= 0 && declared.period >= 0, [&] {
        return "the tick " + quoted(declared.name) + " of node "
               + quoted(x.node) + " has a negative offset or period";
      });
    add_local({owner, added.name}, id, "actions", names_.actions, rules);
  }
  nodes_[owner].last_action = to_index(actions_.size());
  for (std::size_t i = 0; i < x.actions.size(); ++i)
    actions_[nodes_[owner].first_action + i].mode
      = find_mode(owner, x.actions[i].mode, rules);
}

std::optional<index> graph::find_mode(
  index node, std::string_view name, judge& rules) const {
  if (name.empty())
    return std::nullopt;
  auto result = find_action(node, name);
  rules.require(rule::graph, actions_[result].is_mode, [&] {
    return "the node " + node_name(node) + " has members of the mode "
           + quoted(name) + ", which is an action";
  });
  return result;
}

void graph::add_reactions(const event& x, judge& rules) {
  auto owner = to_index(nodes_.size() - 1);
  nodes_[owner].first_reaction = to_index(reactions_.size());
  for (const auto& declared : x.reactions) {
    auto id = to_index(reactions_.size());
    auto& added = reactions_.emplace_back();
    added.name = keep(declared.name);
    added.node = owner;
    added.is_startup = declared.is_startup;
    added.at_shutdown = declared.at_shutdown;
    added.deadline = declared.deadline;
    added.mode = find_mode(owner, declared.mode, rules);
    added.has_deadline
      = declared.deadline >= 0 || !declared.deadline_state.empty();
    add_local({owner, added.name}, id, "reactions", names_.reactions, rules);
    for (auto name : x.names_of(declared.triggers)) {
      auto& triggered = inputs_[find_input(owner, name)].reactions;
      // A port may be named twice, but triggers its reaction once.
      if (triggered.empty() || triggered.back() != id)
        triggered.push_back(id);
    }
    for (auto name : x.names_of(declared.actions))
      actions_[find_action(owner, name)].reactions.push_back(id);
    added.declares = declared.declares;
    for (auto name : x.names_of(declared.reads))
      added.reads.push_back(find_input(owner, name));
    for (auto name : x.names_of(declared.writes))
      added.writes.push_back(find_output(owner, name));
    for (auto name : x.names_of(declared.writes_later))
      added.writes_later.push_back(find_output(owner, name));
  }
  nodes_[owner].last_reaction = to_index(reactions_.size());
}

void graph::add_connection(const event& x, judge& rules) {
  declared_connection added;
  added.from = find_declared(names_.output_ends, x.from, "output", x.from);
  added.to = find_declared(names_.input_ends, x.to, "input", x.to);
  added.sender = outputs_[added.from].node;
  added.receiver = inputs_[added.to].node;
  added.delay = x.delay;
  added.physical = x.physical;
  if (x.has(member::wait))
    added.wait = x.wait;
  auto id = to_index(connections_.size());
  auto name = [&] { return quoted(x.from) + " -> " + quoted(x.to); };
  rules.require(rule::graph, x.delay.ns >= 0, [&] {
    return name() + " has a negative delay";
  });
  rules.require(
    rule::graph, names_.ends.emplace(ends_key(added.from, added.to), id).second,
    [&] { return name() + " is connected twice"; });
  auto from_type = outputs_[added.from].type;
  auto to_type = inputs_[added.to].type;
  rules.require(rule::graph, from_type == to_type, [&] {
    return name() + " connects the types " + quoted(from_type) + " and "
           + quoted(to_type);
  });
  outputs_[added.from].connections.push_back(id);
  inputs_[added.to].connections.push_back(id);
  connections_.push_back(added);
}

void graph::seal(judge& rules) {
  sealed_ = true;
  auto in_loops = has_instant_loops();
  auto on_cycle = in_loops ? find_on_cycle() : std::nullopt;
  rules.require(rule::graph, !on_cycle, [&] {
    return "the node " + node_name(reactions_[*on_cycle].node)
           + " is on a loop of zero delay, or behind one";
  });
  if (in_loops)
    find_instant_loops();
  find_components(&declared_node::loop, [](const auto& c) {
    return !c.physical;
  });
}

/// Repeatedly removes a node without incoming connection without delay. The
/// remaining nodes are in loops or downstream of them.
bool graph::has_instant_loops() const {
  std::vector<index> entering(nodes_.size());
  for (const auto& c : connections_)
    if (c.is_instant())
      ++entering[c.receiver];
  remove_free(entering, [this](index leaving, auto&& remove_edge_to) {
    const auto& node = nodes_[leaving];
    for (auto o = node.first_output; o < node.last_output; ++o)
      for (auto c : outputs_[o].connections)
        if (connections_[c].is_instant())
          remove_edge_to(connections_[c].receiver);
  });
  return std::ranges::any_of(entering, [](index x) { return x > 0; });
}

void graph::find_instant_loops() {
  find_components(&declared_node::instant_loop, [](const auto& c) {
    return c.is_instant();
  });
  for (const auto& c : connections_)
    if (c.is_instant()
        && nodes_[c.sender].instant_loop == nodes_[c.receiver].instant_loop)
      nodes_[c.sender].in_instant_loop = nodes_[c.receiver].in_instant_loop
        = true;
}

bool graph::may_read(index reaction, index input) const {
  const auto& x = reactions_[reaction];
  auto contains = [](const std::vector<index>& xs, index y) {
    return std::find(xs.begin(), xs.end(), y) != xs.end();
  };
  return !x.is_startup
         && (!x.declares || contains(x.reads, input)
             || contains(inputs_[input].reactions, reaction));
}

/// Repeatedly removes a reaction that depends on none of the rest.
std::optional<index> graph::find_on_cycle() const {
  std::vector<std::vector<index>> next(reactions_.size());
  std::vector<index> entering(reactions_.size());
  auto add = [&](index from, index to) {
    next[from].push_back(to);
    ++entering[to];
  };
  using by_mode = std::map<std::optional<index>, index>;
  auto mode_of = [this](index i) {
    return reactions_[i].at_shutdown ? std::nullopt : reactions_[i].mode;
  };
  for (const auto& node : nodes_) {
    by_mode last;
    for (auto i = node.first_reaction; i < node.last_reaction; ++i) {
      if (reactions_[i].is_startup)
        continue;
      auto mode = mode_of(i);
      for (auto [other, before] : last)
        if (!mode || !other || mode == other)
          add(before, i);
      if (!mode)
        last.clear();
      last[mode] = i;
    }
  }
  // The last reaction of a mode that may write and the first one that may read
  // are enough, because each precedes the next one of its mode.
  for (const auto& c : connections_) {
    if (!c.is_instant())
      continue;
    by_mode writers;
    by_mode readers;
    const auto& sender = nodes_[c.sender];
    for (auto i = sender.first_reaction; i < sender.last_reaction; ++i)
      if (const auto& x = reactions_[i];
          !x.is_startup
          && (!x.declares
              || std::find(x.writes.begin(), x.writes.end(), c.from)
                   != x.writes.end()))
        writers[mode_of(i)] = i;
    const auto& receiver = nodes_[c.receiver];
    for (auto i = receiver.last_reaction; i-- > receiver.first_reaction;)
      if (may_read(i, c.to))
        readers[mode_of(i)] = i;
    for (auto& writer : writers)
      for (auto& reader : readers)
        add(writer.second, reader.second);
  }
  remove_free(entering, [&next](index leaving, auto&& remove_edge_to) {
    for (auto i : next[leaving])
      remove_edge_to(i);
  });
  for (index i = 0; i < reactions_.size(); ++i)
    if (entering[i] > 0)
      return i;
  return std::nullopt;
}

/// Uses Tarjan's algorithm, with an explicit stack, because a chain of 100,000
/// nodes would overflow the call stack.
template <class Follow>
void graph::find_components(index declared_node::*number, Follow&& follow) {
  constexpr auto unseen = std::numeric_limits<index>::max();
  struct visit {
    index node;
    index output;
    std::size_t position;
  };
  std::vector<index> order(nodes_.size(), unseen);
  std::vector<index> low(nodes_.size());
  std::vector<bool> open(nodes_.size());
  std::vector<index> opened;
  std::vector<visit> path;
  index count = 0;
  auto enter = [&](index i) {
    order[i] = low[i] = count++;
    open[i] = true;
    opened.push_back(i);
    path.push_back({i, nodes_[i].first_output, 0});
  };
  auto leave = [&](index i) {
    if (low[i] == order[i]) {
      index member = 0;
      do {
        member = opened.back();
        opened.pop_back();
        open[member] = false;
        nodes_[member].*number = i;
      } while (member != i);
    }
    path.pop_back();
    if (!path.empty()) {
      auto& above = low[path.back().node];
      above = std::min(above, low[i]);
    }
  };
  for (index root = 0; root < nodes_.size(); ++root) {
    if (order[root] != unseen)
      continue;
    enter(root);
    while (!path.empty()) {
      auto& [i, output, position] = path.back();
      if (output == nodes_[i].last_output) {
        leave(i);
      } else if (position == outputs_[output].connections.size()) {
        ++output;
        position = 0;
      } else {
        const auto& c = connections_[outputs_[output].connections[position++]];
        if (!follow(c))
          continue;
        if (order[c.receiver] == unseen)
          enter(c.receiver);
        else if (open[c.receiver])
          low[i] = std::min(low[i], order[c.receiver]);
      }
    }
  }
}

// -- finding ------------------------------------------------------------------

index graph::find_node(std::string_view name) const {
  return find_declared(names_.nodes, name, "node", name);
}

index graph::find_local(const local_names& names, const char* kind, index node,
                        std::string_view name) const {
  if (auto i = names.find({node, name}); i != names.end())
    return i->second;
  throw broken_rule{
    rule::format,
    "the node " + node_name(node) + " has no " + kind + ' ' + quoted(name)};
}

index graph::find_input(index node, std::string_view name) const {
  return find_local(names_.inputs, "input", node, name);
}

index graph::find_output(index node, std::string_view name) const {
  return find_local(names_.outputs, "output", node, name);
}

index graph::find_reaction(index node, std::string_view name) const {
  return find_local(names_.reactions, "reaction", node, name);
}

index graph::find_action(index node, std::string_view name) const {
  return find_local(names_.actions, "action", node, name);
}

bool graph::has_reaction(index node, std::string_view name) const {
  return names_.reactions.contains({node, name});
}

index graph::find_connection_to(index output, std::string_view to) const {
  auto input = find_declared(names_.input_ends, to, "input", to);
  return find_connection(output, input);
}

index graph::find_connection_from(std::string_view from, index input) const {
  auto output = find_declared(names_.output_ends, from, "output", from);
  return find_connection(output, input);
}

index graph::find_connection(index output, index input) const {
  if (auto i = names_.ends.find(ends_key(output, input));
      i != names_.ends.end())
    return i->second;
  throw broken_rule{
    rule::format,
    output_name(output) + " is not connected to " + input_name(input)};
}

// -- naming -------------------------------------------------------------------

std::string graph::node_name(index x) const {
  return quoted(nodes_[x].name);
}

std::string graph::input_name(index x) const {
  const auto& port = inputs_[x];
  return quoted(
    std::string{nodes_[port.node].name} + '.' + std::string{port.name});
}

std::string graph::output_name(index x) const {
  const auto& port = outputs_[x];
  return quoted(
    std::string{nodes_[port.node].name} + '.' + std::string{port.name});
}

std::string graph::reaction_name(index x) const {
  return quoted(reactions_[x].name);
}

std::string graph::action_name(index x) const {
  return quoted(actions_[x].name);
}

std::string graph::connection_name(index x) const {
  return output_name(connections_[x].from) + " -> "
         + input_name(connections_[x].to);
}

} // namespace rosia_trace
