// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/topology.hpp"

#include "base/text.hpp"
#include "caf/rosia/graph_error.hpp"
#include "engine/components.hpp"
#include "engine/reaction_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

namespace caf::rosia::engine {

namespace {

bool is_logical(const connection_spec& x) {
  return !x.physical;
}

/// Returns the ports of a connection, and the inlets and outlets between them.
std::string ends_of(
  const std::vector<connection_spec>& all, std::size_t connection,
  const topology::namer& name, const topology::path_namer& path) {
  auto& x = all[connection];
  return '\'' + name(x.source, true, x.output) + "' to "
         + (path ? path(connection) : std::string{}) + '\''
         + name(x.target, false, x.input) + '\'';
}

/// Adds the reactions that a connection triggers: "node.reaction".
void add_triggered(const reaction_graph& reactions, const connection_spec& x,
                   std::vector<std::string>& to) {
  auto& target = reactions.describe(x.target);
  for (auto& reaction : target.reactions)
    if (is_triggered(reaction, x.input))
      to.push_back(target.name + '.' + reaction.name);
}

/// Ways to open a cycle of reactions, besides a delay. Reactions are given as
/// "node.reaction".
struct remedies {
  std::vector<std::string> orders;     // changes of declaration order, as text
  std::vector<std::string> undeclared; // reactions without declarations
  std::vector<std::string> candidates; // reactions that may become eager
  bool triggers = false;               // whether there are such, even unknown
};

void add_unique(std::vector<std::string>& to, std::string x) {
  if (std::find(to.begin(), to.end(), x) == to.end())
    to.push_back(std::move(x));
}

std::string to_string(const remedies& x) {
  std::string result;
  for (auto& order : x.orders)
    result += order + ", ";
  if (!x.undeclared.empty())
    result
      += "say what " + detail::quoted_list(x.undeclared)
         + (x.undeclared.size() == 1 ? " reads and writes" : " read and write")
         + " (rosia::reads, rosia::writes), ";
  if (x.triggers)
    result
      += "make "
         + (x.candidates.empty() ? "a reaction on it"
            : x.candidates.size() == 1
              ? "reaction " + detail::quoted_list(x.candidates)
              : "one of the reactions " + detail::quoted_list(x.candidates))
         + " eager (rosia::eager), ";
  return result + (result.empty() ? "" : "or ")
         + "give one of the connections a delay (rosia::after(...))";
}

} // namespace

// -- constructors, destructors ------------------------------------------------

topology::topology(
  std::vector<bool> external, std::vector<connection_spec> connections,
  const namer& name, const describer& describe, const path_namer& path)
  : external_(std::move(external)), connections_(std::move(connections)) {
  for (auto& x : connections_)
    refuse_negative_delay(x, name);
  make_rows(
    nodes(), connections_.size(),
    [this](std::size_t i) { return connections_[i].target; }, in_.first,
    in_.row);
  make_rows(
    nodes(), connections_.size(),
    [this](std::size_t i) { return connections_[i].source; }, out_.first,
    out_.row);
  index_connections();
  refuse_twins(name, path);
  refuse_waits_in_loops(name, path);
  std::optional<reaction_graph> reactions;
  if (auto left = add_microsteps(describe); !left.empty()) {
    reactions.emplace(connections_, std::move(left), describe);
    if (auto cycle = reactions->find_cycle(); !cycle.empty())
      refuse_cycle(*reactions, cycle, name, describe != nullptr, path);
  }
  find_loops();
  find_requests();
  find_ranks();
  if (reactions)
    find_instant_loops(*reactions);
}

topology::topology(topology&&) noexcept = default;

topology& topology::operator=(topology&&) noexcept = default;

topology::~topology() {
  // nop
}

bool is_instant(const connection_spec& x) noexcept {
  return !x.physical && x.distance.is_zero();
}

void refuse_negative_delay(
  const connection_spec& x, const topology::namer& name) {
  if (x.distance.ns() < 0)
    throw graph_error(
      "the connection from '" + name(x.source, true, x.output) + "' to '"
      + name(x.target, false, x.input) + "' has a negative delay, "
      + to_string(x.distance) + "; a message cannot arrive before it is sent");
}

void topology::index_connections() {
  in_.index.resize(connections_.size());
  out_.index.resize(connections_.size());
  for (node_id x = 0; x < nodes(); ++x) {
    for (auto i = in_.first[x]; i < in_.first[x + 1]; ++i)
      in_.index[in_.row[i]] = i - in_.first[x];
    std::stable_sort(
      out_.row.begin() + out_.first[x], out_.row.begin() + out_.first[x + 1],
      [this](auto y, auto z) {
        return connections_[y].output < connections_[z].output;
      });
    for (auto i = out_.first[x]; i < out_.first[x + 1]; ++i)
      out_.index[out_.row[i]] = i - out_.first[x];
  }
}

void topology::refuse_twins(const namer& name, const path_namer& path) const {
  auto key = [this](std::uint32_t i) {
    auto& x = connections_[i];
    return std::tuple{x.output, x.target, x.input};
  };
  std::vector<std::uint32_t> order;
  for (node_id node = 0; node < nodes(); ++node) {
    auto row = outgoing(node);
    order.assign(row.begin(), row.end());
    std::ranges::sort(order, {}, key);
    auto twin = std::ranges::adjacent_find(order, {}, key);
    if (twin == order.end())
      continue;
    auto& x = connections_[*twin];
    auto ways = std::string{};
    if (path && !(path(twin[0]) + path(twin[1])).empty())
      ways = ", from " + ends_of(connections_, twin[0], name, path)
             + " and from " + ends_of(connections_, twin[1], name, path);
    throw graph_error(
      "'" + name(x.source, true, x.output) + "' and '"
      + name(x.target, false, x.input) + "' are connected twice" + ways
      + "; remove one of the connections");
  }
}

void topology::refuse_waits_in_loops(
  const namer& name, const path_namer& path) const {
  if (std::ranges::none_of(connections_, &connection_spec::has_max_wait))
    return;
  auto of = components(nodes(), connections_, out_.first, out_.row, is_logical);
  auto is_inner = [&](const connection_spec& x) {
    return is_logical(x) && of[x.source] == of[x.target];
  };
  auto first = std::ranges::find_if(connections_, [&](auto& x) {
    return x.has_max_wait() && is_inner(x);
  });
  if (first == connections_.end())
    return;
  // Find a shortest way back, breadth first.
  auto number = [&](auto& x) {
    return static_cast<std::uint32_t>(&x - connections_.data());
  };
  std::vector<std::uint32_t> walk{number(*first)};
  std::unordered_map<node_id, std::uint32_t> reached_by{
    {first->target, number(*first)}};
  for (std::size_t i = 0; !reached_by.contains(first->source); ++i)
    for (auto c : outgoing(connections_[walk[i]].target))
      if (auto& x = connections_[c];
          is_inner(x) && reached_by.emplace(x.target, c).second)
        walk.push_back(c);
  std::string loop;
  for (auto at = first->source; at != first->target;
       at = connections_[reached_by.at(at)].source)
    loop = ends_of(connections_, reached_by.at(at), name, path)
           + (loop.empty() ? "" : ", ") + loop;
  throw graph_error(
    "the connection " + ends_of(connections_, number(*first), name, path)
    + " has a maximal wait, but is part of a loop"
    + (loop.empty() ? std::string{} : ": " + loop)
    + "; leave out rosia::maxwait, or make one of the connections physical");
}

std::vector<std::uint32_t> topology::find_zero_loops() const {
  auto of = components(nodes(), connections_, out_.first, out_.row, is_instant);
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < connections_.size(); ++i)
    if (auto& x = connections_[i];
        is_instant(x) && of[x.source] == of[x.target])
      result.push_back(i);
  return result;
}

