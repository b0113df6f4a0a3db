// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/model/graph.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace model {

namespace {

/// Returns which nodes can reach which other nodes along some of the
/// connections.
template <class Follow>
std::vector<std::vector<bool>> reachable(
  const graph_spec& graph, Follow&& follow) {
  auto size = graph.nodes.size();
  std::vector<std::vector<bool>> result(size, std::vector<bool>(size));
  for (auto& x : graph.connections)
    if (follow(x))
      result[x.source][x.target] = true;
  for (std::size_t via = 0; via < size; ++via)
    for (std::size_t from = 0; from < size; ++from)
      if (result[from][via])
        for (std::size_t to = 0; to < size; ++to)
          if (result[via][to])
            result[from][to] = true;
  return result;
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

std::string text_of(const step& x) {
  auto port = std::to_string(x.port);
  auto other = std::to_string(x.other);
  std::string result;
  switch (x.what) {
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
      result = "request status " + std::to_string(x.status);
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
    case action::end:
      result = "end";
      break;
    case action::fail:
      result = "fail " + other;
      break;
  }
  if (x.distance)
    result += " (" + caf::rosia::to_string(*x.distance) + ")";
  if (x.one_in > 1)
    result += " 1/" + std::to_string(x.one_in);
  if (x.at_tag > 0)
    result += " at tag #" + std::to_string(x.at_tag);
  return result;
}

std::string text_of(const script& x) {
  std::string result;
  if (x.rounds > 1)
    result += std::to_string(x.rounds) + " times ";
  if (x.nested)
    result += "nested ";
  result += "{";
  for (auto& y : x.steps)
    (result += &y == &x.steps.front() ? "" : "; ") += text_of(y);
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
    if (x.what != action::yield)
      continue;
    parts.back().back().what = action::schedule;
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
    auto change = [&](script& code, std::optional<std::int64_t> deadline) {
      if (code.yields())
        for (auto& x : split(code, node.actions)) {
          x.deadline = deadline;
          added.push_back(std::move(x));
        }
    };
    if (node.start)
      change(*node.start, {});
    for (auto& x : node.reactions) {
      change(x.code, x.deadline);
      if (x.handler)
        change(*x.handler, x.deadline);
    }
    node.reactions.insert(
      node.reactions.end(), std::make_move_iterator(added.begin()),
      std::make_move_iterator(added.end()));
  }
}

bool script::yields() const {
  return std::any_of(steps.begin(), steps.end(), [](auto& x) {
    return x.what == action::yield;
  });
}

bool node_spec::external() const {
  return std::any_of(inputs.begin(), inputs.end(), [](auto& x) {
    return x.physical;
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
  auto is_instant
    = [](auto& x) { return !x.physical && x.effective.is_zero(); };
  for (auto& x : graph.connections)
    x.effective = x.declared;
  auto reach = reachable(graph, is_instant);
  for (auto& x : graph.connections)
    if (is_instant(x) && reach[x.target][x.source] && triggers_eager(graph, x))
      x.effective = delay{microsteps(1)};
  reach = reachable(graph, is_instant);
  for (std::size_t i = 0; i < graph.connections.size(); ++i)
    if (auto& x = graph.connections[i];
        is_instant(x) && reach[x.target][x.source])
      return i;
  return std::nullopt;
}

std::vector<bool> outside_of_loops(const graph_spec& graph) {
  auto reach = reachable(graph, [](auto& x) { return !x.physical; });
  std::vector<bool> result;
  for (auto& x : graph.connections)
    result.push_back(!x.physical && !reach[x.target][x.source]);
  return result;
}

std::vector<std::uint32_t> zero_delay_order(const graph_spec& graph) {
  std::vector<std::uint32_t> blocked_by(graph.nodes.size());
  auto is_instant
    = [](auto& x) { return !x.physical && x.effective.is_zero(); };
  for (auto& x : graph.connections)
    if (is_instant(x))
      ++blocked_by[x.target];
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
    if (blocked_by[i] == 0)
      result.push_back(i);
  for (std::size_t i = 0; i < result.size(); ++i)
    for (auto& x : graph.connections)
      if (is_instant(x) && x.source == result[i] && --blocked_by[x.target] == 0)
        result.push_back(x.target);
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
    auto& x = graph.nodes[i];
    result += graph.name_of(i) + ": limit " + std::to_string(x.limit);
    if (x.realtime)
      result += *x.realtime ? ", realtime" : ", not realtime";
    for (std::size_t j = 0; j < x.inputs.size(); ++j)
      if (x.inputs[j].physical)
        result
          += ", physical i" + std::to_string(j) + text_of(x.inputs[j].spacing)
             + (x.inputs[j].after
                  ? " after " + caf::rosia::to_string(*x.inputs[j].after)
                  : "");
    for (std::uint32_t j = 0; j < x.spacings.size(); ++j)
      if (x.spacings[j])
        result += ", a" + std::to_string(j) + text_of(x.spacings[j]);
    for (auto& tick : x.ticks)
      result += ", tick from " + std::to_string(tick.offset) + " every "
                + std::to_string(tick.period);
    result += '\n';
    if (x.start)
      result += "  start " + text_of(*x.start) + '\n';
    for (std::size_t j = 0; j < x.reactions.size(); ++j) {
      auto& r = x.reactions[j];
      result
        += "  r" + std::to_string(j) + " on " + text_of(r.triggers, 'i')
           + (r.acts.empty() ? "" : " " + text_of(r.acts, 'a'))
           + (r.ticks.empty() ? "" : " " + text_of(r.ticks, 't'))
           + (r.at_shutdown ? " at the last tag" : "")
           + (r.eager ? " eager " : " ") + text_of(r.code)
           + (r.deadline ? " deadline " + std::to_string(*r.deadline) : "")
           + (r.handler ? " late " + text_of(*r.handler) : "") + '\n';
    }
  }
  for (auto& x : graph.connections) {
    result += "  " + graph.name_of(x.source) + ".o" + std::to_string(x.output)
              + " -> " + graph.name_of(x.target) + '.'
              + graph.name_of_input(x.target, x.input);
    if (x.physical)
      result += " physical";
    else if (!x.effective.is_zero())
      result += " " + caf::rosia::to_string(x.effective)
                + (x.effective == x.declared ? "" : " (eager)");
    if (x.wait)
      result += " maxwait " + std::to_string(x.wait->count());
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
