// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/model/graph.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace model {

namespace {

using edge = std::pair<std::uint32_t, std::uint32_t>;

/// Finds the strongly connected components of a graph.
class component_search {
public:
  component_search(std::size_t size, const std::vector<edge>& edges)
    : next_(size), before_(size), seen_(size), numbers_(size, none) {
    for (auto& [v, w] : edges) {
      next_[v].push_back(w);
      before_[w].push_back(v);
    }
  }

  /// Returns for each vertex a number that its component has in common.
  std::vector<std::uint32_t> run() {
    for (std::uint32_t v = 0; v < next_.size(); ++v)
      finish(v);
    for (auto i = finished_.rbegin(); i != finished_.rend(); ++i)
      mark(*i, *i);
    return std::move(numbers_);
  }

private:
  static constexpr auto none = ~std::uint32_t{0};

  void finish(std::uint32_t v) {
    if (seen_[v])
      return;
    seen_[v] = true;
    for (auto w : next_[v])
      finish(w);
    finished_.push_back(v);
  }

  void mark(std::uint32_t v, std::uint32_t number) {
    if (numbers_[v] != none)
      return;
    numbers_[v] = number;
    for (auto w : before_[v])
      mark(w, number);
  }

  std::vector<std::vector<std::uint32_t>> next_, before_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> finished_, numbers_;
};

std::vector<std::uint32_t> component_numbers(
  std::size_t size, const std::vector<edge>& edges) {
  return component_search{size, edges}.run();
}

bool is_instant(const connection_spec& x) {
  return !x.physical && x.effective.is_zero();
}

/// Returns the edges between nodes along some of the connections.
template <class Follow>
std::vector<edge> node_edges(const graph_spec& graph, Follow follow) {
  std::vector<edge> result;
  for (auto& x : graph.connections)
    if (follow(x))
      result.emplace_back(x.source, x.target);
  return result;
}

std::vector<edge> instant_edges(const graph_spec& graph) {
  return node_edges(graph, is_instant);
}

std::vector<edge> logical_edges(const graph_spec& graph) {
  return node_edges(graph, [](auto& x) { return !x.physical; });
}

/// Returns whether two reactions of a node may run at one tag [10.7.6].
bool may_both_run(const reaction_spec& x, const reaction_spec& y) {
  return x.mode == y.mode || !x.mode || !y.mode || x.at_shutdown
         || y.at_shutdown;
}

/// The graph of reactions [10.1.2]. A node's resumptions are on no cycle, so
/// that they are not in it.
struct reaction_graph {
  explicit reaction_graph(const graph_spec& graph) {
    std::vector<std::uint32_t> first; // by node
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      first.push_back(static_cast<std::uint32_t>(places.size()));
      auto count = static_cast<std::uint32_t>(graph.nodes[i].reactions.size());
      auto& all = graph.nodes[i].reactions;
      for (std::uint32_t j = 0; j < count; ++j) {
        for (std::uint32_t k = 0; k < j; ++k)
          if (may_both_run(all[k], all[j]))
            edges.emplace_back(first[i] + k, first[i] + j);
        places.push_back({i, j});
      }
    }
    for (std::size_t i = 0; i < graph.connections.size(); ++i) {
      auto& connection = graph.connections[i];
      if (!is_instant(connection))
        continue;
      auto& from = graph.nodes[connection.source].reactions;
      auto& to = graph.nodes[connection.target].reactions;
      for (std::uint32_t v = 0; v < from.size(); ++v)
        for (std::uint32_t w = 0; w < to.size(); ++w)
          if (from[v].may_write(connection.output)
              && to[w].may_read(connection.input)) {
            carriers.emplace_back(edges.size(), i);
            edges.emplace_back(
              first[connection.source] + v, first[connection.target] + w);
          }
    }
  }

  std::vector<place> places;
  std::vector<edge> edges;

  /// Edges that connections carry.
  std::vector<std::pair<std::size_t, std::size_t>> carriers;
};

/// Returns which connections carry an edge within a cycle of reactions.
std::vector<bool> closing_connections(const graph_spec& graph) {
  reaction_graph all{graph};
  auto cycles = component_numbers(all.places.size(), all.edges);
  std::vector<bool> result(graph.connections.size());
  for (auto& [number, connection] : all.carriers) {
    auto& [v, w] = all.edges[number];
    if (cycles[v] == cycles[w])
      result[connection] = true;
  }
  return result;
}

bool is_read(const node_spec& node, std::uint32_t input) {
  return std::any_of(node.reactions.begin(), node.reactions.end(),
                     [=](auto& x) { return x.may_read(input); });
}

bool triggers_eager(const graph_spec& graph, const connection_spec& x) {
  auto& reactions = graph.nodes[x.target].reactions;
  return std::any_of(reactions.begin(), reactions.end(), [&](auto& r) {
    return r.eager
           && std::find(r.triggers.begin(), r.triggers.end(), x.input)
                != r.triggers.end();
  });
}

