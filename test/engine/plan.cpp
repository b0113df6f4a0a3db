// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "plan.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace engine_test {

namespace {

bool is_instant(const connection_plan& x, const delay& d) {
  return !x.physical && d.is_zero();
}

/// Returns which connections are in a loop of connections without delay.
std::vector<bool> on_instant_loop(
  const plan& x, const std::vector<delay>& delays) {
  std::vector<std::pair<node_id, node_id>> edges;
  for (std::size_t i = 0; i < delays.size(); ++i)
    if (is_instant(x.connections[i], delays[i]))
      edges.emplace_back(x.connections[i].source, x.connections[i].target);
  auto reach = reachability(x.nodes.size(), edges);
  std::vector<bool> result(delays.size());
  for (std::size_t i = 0; i < delays.size(); ++i) {
    auto& c = x.connections[i];
    result[i] = is_instant(c, delays[i]) && reach[c.target][c.source];
  }
  return result;
}

std::vector<delay> declared_delays(const plan& x) {
  std::vector<delay> result;
  for (auto& c : x.connections)
    result.push_back(c.physical ? delay{} : c.distance);
  return result;
}

/// The edges of the reaction graph, between numbers of reactions.
struct reaction_edges {
  std::vector<node_id> first; // of each node, and the end
  std::vector<std::pair<node_id, node_id>> all;
  std::vector<std::size_t> connections; // of the last edges
};

/// Returns whether two reactions of a node may run at one tag.
bool may_both_run(const reaction_plan& x, const reaction_plan& y) {
  return x.mode == y.mode || x.mode == no_mode || y.mode == no_mode
         || x.at_shutdown || y.at_shutdown;
}

reaction_edges find_edges(const plan& x, const std::vector<delay>& delays) {
  reaction_edges result;
  result.first.push_back(0);
  for (auto& node : x.nodes) {
    auto begin = result.first.back();
    auto end = begin + static_cast<node_id>(node.reactions.size());
    for (auto i = begin; i < end; ++i)
      for (auto j = i + 1; j < end; ++j)
        if (may_both_run(node.reactions[i - begin], node.reactions[j - begin]))
          result.all.emplace_back(i, j);
    result.first.push_back(end);
  }
  for (std::size_t i = 0; i < delays.size(); ++i) {
    auto& c = x.connections[i];
    if (!is_instant(c, delays[i]))
      continue;
    auto& from = x.nodes[c.source];
    auto& to = x.nodes[c.target];
    for (std::uint32_t v = 0; v < from.reactions.size(); ++v)
      for (std::uint32_t w = 0; w < to.reactions.size(); ++w)
        if (from.may_write(from.reactions[v], c.output)
            && to.reactions[w].may_read(c.input)) {
          result.all.emplace_back(
            result.first[c.source] + v, result.first[c.target] + w);
          result.connections.push_back(i);
        }
  }
  return result;
}

/// Returns which connections carry an edge of a cycle of reactions.
std::vector<bool> on_reaction_cycle(
  const plan& x, const std::vector<delay>& delays) {
  auto edges = find_edges(x, delays);
  auto reach = reachability(edges.first.back(), edges.all);
  std::vector<bool> result(delays.size());
  auto before = edges.all.size() - edges.connections.size();
  for (std::size_t i = 0; i < edges.connections.size(); ++i) {
    auto [v, w] = edges.all[before + i];
    if (v == w || reach[w][v])
      result[edges.connections[i]] = true;
  }
  return result;
}

bool triggers_eager(const plan& x, const connection_plan& c) {
  auto& reactions = x.nodes[c.target].reactions;
  return std::any_of(reactions.begin(), reactions.end(), [&](auto& r) {
    return r.eager
           && std::find(r.triggers.begin(), r.triggers.end(), c.input)
                != r.triggers.end();
  });
}

// -- the choices of a random application --------------------------------------

class generator {
public:
  explicit generator(random_source& rng) : rng_(rng) {
    // nop
  }