std::vector<std::uint32_t> topology::add_microsteps(const describer& describe) {
  auto in_loops = find_zero_loops();
  if (in_loops.empty())
    return in_loops;
  // All take the microstep at once [10.1.4].
  reaction_graph reactions{connections_, in_loops, describe};
  std::vector<std::uint32_t> lengthened;
  for (auto i : in_loops)
    if (auto& x = connections_[i];
        !x.is_read || (x.eager && reactions.is_in_cycle(i)))
      lengthened.push_back(i);
  auto lengthen = [this](std::uint32_t i) {
    connections_[i].distance = delay{microsteps(1)};
  };
  std::for_each(lengthened.begin(), lengthened.end(), lengthen);
  return find_zero_loops();
}

void topology::refuse_cycle(
  const reaction_graph& reactions,
  const std::vector<reaction_graph::step>& cycle, const namer& name,
  bool is_described, const path_namer& path) const {
  std::string text;
  remedies ways;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    auto& x = connections_[cycle[i].connection];
    ways.triggers = ways.triggers || x.triggers;
    if (!is_described) {
      text += (i == 0 ? "" : ", ")
              + ends_of(connections_, cycle[i].connection, name, path);
      continue;
    }
    add_triggered(reactions, x, ways.candidates);
    auto quoted = [&](node_id node, std::uint32_t reaction) {
      auto& owner = reactions.describe(node);
      return '\'' + owner.name + '.' + owner.reactions[reaction].name + '\'';
    };
    auto before = cycle[(i + cycle.size() - 1) % cycle.size()].reader;
    text += (i == 0 ? "" : "; ") + quoted(x.source, cycle[i].writer);
    auto& described = reactions.describe(x.source);
    if (before != cycle[i].writer) {
      text += ", which runs after " + quoted(x.source, before) + ',';
      ways.orders.push_back(
        "declare '" + described.reactions[cycle[i].writer].name + "' before '"
        + described.reactions[before].name + "' in '" + described.name + '\'');
    }
    for (auto reaction : {before, cycle[i].writer})
      if (auto& named = described.reactions[reaction]; !named.declares)
        add_unique(ways.undeclared, described.name + '.' + named.name);
    text += " writes '" + name(x.source, true, x.output) + '\'';
    if (auto relays = path ? path(cycle[i].connection) : std::string{};
        !relays.empty()) // "'a.in' to "
      text += " to " + relays.substr(0, relays.size() - 4);
    text += ", which " + quoted(x.target, cycle[i].reader) + " reads";
  }
  if (is_described)
    ways.triggers = !ways.candidates.empty();
  throw graph_error("a loop of zero delay: " + text + "; " + to_string(ways));
}