std::string text_of(const std::vector<std::uint32_t>& xs, char prefix) {
  std::string result;
  for (auto x : xs)
    (result += result.empty() ? "" : ",") += prefix + std::to_string(x);
  return result;
}

std::string text_of(const std::optional<caf::rosia::spacing>& x) {
  return x ? " spacing " + std::to_string(x->distance.count()) + ' '
               + std::string{to_string(x->policy)}
           : "";
}

std::string text_of(const mode_number& x) {
  return x ? " of m" + std::to_string(*x) : "";
}

std::string text_of(const step& statement) {
  auto port = std::to_string(statement.port);
  auto other = std::to_string(statement.other);
  std::string result;
  switch (statement.kind) {
    case action::write:
      result = "write o" + port;
      break;
    case action::forward:
      result = "forward i" + other + " to o" + port;
      break;
    case action::promise:
      result = "promise o" + port;
      break;
    case action::yield:
      result = "yield";
      break;
    case action::request:
      result = "request status " + std::to_string(statement.status);
      break;
    case action::schedule:
      result = "schedule a" + port;
      break;
    case action::call:
      result = "call n" + port + ".i" + other;
      break;
    case action::recall:
      result = "recall";
      break;
    case action::ask:
      result = "ask";
      break;
    case action::enter:
      result = (statement.other != 0 ? "continue m" : "enter m") + port;
      break;
    case action::start_watchdog:
      result = "start w" + port;
      break;
    case action::stop_watchdog:
      result = "stop w" + port;
      break;
    case action::end:
      result = "end";
      break;
    case action::fail:
      result = "fail " + other;
      break;
  }
  if (statement.distance)
    result += " (" + caf::rosia::to_string(*statement.distance) + ")";
  if (statement.one_in > 1)
    result += " 1/" + std::to_string(statement.one_in);
  if (statement.at_tag > 0)
    result += " at tag #" + std::to_string(statement.at_tag);
  return result;
}

std::string text_of(const script& code) {
  std::string result;
  if (code.rounds > 1)
    result += std::to_string(code.rounds) + " times ";
  if (code.nested)
    result += "nested ";
  result += "{";
  for (auto& y : code.steps)
    (result += &y == &code.steps.front() ? "" : "; ") += text_of(y);
  return result += "}";
}

/// Replaces the yields of a script.
/// @returns the reactions that continue it, each triggered by a new action,
/// numbered from the node's number of actions on.
std::vector<reaction_spec> split(script& code, std::uint32_t& actions) {
  // The steps after a yield, up to the next one. The last part continues at the
  // front.
  std::vector<std::vector<step>> parts(1);
  for (auto& x : code.steps) {
    parts.back().push_back(x);
    if (x.kind != action::yield)
      continue;
    parts.back().back().kind = action::schedule;
    parts.back().back().port = actions++;
    parts.emplace_back();
  }
  if (code.rounds > 1)
    parts.back().insert(
      parts.back().end(), parts.front().begin(), parts.front().end());
  auto first = actions - static_cast<std::uint32_t>(parts.size() - 1);
  std::vector<reaction_spec> result;
  for (std::size_t i = 1; i < parts.size(); ++i)
    result.push_back(
      {.triggers = {},
       .code = {.steps = std::move(parts[i])},
       .acts = {first + static_cast<std::uint32_t>(i - 1)}});
  code = {.steps = std::move(parts.front())};
  return result;
}

} // namespace

void schedule_instead_of_yielding(graph_spec& graph) {
  for (auto& node : graph.nodes) {
    std::vector<reaction_spec> added;
    auto change = [&](script& code, const reaction_spec& owner) {
      if (!code.yields())
        return;
      node.action_modes.resize(node.actions);
      for (auto& reaction : split(code, node.actions)) {
        reaction.deadline = owner.deadline;
        reaction.declares = owner.declares;
        reaction.mode = owner.mode;
        node.action_modes.push_back(owner.mode);
        // Like a resumption, it reads nothing of its tag.
        if (reaction.declares)
          forget_forwards(reaction.code);
        added.push_back(std::move(reaction));
      }
    };
    if (node.start)
      change(
        *node.start, {.triggers = {}, .code = {}, .declares = node.declares()});
    for (auto& x : node.reactions) {
      change(x.code, x);
      if (x.handler)
        change(*x.handler, x);
    }
    node.reactions.insert(
      node.reactions.begin(), std::make_move_iterator(added.begin()),
      std::make_move_iterator(added.end()));
  }
  forbid_cycles(graph);
}

void forget_forwards(script& code) {
  for (auto& x : code.steps)
    if (x.kind == action::forward)
      x.kind = action::write;
}