  plan make() {
    auto size = rng_.chance(88) ? 2 + rng_.below(8) : 10 + rng_.below(31);
    outside_ = rng_.chance(35);
    // Either a request ends the application, or it must end by itself.
    requested_ = outside_ || rng_.chance(65);
    realtime_ = rng_.pick({0u, 0u, 0u, 50u, 100u});
    for (std::uint32_t i = 0; i < size; ++i)
      result_.nodes.push_back(make_node());
    connect();
    open_instant_loops();
    if (outside_)
      add_outside();
    if (requested_)
      add_ending();
    add_faults();
    // A separate source of random numbers, so that the rest of a seed's plan
    // does not change.
    auto more = rng_;
    add_more_faults(more);
    result_.max_in_flight = rng_.pick({1u, 2u, 3u, 1024u});
    result_.searching_loop_time_tables = rng_.chance(30);
    return std::move(result_);
  }

private:
  std::uint32_t mask(std::uint32_t outputs) {
    return 1 + rng_.below((1u << outputs) - 1);
  }

  delay make_pause() {
    return rng_.pick({ns(1), ns(2), ns(7), steps(1), steps(2), ns(1000)});
  }

  node_plan make_node() {
    node_plan x;
    x.seed = rng_.next();
    x.inputs = 1 + rng_.below(rng_.pick({1u, 2u, 4u}));
    x.outputs = 1 + rng_.below(rng_.pick({1u, 1u, 3u}));
    x.realtime = rng_.chance(realtime_);
    x.promises = rng_.chance(50);
    x.limit = rng_.pick({10u, 40u});
    if (rng_.chance(20))
      x.promised_gap = rng_.pick({steps(1), steps(3), ns(1), ns(5)});
    if (rng_.chance(30))
      x.start_outputs = mask(x.outputs);
    if (rng_.chance(35))
      x.timer = make_timer(x.outputs);
    auto reactions = rng_.pick({1u, 1u, 1u, 2u, 3u});
    for (std::uint32_t i = 0; i < reactions; ++i)
      x.reactions.push_back(make_reaction(x, i == 0));
    return x;
  }

  timer_plan make_timer(std::uint32_t outputs) {
    timer_plan x;
    x.outputs = mask(outputs);
    x.period = ns(rng_.pick({1, 2, 3, 5, 10}));
    x.ticks = rng_.pick({1u, 3u, 10u});
    if (rng_.chance(10))
      x.period = steps(1);
    else if (requested_ && rng_.chance(50))
      x.ticks = ~std::uint64_t{0};
    if (rng_.chance(50))
      x.offset = rng_.pick({ns(1), ns(4), steps(1), steps(2)});
    return x;
  }

  reaction_plan make_reaction(const node_plan& of, bool is_first) {
    reaction_plan x;
    // The first reaction has all triggers, so that no value is ignored.
    for (std::uint32_t i = 0; i < of.inputs; ++i)
      if (is_first || rng_.chance(60))
        x.triggers.push_back(i);
    if (x.triggers.empty())
      x.triggers.push_back(0);
    x.eager = rng_.chance(40);
    x.effect = rng_.pick(
      {action::nothing, action::relay, action::relay, action::relay,
       action::filter, action::yield, action::yield_twice, action::both});
    x.pause = make_pause();
    x.outputs = mask(of.outputs);
    return x;
  }

  // -- connections ------------------------------------------------------------

  delay make_delay(bool forward) {
    if (forward)
      return rng_.pick({delay{}, delay{}, delay{}, steps(1), ns(3), ns(1)});
    return rng_.pick({steps(1), steps(2), ns(5), ns(1), delay{}, delay{}});
  }

  void connect(node_id from, node_id to, const delay& d) {
    connection_plan x;
    x.source = from;
    x.output = rng_.below(result_.nodes[from].outputs);
    x.target = to;
    x.input = rng_.below(result_.nodes[to].inputs);
    x.distance = d;
    for (auto& y : result_.connections)
      if (x.source == y.source && x.output == y.output && x.target == y.target
          && x.input == y.input)
        return;
    result_.connections.push_back(x);
  }

  void connect() {
    auto size = static_cast<node_id>(result_.nodes.size());
    switch (rng_.below(6)) {
      case 0: // a ring, with chords
        for (node_id i = 0; i < size; ++i)
          connect(i, (i + 1) % size, make_delay(i + 1 < size));
        sprinkle(5);
        break;
      case 1: // two loops that share a node, with nodes around
        for (node_id i = 0; i < size; ++i) {
          auto half = size / 2;
          auto next = i + 1 == half ? 0 : i + 1 == size ? 0 : i + 1;
          if (i == 0 && half < size)
            connect(0, half, make_delay(true));
          connect(i, next, make_delay(next > i));
        }
        sprinkle(3);
        break;
      case 2: // from one node to all to one
        for (node_id i = 1; i + 1 < size; ++i) {
          connect(0, i, make_delay(true));
          connect(i, size - 1, make_delay(true));
        }
        if (rng_.chance(50))
          connect(size - 1, 0, make_delay(false));
        break;
      case 3: // layers
        for (node_id i = 0; i < size; ++i)
          for (node_id j = i + 1; j < size && j < i + 4; ++j)
            if (rng_.chance(50))
              connect(i, j, make_delay(true));
        break;
      default:
        sprinkle(0);
        break;
    }
  }