void topology::find_loops() {
  auto of = components(nodes(), connections_, out_.first, out_.row, is_logical);
  std::vector<std::uint32_t> size(nodes());
  for (auto x : of)
    ++size[x];
  // A single node is a loop if it is connected to itself.
  std::vector<bool> is_loop(nodes());
  for (auto& x : connections_) {
    x.in_loop = is_logical(x) && of[x.source] == of[x.target];
    if (x.in_loop)
      is_loop[of[x.source]] = true;
  }
  std::vector<std::uint32_t> number(nodes(), no_loop);
  loop_of_.assign(nodes(), no_loop);
  member_of_.assign(nodes(), 0);
  for (node_id i = 0; i < nodes(); ++i) {
    if (!is_loop[of[i]])
      continue;
    auto& n = number[of[i]];
    if (n == no_loop) {
      n = static_cast<std::uint32_t>(loops_.size());
      loops_.emplace_back().reserve(size[of[i]]);
    }
    loop_of_[i] = n;
    member_of_[i] = static_cast<std::uint32_t>(loops_[n].size());
    loops_[n].push_back(i);
  }
}

void topology::find_requests() {
  // A node's promises need bound requests if elapsed time bounds them, if the
  // node is in a loop, in which other members may advance while it is idle, or
  // if the promises that it receives need requests.
  needs_requests_.assign(nodes(), false);
  std::vector<node_id> frontier;
  auto add = [&](node_id x) {
    if (needs_requests_[x])
      return;
    needs_requests_[x] = true;
    frontier.push_back(x);
  };
  for (node_id i = 0; i < nodes(); ++i)
    if (external_[i] || loop_of_[i] != no_loop)
      add(i);
  for (auto& x : connections_)
    if (x.physical || x.has_max_wait())
      add(x.target);
  while (!frontier.empty()) {
    auto x = frontier.back();
    frontier.pop_back();
    for (auto i = out_.first[x]; i < out_.first[x + 1]; ++i)
      if (auto& c = connections_[out_.row[i]]; !c.physical)
        add(c.target);
  }
}