void forbid_cycles(graph_spec& graph) {
  while (auto bad = resolve_delays(graph))
    graph.connections[*bad].declared = delay{microsteps(1)};
}

bool script::yields() const {
  return std::any_of(steps.begin(), steps.end(), [](auto& x) {
    return x.kind == action::yield;
  });
}

std::set<std::uint32_t> script::outputs(bool after_yield) const {
  std::set<std::uint32_t> result;
  auto has_yielded = false;
  for (auto& statement : steps) {
    has_yielded |= statement.kind == action::yield && statement.one_in == 1
                   && statement.at_tag == 0;
    auto writes
      = statement.kind == action::write || statement.kind == action::forward
        || statement.kind == action::promise;
    if (writes && has_yielded == after_yield)
      result.insert(statement.port);
  }
  return result;
}

bool reaction_spec::may_read(std::uint32_t input) const {
  auto has = [input](auto& xs) {
    return std::find(xs.begin(), xs.end(), input) != xs.end();
  };
  return !declares || has(triggers) || has(reads);
}

std::set<std::uint32_t> reaction_spec::writes() const {
  auto result = code.outputs(false);
  if (handler)
    result.merge(handler->outputs(false));
  return result;
}

std::set<std::uint32_t> reaction_spec::writes_later() const {
  auto result = code.outputs(true);
  if (handler)
    result.merge(handler->outputs(true));
  for (auto output : writes())
    result.erase(output);
  return result;
}

bool node_spec::external() const {
  return std::any_of(inputs.begin(), inputs.end(), [](auto& x) {
    return x.physical;
  });
}

bool node_spec::declares() const {
  return std::any_of(reactions.begin(), reactions.end(), [](auto& x) {
    return x.declares;
  });
}

bool graph_spec::reacts_to_last_tag() const {
  return std::any_of(nodes.begin(), nodes.end(), [](auto& x) {
    return std::any_of(x.reactions.begin(), x.reactions.end(), [](auto& y) {
      return y.at_shutdown;
    });
  });
}

bool graph_spec::has_waits() const {
  return std::any_of(connections.begin(), connections.end(), [](auto& x) {
    return x.wait.has_value();
  });
}

std::string graph_spec::name_of(std::uint32_t node) const {
  auto composite = composite_of(node);
  return (composite ? "c" + std::to_string(*composite) + '.' : std::string{})
         + local_name_of(node);
}

std::optional<std::size_t> graph_spec::composite_of(std::uint32_t node) const {
  for (std::size_t i = 0; i < composites.size(); ++i)
    if (node >= composites[i].first
        && node - composites[i].first < composites[i].size)
      return i;
  return std::nullopt;
}

std::string graph_spec::local_name_of(std::uint32_t node) const {
  for (std::size_t i = 0; i < banks.size(); ++i)
    if (node >= banks[i].first && node - banks[i].first < banks[i].size)
      return "b" + std::to_string(i) + '['
             + std::to_string(node - banks[i].first) + ']';
  return "n" + std::to_string(node);
}

std::string graph_spec::name_of_input(
  std::uint32_t node, std::uint32_t input) const {
  auto& x = nodes[node];
  auto number = std::to_string(input);
  return x.channel && !x.inputs[input].physical
           ? "i[" + number + ']'
           : "i" + number;
}

std::optional<std::size_t> resolve_delays(graph_spec& graph) {
  for (auto& x : graph.connections)
    x.effective = x.declared;
  auto closes = closing_connections(graph);
  auto loops = component_numbers(graph.nodes.size(), instant_edges(graph));
  for (std::size_t i = 0; i < graph.connections.size(); ++i) {
    auto& connection = graph.connections[i];
    auto is_unread
      = is_instant(connection)
        && loops[connection.source] == loops[connection.target]
        && !is_read(graph.nodes[connection.target], connection.input);
    if (is_unread || (closes[i] && triggers_eager(graph, connection)))
      connection.effective = delay{microsteps(1)};
  }
  closes = closing_connections(graph);
  auto first = std::find(closes.begin(), closes.end(), true);
  if (first == closes.end())
    return std::nullopt;
  return static_cast<std::size_t>(first - closes.begin());
}

std::vector<bool> outside_of_loops(const graph_spec& graph) {
  auto loops = component_numbers(graph.nodes.size(), logical_edges(graph));
  std::vector<bool> result;
  for (auto& x : graph.connections)
    result.push_back(!x.physical && loops[x.source] != loops[x.target]);
  return result;
}

std::vector<std::optional<std::uint32_t>> inseparable_loops(
  const graph_spec& graph) {
  auto loops = component_numbers(graph.nodes.size(), logical_edges(graph));
  auto instant = component_numbers(graph.nodes.size(), instant_edges(graph));
  std::set<std::uint32_t> inseparable;
  for (auto& x : graph.connections)
    if (is_instant(x) && instant[x.source] == instant[x.target])
      inseparable.insert(loops[x.source]);
  std::vector<std::optional<std::uint32_t>> result;
  for (auto number : loops)
    result.push_back(
      inseparable.count(number) > 0 ? std::optional{number} : std::nullopt);
  return result;
}