  void sprinkle(std::uint32_t percent) {
    auto size = static_cast<node_id>(result_.nodes.size());
    if (percent == 0)
      percent = size < 10 ? rng_.pick({15u, 28u, 40u}) : 200 / size;
    for (node_id i = 0; i < size; ++i)
      for (node_id j = 0; j < size; ++j)
        if (rng_.chance(percent))
          connect(i, j, make_delay(i < j));
  }

  void open_instant_loops() {
    for (;;) {
      auto bad = on_instant_loop(result_, effective_delays(result_));
      std::vector<std::size_t> candidates;
      for (std::size_t i = 0; i < bad.size(); ++i)
        if (bad[i])
          candidates.push_back(i);
      if (candidates.empty())
        return;
      result_.connections[rng_.pick(candidates)].distance
        = rng_.chance(80) ? steps(1) : ns(2);
    }
  }

  // -- values from outside ----------------------------------------------------

  void add_outside() {
    auto size = static_cast<node_id>(result_.nodes.size());
    for (node_id i = 0; i < size; ++i) {
      auto& x = result_.nodes[i];
      if (rng_.chance(25)) {
        auto reaction = make_reaction(x, false);
        reaction.eager = false;
        reaction.triggers = {x.inputs};
        if (reaction.effect == action::nothing)
          reaction.effect = action::relay;
        x.reactions.push_back(reaction);
        x.physical_actions.push_back(x.inputs++);
      }
      if (rng_.chance(10))
        x.physical_actions.push_back(rng_.below(x.inputs));
    }
    for (auto& x : result_.connections)
      if (rng_.chance(12) && x.source != x.target) {
        x.physical = true;
        x.distance = {};
      }
    open_instant_loops();
    for (std::uint32_t i = rng_.below(10); i > 0; --i) {
      call_plan x;
      x.at = rng_.below(rng_.pick({20u, 100u}));
      x.node = rng_.below(size);
      x.value = rng_.next() % 1'000'000;
      auto& actions = result_.nodes[x.node].physical_actions;
      if (actions.empty())
        continue;
      x.input = rng_.pick(actions);
      result_.calls.push_back(x);
    }
    std::stable_sort(result_.calls.begin(), result_.calls.end(),
                     [](auto& x, auto& y) { return x.at < y.at; });
  }

  // -- endings ----------------------------------------------------------------

  logical_time make_tag() {
    return rng_.pick(
      {logical_time{0, 0}, logical_time{0, 2}, logical_time{5, 0},
       logical_time{10, 0}, logical_time{20, 1}, logical_time{60, 0}});
  }

  void add_ending() {
    // One request that certainly happens, and some that may.
    outside_request sure;
    switch (rng_.below(outside_ ? 3 : 4)) {
      case 0:
        sure.at = rng_.pick({5, 30, 100});
        break;
      case 1:
        sure.at_step = rng_.below(600);
        break;
      case 2:
        sure.at = rng_.pick({0, 5, 30});
        sure.proposal = make_tag();
        break;
      default:
        result_.stop_after = make_tag();
        break;
    }
    if (!result_.stop_after)
      result_.outside_requests.push_back(sure);
    for (auto i = rng_.below(3); i > 0; --i) {
      request_plan x;
      x.at = rng_.pick({1u, 1u, 2u, 3u, 5u, 10u});
      if (rng_.chance(60))
        x.after = rng_.pick({ns(0), ns(5), ns(20), ns(40), steps(2)});
      x.status = static_cast<int>(rng_.below(3));
      result_.nodes[rng_.below(result_.nodes.size())].requests.push_back(x);
    }
    if (rng_.chance(10))
      result_.outside_requests.push_back(
        {rng_.below(1000), 0, rng_.chance(50) ? never : make_tag()});
  }