void topology::find_ranks() {
  // Sort first by the components of all logical connections, so that a sender
  // also precedes its receivers over connections with delay, except in loops.
  auto loop
    = components(nodes(), connections_, out_.first, out_.row, is_logical);
  auto alone
    = components(nodes(), connections_, out_.first, out_.row, is_instant);
  std::vector<node_id> order(nodes());
  std::iota(order.begin(), order.end(), node_id{0});
  std::sort(order.begin(), order.end(), [&](auto x, auto y) {
    return std::pair{loop[x], alone[x]} > std::pair{loop[y], alone[y]};
  });
  rank_.resize(nodes());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    rank_[order[i]] = i;
}

void topology::find_instant_loops(const reaction_graph& reactions) {
  auto of = components(nodes(), connections_, out_.first, out_.row, is_instant);
  auto order = reactions.order();
  instant_loop_of_.assign(nodes(), no_loop);
  std::unordered_map<std::uint32_t, std::uint32_t> numbers; // by component
  for (auto& x : order) {
    auto [at, is_new] = numbers.try_emplace(
      of[x.node], static_cast<std::uint32_t>(instant_loops_.size()));
    if (is_new)
      instant_loops_.emplace_back();
    if (std::exchange(instant_loop_of_[x.node], at->second) == no_loop)
      instant_loops_[at->second].members.push_back(x.node);
  }
  auto by_rank = [this](node_id x) { return rank_[x]; };
  for (auto& loop : instant_loops_)
    std::ranges::sort(loop.members, {}, by_rank);
  for (auto& x : order) {
    auto& loop = instant_loops_[instant_loop_of_[x.node]];
    auto place
      = std::ranges::lower_bound(loop.members, rank_[x.node], {}, by_rank);
    auto& described = reactions.describe(x.node).reactions[x.reaction];
    auto& added = loop.steps.emplace_back();
    added.member = static_cast<std::uint32_t>(place - loop.members.begin());
    added.reaction = x.reaction;
    added.reads_all = !described.declares;
    added.reads = described.reads;
    for (auto& by : described.triggers)
      if (by.kind == graph_description::trigger_kind::input)
        added.reads.push_back(by.index);
    std::ranges::sort(added.reads);
  }
}

std::vector<std::vector<node_id>> topology::inseparable_loops() const {
  std::vector<std::vector<node_id>> result;
  for (auto& loop : loops_)
    if (std::ranges::any_of(loop, [this](auto x) {
          return in_instant_loop(x);
        }))
      result.push_back(loop);
  return result;
}

void topology::find_last_tag(const std::vector<bool>& react) {
  if (std::none_of(react.begin(), react.end(), [](bool x) { return x; }))
    return;
  executes_last_tag_ = react;
  std::vector<node_id> frontier;
  for (node_id i = 0; i < nodes(); ++i)
    if (react[i])
      frontier.push_back(i);
  while (!frontier.empty()) {
    auto x = frontier.back();
    frontier.pop_back();
    for (auto i : outgoing(x)) {
      auto& c = connections_[i];
      if (!is_instant(c) || executes_last_tag_[c.target])
        continue;
      executes_last_tag_[c.target] = true;
      frontier.push_back(c.target);
    }
  }
}

// -- wiring -------------------------------------------------------------------