std::vector<place> reaction_order(const graph_spec& graph) {
  reaction_graph all{graph};
  std::vector<std::uint32_t> before(all.places.size());
  std::vector<std::vector<std::uint32_t>> next(all.places.size());
  for (auto& [v, w] : all.edges) {
    ++before[w];
    next[v].push_back(w);
  }
  std::set<std::uint32_t> ready;
  for (std::uint32_t v = 0; v < before.size(); ++v)
    if (before[v] == 0)
      ready.insert(v);
  std::vector<place> result;
  while (!ready.empty()) {
    auto v = ready.extract(ready.begin()).value();
    result.push_back(all.places[v]);
    for (auto w : next[v])
      if (--before[w] == 0)
        ready.insert(w);
  }
  return result;
}

std::string to_string(const graph_spec& graph) {
  std::string result = "seed " + std::to_string(graph.seed);
  result += ", max_in_flight " + std::to_string(graph.max_in_flight);
  if (graph.realtime)
    result += ", realtime";
  if (graph.stop_after)
    result += ", stop_after " + caf::rosia::to_string(*graph.stop_after);
  if (graph.stopped_by_call)
    result += ", stopped by a call";
  result += '\n';
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    auto& node = graph.nodes[i];
    result += graph.name_of(i) + ": limit " + std::to_string(node.limit);
    if (node.realtime)
      result += *node.realtime ? ", realtime" : ", not realtime";
    for (std::size_t j = 0; j < node.inputs.size(); ++j)
      if (node.inputs[j].physical)
        result
          += ", physical i" + std::to_string(j)
             + text_of(node.inputs[j].spacing)
             + (node.inputs[j].after
                  ? " after " + caf::rosia::to_string(*node.inputs[j].after)
                  : "");
    for (std::uint32_t j = 0; j < node.spacings.size(); ++j)
      if (node.spacings[j])
        result += ", a" + std::to_string(j) + text_of(node.spacings[j]);
    if (node.modes > 0)
      result += ", modes " + std::to_string(node.modes);
    for (std::uint32_t j = 0; j < node.action_modes.size(); ++j)
      if (node.action_modes[j])
        result += ", a" + std::to_string(j) + text_of(node.action_modes[j]);
    for (auto& tick : node.ticks)
      result += ", tick from " + std::to_string(tick.offset) + " every "
                + std::to_string(tick.period) + text_of(tick.mode);
    for (auto& y : node.watchdogs)
      result += ", watchdog of " + std::to_string(y.timeout);
    result += '\n';
    if (node.start)
      result += "  start " + text_of(*node.start) + '\n';
    for (std::size_t j = 0; j < node.reactions.size(); ++j) {
      auto& r = node.reactions[j];
      result
        += "  r" + std::to_string(j) + " on " + text_of(r.triggers, 'i')
           + (r.acts.empty() ? "" : " " + text_of(r.acts, 'a'))
           + (r.ticks.empty() ? "" : " " + text_of(r.ticks, 't'))
           + (r.on_modes.empty() ? "" : " " + text_of(r.on_modes, 'm'))
           + (r.on_watchdogs.empty() ? "" : " " + text_of(r.on_watchdogs, 'w'))
           + (r.at_shutdown ? " at the last tag" : "") + text_of(r.mode)
           + (r.eager ? " eager " : " ")
           + (r.declares ? "reads " + text_of(r.reads, 'i') + ' ' : "")
           + text_of(r.code)
           + (r.deadline ? " deadline " + std::to_string(*r.deadline) : "")
           + (r.handler ? " late " + text_of(*r.handler) : "") + '\n';
    }
  }
  for (auto& connection : graph.connections) {
    result
      += "  " + graph.name_of(connection.source) + ".o"
         + std::to_string(connection.output) + " -> "
         + graph.name_of(connection.target) + '.'
         + graph.name_of_input(connection.target, connection.input);
    if (connection.physical)
      result += " physical";
    else if (!connection.effective.is_zero())
      result
        += " " + caf::rosia::to_string(connection.effective)
           + (connection.effective == connection.declared ? "" : " (eager)");
    if (connection.wait)
      result += " maxwait " + std::to_string(connection.wait->count());
    result += '\n';
  }
  for (auto& list : graph.calls)
    for (auto& x : list)
      result += std::string{"  "} + (x.early ? "early " : "") + "call "
                + graph.name_of(x.node) + ".i" + std::to_string(x.input)
                + " gap " + std::to_string(x.gap) + '\n';
  return result;
}

} // namespace model