  void add_faults() {
    auto victim = rng_.below(result_.nodes.size());
    auto draw = rng_.below(100);
    if (draw < 3)
      result_.nodes[victim].fails_at = 1 + rng_.below(10);
    else if (draw < 6)
      result_.vanishes.emplace(rng_.below(300), victim);
  }

  void add_more_faults(random_source& rng) {
    auto size = result_.nodes.size();
    if (rng.chance(25))
      for (auto i = 1 + rng.below(size); i > 0; --i) {
        auto from = std::uint64_t{rng.below(500)};
        result_.pauses.push_back(
          {rng.below(size), from, from + rng.below(400)});
      }
    if (rng.chance(90))
      return;
    // One fault, or several.
    for (auto i = rng.pick({1u, 1u, 2u, 3u}); i > 0; --i) {
      auto& node = result_.nodes[rng.below(size)];
      switch (rng.below(6)) {
        case 0:
          result_.sticks.emplace(rng.below(300), rng.below(size));
          break;
        case 1:
          result_.overdue.push_back(rng.below(600));
          break;
        case 2:
          result_.second_signal = rng.below(500);
          break;
        case 3:
          node.shutdown_fails = true;
          break;
        case 4:
          node.requests.push_back(
            {0, ns(rng.pick({0, 5, 20})), static_cast<int>(rng.below(3))});
          break;
        default:
          node.fails_at = 0;
      }
    }
  }

  random_source& rng_;
  plan result_;
  bool outside_ = false;
  bool requested_ = false;
  std::uint32_t realtime_ = 0; // percent of the nodes
};

} // namespace

// -- free functions -----------------------------------------------------------

plan make_plan(random_source& rng) {
  return generator{rng}.make();
}

void add_actions(plan& x, random_source& rng) {
  for (auto& node : x.nodes) {
    if (rng.chance(40))
      continue;
    node.actions = 1 + rng.below(2);
    for (auto& reaction : node.reactions) {
      reaction.scheduled = rng.below(node.actions);
      if (rng.chance(60))
        reaction.effect = rng.pick({action::schedule, action::repeat});
      for (std::uint32_t i = 0; i < node.actions; ++i)
        if (rng.chance(60))
          reaction.acts.push_back(i);
    }
  }
}

void add_spacings(plan& x, random_source& rng) {
  using enum caf::rosia::spacing_policy;
  auto some_spacing = [&] {
    return caf::rosia::spacing{
      std::chrono::nanoseconds{rng.pick({0, 0, 1, 2, 5, 10})},
      rng.pick({defer, drop, replace, update})};
  };
  for (auto& node : x.nodes) {
    for (std::uint32_t i = 0; i < node.actions; ++i) {
      auto& spacing = node.spacings.emplace_back();
      if (rng.chance(75))
        spacing = some_spacing();
    }
    std::set<std::uint32_t> inputs{
      node.physical_actions.begin(), node.physical_actions.end()};
    auto has_lead = true;
    for (auto input : inputs) {
      caf::rosia::engine::stamped_queue::action_options options{input};
      if (rng.chance(60))
        options.spacing = some_spacing();
      if (rng.chance(60))
        options.after
          = delay{std::chrono::nanoseconds{rng.pick({1, 5, 20, 100})}};
      has_lead = has_lead && !options.after.is_zero();
      if (has_lead)
        node.lead
          = node.lead.is_zero()
              ? options.after
              : std::min(node.lead, options.after);
      if (options.spacing || !options.after.is_zero())
        node.spaced.push_back(options);
    }
    if (!has_lead)
      node.lead = {};
  }
}

void add_max_waits(plan& x, random_source& rng) {
  std::vector<std::pair<node_id, node_id>> edges;
  for (auto& c : x.connections)
    if (!c.physical)
      edges.emplace_back(c.source, c.target);
  auto reach = reachability(x.nodes.size(), edges);
  for (auto& c : x.connections)
    c.waits = !c.physical && c.source != c.target && !reach[c.target][c.source]
              && rng.chance(60);
}

void add_last_tags(plan& x, random_source& rng) {
  for (auto& node : x.nodes) {
    if (rng.chance(60))
      continue;
    for (auto& reaction : node.reactions)
      reaction.at_shutdown = reaction.effect != action::tick && rng.chance(40);
    if (rng.chance(50))
      continue;
    auto& added = node.reactions.emplace_back();
    added.at_shutdown = true;
    added.effect = rng.pick(
      {action::nothing, action::relay, action::relay, action::filter,
       action::yield, action::both});
    added.pause = rng.pick({ns(1), ns(7), steps(1)});
    added.outputs = 1 + rng.below((1u << node.outputs) - 1);
  }
}