topology::wiring topology::make_wiring(
  const loop_time_table_factory& make) const {
  wiring result;
  result.graph_ = this;
  result.links_ = link_array{connections_.size()};
  std::vector<std::vector<loop_time_table::edge>> edges(loops_.size());
  std::vector<std::vector<bool>> clocked(loops_.size());
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    clocked[i].resize(loops_[i].size());
    for (auto node : loops_[i])
      if (external_[node])
        clocked[i][member_of_[node]] = true;
  }
  for (auto& x : connections_) {
    auto loop = loop_of_[x.target];
    if (loop == no_loop)
      continue;
    if (x.in_loop)
      edges[loop].push_back(
        {member_of_[x.source], member_of_[x.target], x.distance});
    else if (x.physical || x.has_max_wait() || needs_requests_[x.source])
      clocked[loop][member_of_[x.target]] = true;
  }
  for (std::size_t i = 0; i < loops_.size(); ++i)
    result.loop_time_tables_.push_back(
      make
        ? make(loops_[i], edges[i], clocked[i])
        : std::make_unique<loop_time_table>(loops_[i], edges[i], clocked[i]));
  for (auto& x : instant_loops_)
    result.instant_loops_.push_back(std::make_unique<instant_loop>(x));
  for (std::uint32_t i = 0; i < connections_.size(); ++i)
    if (auto n = connections_[i].keep_latest; n > 0)
      result.latest_values_.emplace(i, std::make_unique<latest_values>(n));
  return result;
}

latest_values* topology::wiring::latest_values_of(
  std::uint32_t connection) const {
  auto i = latest_values_.find(connection);
  return i == latest_values_.end() ? nullptr : i->second.get();
}

void topology::wiring::wire(node_id node, initial_config& config) const {
  auto& graph = *graph_;
  config.id = node;
  config.rank = graph.rank_[node];
  config.external = graph.external_[node];
  config.executes_last_tag = graph.executes_last_tag(node);
  if (auto loop = graph.loop_of_[node]; loop != no_loop) {
    config.loop_time_table = loop_time_tables_[loop].get();
    config.member = graph.member_of_[node];
  }
  if (graph.in_instant_loop(node))
    config.instant_loop = instant_loops_[graph.instant_loop_of_[node]].get();
  auto& in = config.in;
  in.reserve(graph.in_.first[node + 1] - graph.in_.first[node]);
  for (auto i = graph.in_.first[node]; i < graph.in_.first[node + 1]; ++i) {
    auto number = graph.in_.row[i];
    auto& x = graph.connections_[number];
    auto& c = in.emplace_back();
    c.number = number;
    c.input = x.input;
    c.source = x.source;
    c.source_index = graph.out_.index[number];
    c.shared = &links_[number];
    c.physical = x.physical;
    c.intra_loop = x.in_loop;
    c.instant = is_instant(x);
    c.needs_requests = graph.needs_requests_[x.source];
    c.latest = latest_values_of(number);
    if (x.has_max_wait())
      config.max_waits.emplace_back(i - graph.in_.first[node], x.max_wait);
  }
  config.has_waits = !config.max_waits.empty();
  auto& out = config.out;
  out.resize(graph.out_.first[node + 1] - graph.out_.first[node]);
  for (auto& x : config.outputs)
    x->first = x->last = 0;
  for (auto i = graph.out_.first[node]; i < graph.out_.first[node + 1]; ++i) {
    auto number = graph.out_.row[i];
    auto& x = graph.connections_[number];
    auto index = graph.out_.index[number];
    auto& c = out[index];
    c.number = number;
    c.output = x.output;
    c.target_index = graph.in_.index[number];
    c.target_input = x.input;
    c.target_member = graph.member_of_[x.target];
    c.distance = x.distance;
    c.shared = &links_[number];
    c.latest = latest_values_of(number);
    c.physical = x.physical;
    c.intra_loop = x.in_loop;
    auto& port = *config.outputs[x.output];
    if (port.first == port.last)
      port.first = index;
    port.last = index + 1;
  }
  // One peer for each receiver, however many connections lead to it.
  for (auto i = graph.out_.first[node]; i < graph.out_.first[node + 1]; ++i)
    config.peers.push_back(graph.connections_[graph.out_.row[i]].target);
  auto& peers = config.peers;
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  for (auto& c : out)
    c.peer = static_cast<std::uint32_t>(
      std::lower_bound(
        peers.begin(), peers.end(), graph.connections_[c.number].target)
      - peers.begin());
}

} // namespace caf::rosia::engine