void add_modes(plan& x, random_source& rng) {
  for (auto& node : x.nodes) {
    if (rng.chance(30))
      continue;
    node.modes = rng.pick({1u, 2u, 2u, 3u});
    auto some_mode
      = [&] { return rng.chance(40) ? no_mode : rng.below(node.modes); };
    for (std::uint32_t i = 0; i < node.actions; ++i) {
      auto is_tick = node.timer && node.timer->action == i;
      node.action_modes.push_back(is_tick ? no_mode : some_mode());
      if (node.action_modes.back() != no_mode && i < node.spacings.size())
        node.spacings[i].reset();
    }
    for (auto& reaction : node.reactions) {
      if (reaction.effect == action::tick)
        continue;
      reaction.mode = some_mode();
      for (std::uint32_t i = 0; i < node.modes; ++i)
        if (rng.chance(20))
          reaction.on_modes.push_back(i);
    }
  }
}

void make_resumable(plan& x) {
  for (auto& node : x.nodes) {
    for (auto& reaction : node.reactions)
      if (reaction.effect == action::yield
          || reaction.effect == action::yield_twice
          || reaction.effect == action::both)
        reaction.effect
          = node.actions == 0 ? action::relay
            : reaction.effect == action::both
              ? action::repeat
              : action::schedule;
    if (!node.timer)
      continue;
    node.timer->action = node.actions++;
    reaction_plan tick;
    tick.effect = action::tick;
    tick.acts.push_back(*node.timer->action);
    node.reactions.push_back(tick);
  }
}

plan make_resumed_plan(const plan& x, logical_time tag, random_source& rng) {
  auto result = x;
  result.vanishes.reset();
  result.sticks.reset();
  result.second_signal.reset();
  result.overdue.clear();
  for (auto& pause : result.pauses)
    pause.node = rng.below(x.nodes.size());
  result.max_in_flight = rng.pick({1u, 2u, 3u, 1024u, x.max_in_flight});
  result.searching_loop_time_tables = rng.chance(30);
  result.processes.clear();
  if (rng.chance(60)) {
    auto n = 1 + rng.below(4);
    for (std::size_t i = 0; i < x.nodes.size(); ++i)
      result.processes.push_back(rng.below(n));
  }
  for (auto& call : result.calls)
    if (call.at <= tag.ns)
      call.at += tag.ns + 1;
  std::stable_sort(result.calls.begin(), result.calls.end(),
                   [](auto& y, auto& z) { return y.at < z.at; });
  auto later = [&](logical_time wanted) {
    return wanted == never || wanted > tag
             ? wanted
             : logical_time{wanted.ns + tag.ns, wanted.microstep};
  };
  for (auto& request : result.outside_requests) {
    request.proposal = later(request.proposal);
    if (request.at <= tag.ns)
      request.at += tag.ns;
  }
  if (result.stop_after)
    result.stop_after
      = std::max(later(*result.stop_after), logical_time{tag.ns + 1, 0});
  if (!result.processes.empty())
    join_processes(result);
  return result;
}

bool reaction_plan::may_read(std::uint32_t input) const noexcept {
  auto has = [input](auto& xs) {
    return std::find(xs.begin(), xs.end(), input) != xs.end();
  };
  return !declares || has(triggers) || has(reads);
}

std::uint32_t node_plan::writes(const reaction_plan& x) const noexcept {
  switch (x.effect) {
    case action::nothing:
    case action::yield:
    case action::yield_twice:
      return 0;
    case action::tick:
      return timer->outputs;
    default:
      return x.outputs;
  }
}

std::uint32_t node_plan::writes_later(const reaction_plan& x) noexcept {
  switch (x.effect) {
    case action::yield:
    case action::yield_twice:
    case action::both:
      return x.outputs;
    default:
      return 0;
  }
}

bool plan::declares() const noexcept {
  return std::any_of(nodes.begin(), nodes.end(), [](auto& x) {
    return std::any_of(x.reactions.begin(), x.reactions.end(), [](auto& y) {
      return y.declares;
    });
  });
}

void add_declarations(plan& x, random_source& rng) {
  auto declaring = rng.pick({60u, 90u, 100u, 100u});
  for (auto& node : x.nodes) {
    // Reactions to few inputs, each of which triggers one at least.
    auto old = std::exchange(node.reactions, {});
    auto others = std::stable_partition(old.begin(), old.end(), [](auto& r) {
      return r.effect == action::tick;
    });
    node.reactions.assign(old.begin(), others);
    old.erase(old.begin(), others);
    for (std::uint32_t i = 0; i < node.inputs; ++i)
      for (auto n = rng.pick({1u, 1u, 2u}); n > 0; --n) {
        auto& added = node.reactions.emplace_back(rng.pick(old));
        added.triggers = {i};
        if (auto j = rng.below(node.inputs); j != i && rng.chance(15))
          added.triggers.push_back(j);
        if (rng.chance(30))
          added.effect = action::nothing;
        added.outputs = 1 + rng.below((1u << node.outputs) - 1);
      }
    for (auto& reaction : node.reactions) {
      reaction.declares = rng.chance(declaring);
      for (std::uint32_t j = 0; j < node.inputs; ++j)
        if (rng.chance(15))
          reaction.reads.push_back(j);
    }
    for (auto i = node.reactions.size(); i > 1; --i)
      std::swap(node.reactions[i - 1], node.reactions[rng.below(i)]);
  }
  auto is_cyclic
    = [&] { return order_reactions(x, effective_delays(x)).is_cyclic; };
  while (is_cyclic()) {
    auto closes = on_reaction_cycle(x, effective_delays(x));
    auto first = std::find(closes.begin(), closes.end(), true);
    x.connections[static_cast<std::size_t>(first - closes.begin())].distance
      = steps(1);
  }
  remove_delays(x, rng);
}

void remove_delays(plan& x, random_source& rng) {
  auto is_cyclic
    = [&] { return order_reactions(x, effective_delays(x)).is_cyclic; };
  for (auto& c : x.connections) {
    if (c.physical || rng.chance(30))
      continue;
    auto before = std::exchange(c.distance, delay{});
    if (is_cyclic())
      c.distance = before;
  }
}

void join_processes(plan& x) {
  auto instant = on_instant_loop(x, effective_delays(x));
  std::vector<std::pair<node_id, node_id>> edges;
  for (auto& c : x.connections)
    if (!c.physical)
      edges.emplace_back(c.source, c.target);
  auto reach = reachability(x.nodes.size(), edges);
  for (std::size_t i = 0; i < instant.size(); ++i)
    if (auto first = x.connections[i].source; instant[i])
      for (node_id j = 0; j < x.nodes.size(); ++j)
        if (reach[first][j] && reach[j][first])
          x.processes[j] = x.processes[first];
}

reaction_order order_reactions(
  const plan& x, const std::vector<delay>& delays) {
  auto edges = find_edges(x, delays);
  auto size = edges.first.back();
  std::vector<std::uint32_t> before(size);
  std::vector<std::vector<node_id>> next(size);
  for (auto& [v, w] : edges.all) {
    ++before[w];
    next[v].push_back(w);
  }
  std::set<node_id> ready;
  for (node_id v = 0; v < size; ++v)
    if (before[v] == 0)
      ready.insert(v);
  reaction_order result;
  while (!ready.empty()) {
    auto v = *ready.begin();
    ready.erase(ready.begin());
    auto node = static_cast<node_id>(
      std::upper_bound(edges.first.begin(), edges.first.end(), v)
      - edges.first.begin() - 1);
    result.sorted.push_back({node, v - edges.first[node]});
    for (auto w : next[v])
      if (--before[w] == 0)
        ready.insert(w);
  }
  result.is_cyclic = result.sorted.size() < size;
  return result;
}

std::vector<delay> effective_delays(const plan& x) {
  auto result = declared_delays(x);
  auto closes
    = x.declares() ? on_reaction_cycle(x, result) : on_instant_loop(x, result);
  for (std::size_t i = 0; i < result.size(); ++i)
    if (closes[i] && triggers_eager(x, x.connections[i]))
      result[i] = steps(1);
  return result;
}

std::vector<std::vector<bool>> reachability(
  std::size_t nodes, const std::vector<std::pair<node_id, node_id>>& edges) {
  std::vector<std::vector<node_id>> next(nodes);
  for (auto& [from, to] : edges)
    next[from].push_back(to);
  std::vector<std::vector<bool>> result(nodes, std::vector<bool>(nodes));
  for (std::size_t root = 0; root < nodes; ++root) {
    std::vector<node_id> frontier = next[root];
    while (!frontier.empty()) {
      auto at = frontier.back();
      frontier.pop_back();
      if (result[root][at])
        continue;
      result[root][at] = true;
      frontier.insert(frontier.end(), next[at].begin(), next[at].end());
    }
  }
  return result;
}

std::string to_string(const plan& x) {
  using std::to_string;
  std::string result = "max_in_flight " + to_string(x.max_in_flight);
  if (x.stop_after)
    result += ", stop_after " + caf::rosia::to_string(*x.stop_after);
  if (x.vanishes)
    result += ", node " + to_string(x.vanishes->second) + " vanishes at step "
              + to_string(x.vanishes->first);
  for (auto& p : x.pauses)
    result += ", node " + to_string(p.node) + " pauses from step "
              + to_string(p.from) + " to " + to_string(p.until);
  if (x.sticks)
    result += ", node " + to_string(x.sticks->second) + " gets stuck at step "
              + to_string(x.sticks->first);
  for (auto step : x.overdue)
    result += ", a deadline passes at step " + to_string(step);
  if (x.second_signal)
    result
      += ", the application is aborted at step " + to_string(*x.second_signal);
  result += '\n';
  for (std::size_t i = 0; i < x.nodes.size(); ++i) {
    auto& n = x.nodes[i];
    result += "node " + to_string(i) + ":";
    if (!x.processes.empty())
      result += " in process " + to_string(x.processes[i]);
    if (n.realtime)
      result += " realtime";
    if (n.external())
      result += " external";
    if (n.promises)
      result += " promises";
    if (n.promised_gap)
      result += " promises " + to_string(*n.promised_gap);
    if (n.start_outputs != 0)
      result += " writes at start";
    if (n.timer)
      result += " timer of " + to_string(n.timer->ticks) + " times "
                + to_string(n.timer->period) + " from "
                + to_string(n.timer->offset.value_or(delay{}));
    for (std::size_t j = 0; j < n.action_modes.size(); ++j)
      if (n.action_modes[j] != no_mode)
        result += "; action " + to_string(j) + " of mode "
                  + to_string(n.action_modes[j]);
    for (auto& r : n.reactions) {
      result += "; reaction";
      if (r.eager)
        result += " eager";
      for (auto input : r.triggers)
        result += " on " + to_string(input);
      if (r.declares) {
        result += " declares";
        for (auto input : r.reads)
          result += " reads " + to_string(input);
        result += " writes " + to_string(n.writes(r)) + " later "
                  + to_string(n.writes_later(r));
      }
      for (auto a : r.acts)
        result += " on action " + to_string(a);
      if (r.at_shutdown)
        result += " at the last tag";
      if (r.mode != no_mode)
        result += " of mode " + to_string(r.mode);
      for (auto mode : r.on_modes)
        result += " on mode " + to_string(mode);
      result += " does " + to_string(static_cast<int>(r.effect)) + " pause "
                + to_string(r.pause);
    }
    for (auto& r : n.requests)
      result += "; requests at execution " + to_string(r.at) + " an end after "
                + to_string(r.after.value_or(delay{}));
    if (n.fails_at)
      result += "; fails at " + to_string(*n.fails_at);
    if (n.shutdown_fails)
      result += "; fails in shutdown()";
    result += '\n';
  }
  auto delays = effective_delays(x);
  for (std::size_t i = 0; i < delays.size(); ++i) {
    auto& c = x.connections[i];
    result
      += "connection " + to_string(i) + ": " + to_string(c.source) + "."
         + to_string(c.output) + " to " + to_string(c.target) + "."
         + to_string(c.input) + " "
         + (c.physical ? "physical" : to_string(delays[i]))
         + (c.waits ? ", with a maximal wait\n" : "\n");
  }
  for (auto& c : x.calls)
    result += "call at " + to_string(c.at) + " of node " + to_string(c.node)
              + " input " + to_string(c.input) + '\n';
  for (auto& r : x.outside_requests)
    result
      += "request for " + caf::rosia::to_string(r.proposal) + " at "
         + (r.at_step ? "step " + to_string(*r.at_step)
                      : "time " + to_string(r.at))
         + '\n';
  return result;
}

} // namespace engine_test
