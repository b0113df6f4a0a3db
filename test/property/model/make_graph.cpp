// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/model/graph.hpp"
#include "property/model/random.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace model {

namespace {

using std::chrono::nanoseconds;

/// Makes one graph.
class generator {
public:
  generator(std::uint64_t seed, const graph_options& opts)
    : rng_(seed), opts_(opts) {
    graph_.seed = seed;
  }

  graph_spec run() {
    choose_mode();
    make_edges();
    make_nodes();
    connect();
    if (graph_.physical) {
      add_physical();
      forget_all_forwards();
    }
    add_requests();
    if (rng_.percent(opts_.fails))
      add_failure();
    // A separate source of random numbers, so that the rest of a seed's graph
    // does not change.
    rng_ = random{mix(graph_.seed, 0xac7)};
    if (rng_.percent(opts_.schedules))
      for (auto& x : graph_.nodes)
        if (rng_.percent(60) && !is_stopper(x))
          add_actions(x);
    rng_ = random{mix(graph_.seed, 0x71c)};
    if (rng_.percent(opts_.ticks))
      for (auto& x : graph_.nodes)
        if (rng_.percent(60) && !is_stopper(x))
          add_ticks(x);
    rng_ = random{mix(graph_.seed, 0x5ac)};
    if (rng_.percent(opts_.spacings))
      add_spacings();
    rng_ = random{mix(graph_.seed, 0x1a57)};
    if (rng_.percent(opts_.last_tags))
      add_last_tags();
    rng_ = random{mix(graph_.seed, 0xdead)};
    if (rng_.percent(opts_.deadlines))
      add_deadlines();
    rng_ = random{mix(graph_.seed, 0x30de)};
    if (rng_.percent(opts_.modes))
      add_modes();
    rng_ = random{mix(graph_.seed, 0xdec1)};
    if (rng_.percent(opts_.declarations))
      add_declarations();
    rng_ = random{mix(graph_.seed, 0xd06)};
    if (graph_.physical && rng_.percent(opts_.watchdogs))
      add_watchdogs();
    rng_ = random{mix(graph_.seed, 0xba2)};
    if (rng_.percent(opts_.banks))
      add_banks();
    rng_ = random{mix(graph_.seed, 0xc03)};
    if (rng_.percent(opts_.composites))
      add_composites();
    rng_ = random{mix(graph_.seed, 0x3a17)};
    if (rng_.percent(opts_.waits))
      add_waits();
    return std::move(graph_);
  }

private:
  struct edge {
    std::uint32_t source;
    std::uint32_t target;
  };

  // -- the graph --------------------------------------------------------------

  void choose_mode() {
    graph_.physical = rng_.percent(opts_.physical);
    graph_.realtime = rng_.percent(graph_.physical ? 50 : opts_.realtime);
    graph_.max_in_flight = rng_.pick({1u, 1u, 2u, 3u, 1024u, 1024u});
    auto most = opts_.nodes;
    auto size = rng_.below(100);
    if (size < 4) { // few nodes that use up their turns
      size_ = rng_.between(1, std::min(4u, most));
      limit_ = rng_.pick({300u, 600u});
    } else if (size < 65) {
      size_ = rng_.between(1, std::min(8u, most));
      limit_ = rng_.pick({4u, 12u, 25u, 60u});
    } else if (size < 88 || most <= 16) {
      size_ = rng_.between(std::min(8u, most), std::min(16u, most));
      limit_ = rng_.pick({4u, 10u, 20u});
    } else {
      size_ = rng_.between(17, most);
      limit_ = rng_.pick({3u, 6u, 12u});
    }
    if (size_ < opts_.least_nodes) {
      size_ = rng_.between(opts_.least_nodes, most);
      limit_ = rng_.pick({3u, 9u});
    }
    // If physical time matters, tags must be close.
    in_physical_time_ = graph_.physical || graph_.realtime;
    unit_ = in_physical_time_
              ? rng_.pick({200, 1000, 3000})
              : rng_.pick({1, 1, 1000, 1000000});
  }

  /// Chooses the connected pairs of nodes.
  void make_edges() {
    auto n = size_;
    auto add = [this](std::uint32_t from, std::uint32_t to) {
      edges_.push_back({from, to});
    };
    auto add_random = [&](std::uint32_t count) {
      for (std::uint32_t i = 0; i < count; ++i)
        add(rng_.below(n), rng_.below(n));
    };
    auto ring = [&](std::uint32_t first, std::uint32_t last) {
      for (auto i = first; i < last; ++i)
        add(i, i + 1);
      add(last, first);
    };
    switch (rng_.below(9)) {
      case 0: // any pairs
      case 1:
        add_random(n * rng_.between(1, 5) / 2);
        break;
      case 2: // forward only
        for (std::uint32_t i = 0; i < n * rng_.between(1, 4) / 2; ++i) {
          auto x = rng_.below(n);
          auto y = rng_.below(n);
          if (x != y)
            add(std::min(x, y), std::max(x, y));
        }
        break;
      case 3: // a ring with chords
        ring(0, n - 1);
        add_random(rng_.below(n));
        break;
      case 4: { // rings that share nodes
        for (std::uint32_t i = 0; i < rng_.between(2, 4); ++i) {
          auto x = rng_.below(n);
          ring(x, rng_.between(x, n - 1));
        }
        add_random(rng_.below(3));
        break;
      }
      case 5: // rings within rings
        for (std::uint32_t first = 0, last = n - 1; first <= last;
             first += rng_.between(1, 3), last -= std::min(last, 1u))
          ring(first, last);
        break;
      case 6: // a chain, with some feedback
        for (std::uint32_t i = 0; i + 1 < n; ++i)
          add(i, i + 1);
        add_random(rng_.below(3));
        break;
      case 7: // fan-out and fan-in
        for (std::uint32_t i = 1; i + 1 < n; ++i) {
          add(0, i);
          add(i, n - 1);
        }
        add_random(rng_.below(3));
        break;
      default: // separate parts
        for (std::uint32_t i = 0; i + 1 < n; i += 2)
          rng_.percent(50) ? ring(i, i + 1) : add(i, i + 1);
        add_random(rng_.below(3));
        break;
    }
  }

  // -- nodes ------------------------------------------------------------------

  void make_nodes() {
    for (std::uint32_t i = 0; i < size_; ++i) {
      auto in_degree = static_cast<std::uint32_t>(std::count_if(
        edges_.begin(), edges_.end(), [i](auto& x) { return x.target == i; }));
      auto out_degree = static_cast<std::uint32_t>(std::count_if(
        edges_.begin(), edges_.end(), [i](auto& x) { return x.source == i; }));
      graph_.nodes.push_back(make_node(in_degree, out_degree));
    }
  }

  node_spec make_node(std::uint32_t in_degree, std::uint32_t out_degree) {
    node_spec result;
    result.seed = rng_.next();
    result.limit = rng_.between(limit_ / 3, limit_);
    if (in_degree > 0)
      result.inputs.resize(rng_.between(1, std::min(in_degree, 3u)));
    else if (rng_.percent(10))
      result.inputs.resize(1); // stays unconnected
    result.outputs
      = out_degree > 0
          ? rng_.between(1, std::min(out_degree, 2u))
          : rng_.below(2);
    if (graph_.realtime ? rng_.percent(20)
                        : in_physical_time_ && rng_.percent(10))
      result.realtime = rng_.percent(50);
    if (result.inputs.empty() ? rng_.percent(95) : rng_.percent(15))
      result.start = make_timer(result);
    else if (rng_.percent(30))
      result.start = make_script(result, false);
    add_reactions(result);
    return result;
  }

  void add_reactions(node_spec& node) {
    auto inputs = static_cast<std::uint32_t>(node.inputs.size());
    if (inputs == 0)
      return;
    std::vector<bool> triggers(inputs);
    for (auto count = rng_.between(1, 3); count > 0; --count) {
      auto& reaction = node.reactions.emplace_back();
      for (std::uint32_t i = 0; i < inputs; ++i)
        if (rng_.percent(60)) {
          reaction.triggers.push_back(i);
          triggers[i] = true;
        }
      if (reaction.triggers.empty()) {
        reaction.triggers.push_back(rng_.below(inputs));
        triggers[reaction.triggers[0]] = true;
      }
      reaction.eager = rng_.percent(35);
      reaction.code = make_script(node, true);
    }
    for (std::uint32_t i = 0; i < inputs; ++i)
      if (!triggers[i] && rng_.percent(90))
        node.reactions[rng_.below(node.reactions.size())].triggers.push_back(i);
    for (auto& x : node.reactions)
      std::sort(x.triggers.begin(), x.triggers.end());
  }

  // -- code -------------------------------------------------------------------

  delay some_delay(bool may_be_big) {
    auto u = [this](std::int64_t n) { return delay{nanoseconds{n * unit_}}; };
    switch (rng_.below(may_be_big && !in_physical_time_ ? 13 : 11)) {
      case 0:
      case 1:
        return microsteps(1);
      case 2:
        return microsteps(2);
      case 3:
        return nanoseconds{0}; // one microstep
      case 4:
      case 5:
        return u(1);
      case 6:
        return u(2);
      case 7:
        return u(3);
      case 8:
        return u(5);
      case 9:
        return u(7);
      case 10:
        return u(10);
      case 11:
        return u(1'000'000);
      default:
        // Some sums of these exceed the range of tags.
        return rng_.percent(20)
                 ? delay{nanoseconds{5'000'000'000'000'000'000}}
                 : u(1'000);
    }
  }

  step make_write(const node_spec& node, bool reacts) {
    step result;
    if (node.outputs == 0) {
      result.kind = action::recall;
      return result;
    }
    result.port = rng_.below(node.outputs);
    result.one_in = rng_.pick({1u, 1u, 1u, 2u, 3u});
    if (reacts && rng_.percent(15)) {
      result.kind = action::forward;
      result.other = rng_.below(node.inputs.size());
    }
    if (rng_.percent(20))
      result.distance = some_delay(false);
    return result;
  }

  step make_yield() {
    step result;
    result.kind = action::yield;
    result.distance = some_delay(true);
    return result;
  }

  script make_timer(const node_spec& node) {
    script result;
    result.rounds = rng_.pick({3u, 10u, 1'000'000u, 1'000'000u});
    auto write = make_write(node, false);
    write.one_in = 1;
    auto period = make_yield();
    if (period.distance->ns() == 0 || rng_.percent(50))
      period.distance = delay{nanoseconds{rng_.pick({1, 2, 3, 5, 10}) * unit_}};
    if (rng_.percent(50))
      write.distance = period.distance;
    result.steps = {write, period};
    if (rng_.percent(40)) { // an offset, which may be promised
      std::swap(result.steps[0], result.steps[1]);
      if (node.outputs > 0 && rng_.percent(50))
        result.steps.insert(
          result.steps.begin(),
          {.kind = action::promise,
           .port = write.port,
           .distance = period.distance});
    }
    result.nested = rng_.percent(20);
    return result;
  }

  script make_script(const node_spec& node, bool reacts) {
    script result;
    auto& steps = result.steps;
    auto write = [&] { steps.push_back(make_write(node, reacts)); };
    auto yield = [&] { steps.push_back(make_yield()); };
    switch (rng_.below(8)) {
      case 0: // relay
      case 1:
        write();
        break;
      case 2: // filter
        write();
        steps.back().one_in = 3;
        break;
      case 3: // yield
        yield();
        write();
        break;
      case 4: // both
        write();
        yield();
        steps.back().one_in = 2;
        write();
        break;
      case 5: // yield twice
        yield();
        write();
        yield();
        write();
        break;
      default: // any steps
        for (auto count = rng_.between(1, 7); count > 0; --count)
          steps.push_back(make_step(node, reacts));
        if (result.yields() && rng_.percent(30))
          result.rounds = rng_.between(2, 4);
        break;
    }
    if (rng_.percent(50))
      steps.push_back({.kind = action::recall});
    result.nested = result.yields() && rng_.percent(25);
    return result;
  }

  step make_step(const node_spec& node, bool reacts) {
    auto percent = rng_.below(100);
    if (percent < 50)
      return make_write(node, reacts);
    if (percent < 80)
      return make_yield();
    if (percent < 90)
      return {.kind = action::end, .one_in = rng_.pick({2u, 3u})};
    if (percent < 95 || node.outputs == 0)
      return {.kind = action::recall};
    return {.kind = action::promise,
            .port = rng_.below(node.outputs),
            .one_in = 2,
            .distance = some_delay(false)};
  }

  // -- connections ------------------------------------------------------------

  delay connection_delay(const edge& x) {
    if (x.source < x.target ? rng_.percent(60) : rng_.percent(30))
      return {};
    return some_delay(rng_.percent(15));
  }

  void connect() {
    std::set<
      std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>>
      seen;
    for (auto i = edges_.size(); i > 1; --i)
      std::swap(edges_[i - 1], edges_[rng_.below(i)]);
    for (auto& link : edges_) {
      auto& from = graph_.nodes[link.source];
      auto& to = graph_.nodes[link.target];
      connection_spec c;
      c.source = link.source;
      c.output = rng_.below(from.outputs);
      c.target = link.target;
      c.input = rng_.below(to.inputs.size());
      if (!seen.emplace(c.source, c.output, c.target, c.input).second)
        continue;
      c.declared = connection_delay(link);
      c.physical = graph_.physical && rng_.percent(15);
      if (c.physical)
        c.declared = {};
      graph_.connections.push_back(c);
    }
    forbid_cycles(graph_);
  }

  // -- actions ----------------------------------------------------------------

  void add_actions(node_spec& node) {
    node.actions = rng_.between(1, 2);
    if (rng_.percent(40))
      node.reactions.push_back(
        {.triggers = {},
         .code = make_script(node, false),
         .acts = {rng_.below(node.actions)}});
    for (auto& reaction : node.reactions) {
      if (rng_.percent(50))
        reaction.acts
          = rng_.percent(50)
              ? std::vector{rng_.below(node.actions)}
              : all_below(node.actions);
      if (rng_.percent(60))
        insert(reaction.code, make_schedule(node));
    }
    if (!node.start)
      node.start.emplace();
    insert(*node.start, make_schedule(node));
  }

  void add_spacings() {
    for (auto& node : graph_.nodes) {
      if (is_stopper(node))
        break;
      node.spacings.resize(node.actions);
      for (auto& x : node.spacings)
        if (rng_.percent(75))
          x = some_spacing();
      for (auto& x : node.inputs) {
        if (x.physical && rng_.percent(60))
          x.spacing = some_spacing();
        if (x.physical && rng_.percent(40))
          x.after = delay{nanoseconds{rng_.pick({1, 5, 20}) * unit_}};
      }
    }
  }

  caf::rosia::spacing some_spacing() {
    using enum caf::rosia::spacing_policy;
    auto units = rng_.pick({0, 0, 1, 2, 4, 7, 20});
    auto distance
      = !in_physical_time_ && rng_.percent(3)
          ? nanoseconds::max()
          : nanoseconds{units * unit_};
    return {distance, rng_.pick({defer, drop, replace, update})};
  }

  void add_ticks(node_spec& node) {
    for (auto count = rng_.between(1, 2); count > 0; --count) {
      auto& x = node.ticks.emplace_back();
      x.offset = unit_ * rng_.pick({0, 0, 1, 7});
      // Otherwise the application would never end.
      if (graph_.stop_after && rng_.percent(70))
        x.period = graph_.stop_after->ns / rng_.pick({1, 3, 20}) + 1;
    }
    if (rng_.percent(50))
      node.reactions.push_back(
        {.triggers = {},
         .code = make_script(node, false),
         .ticks = {rng_.below(node.ticks.size())}});
    for (auto& x : node.reactions)
      if (rng_.percent(50))
        x.ticks = all_below(static_cast<std::uint32_t>(node.ticks.size()));
  }

  void add_last_tags() {
    for (auto& node : graph_.nodes) {
      if (rng_.percent(60) || is_stopper(node))
        continue;
      for (auto& x : node.reactions)
        x.at_shutdown = rng_.percent(40);
      if (rng_.percent(60))
        node.reactions.push_back(
          {.triggers = {},
           .code = make_script(node, false),
           .at_shutdown = true});
    }
  }

  /// Only a graph whose runs differ anyway may miss deadlines.
  void add_deadlines() {
    for (auto& node : graph_.nodes) {
      if (is_stopper(node))
        break;
      for (auto& reaction : node.reactions) {
        if (rng_.percent(50))
          continue;
        reaction.deadline
          = graph_.physical
              ? unit_ * rng_.pick({0, 0, 1, 5, 30})
              : nanoseconds{std::chrono::hours{1}}.count();
        if (rng_.percent(70))
          reaction.handler = make_script(node, false);
        for (auto* code :
             {&reaction.code, reaction.handler ? &*reaction.handler : nullptr})
          for (auto asks = rng_.below(4); code != nullptr && asks > 0; --asks)
            insert(*code, {.kind = action::ask});
      }
    }
  }

  // -- modes ------------------------------------------------------------------

  void add_modes() {
    for (auto& node : graph_.nodes) {
      if (is_stopper(node))
        break;
      if (rng_.percent(30))
        continue;
      node.modes = rng_.pick({1u, 2u, 2u, 3u});
      auto some_mode = [&] {
        return rng_.percent(40) ? mode_number{} : rng_.below(node.modes);
      };
      for (std::uint32_t i = 0; i < node.actions; ++i)
        node.action_modes.push_back(
          node.spacing_of(i) ? mode_number{} : some_mode());
      for (auto& x : node.ticks)
        x.mode = some_mode();
      for (auto& reaction : node.reactions) {
        reaction.mode = some_mode();
        for (std::uint32_t i = 0; i < node.modes; ++i)
          if (rng_.percent(20))
            reaction.on_modes.push_back(i);
        if (rng_.percent(60))
          insert(reaction.code, make_enter(node));
      }
      if (node.start && rng_.percent(20))
        insert(*node.start, make_enter(node));
      take_physical_in_any_mode(node);
    }
  }

  step make_enter(const node_spec& node) {
    return {.kind = action::enter,
            .port = rng_.below(node.modes),
            .other = rng_.below(2),
            .one_in = rng_.pick({1u, 2u, 3u, 5u})};
  }

  /// Removes the mode of the first reaction to each physical value, so that it
  /// always triggers one.
  void take_physical_in_any_mode(node_spec& node) {
    for (std::uint32_t i = 0; i < node.inputs.size(); ++i)
      if (auto x = first_reaction_to(node, i); x && takes_physical(node, i))
        x->mode.reset();
  }

  bool takes_physical(const node_spec& node, std::uint32_t input) const {
    return node.inputs[input].physical
           || std::any_of(
             graph_.connections.begin(), graph_.connections.end(),
             [&](auto& x) {
               return x.physical && &graph_.nodes[x.target] == &node
                      && x.input == input;
             });
  }

  // -- declarations -----------------------------------------------------------

  /// Lets reactions declare their ports, and removes delays as long as no
  /// reaction depends on itself.
  void add_declarations() {
    auto declaring = rng_.pick({60u, 90u, 100u, 100u});
    for (auto& node : graph_.nodes) {
      if (is_stopper(node))
        break;
      react_to_few_inputs(node);
      take_physical_in_any_mode(node);
      for (auto& x : node.reactions)
        if (rng_.percent(declaring))
          declare(x, node);
    }
    forbid_cycles(graph_);
    for (auto& x : graph_.connections)
      if (!x.physical && rng_.percent(70))
        if (auto before = std::exchange(x.declared, delay{});
            resolve_delays(graph_))
          x.declared = before;
    resolve_delays(graph_);
  }

  /// Replaces the reactions to inputs by ones that most inputs have for
  /// themselves. Some of them write nothing.
  void react_to_few_inputs(node_spec& node) {
    std::vector<reaction_spec> old;
    for (auto& x : node.reactions)
      if (!x.triggers.empty())
        old.push_back(x);
    std::erase_if(node.reactions, [](auto& x) { return !x.triggers.empty(); });
    auto inputs = static_cast<std::uint32_t>(node.inputs.size());
    for (std::uint32_t i = 0; i < inputs && !old.empty(); ++i)
      for (auto count = rng_.pick({1u, 1u, 2u}); count > 0; --count) {
        auto reaction = old[rng_.below(old.size())];
        reaction.triggers = {i};
        if (auto other = rng_.below(inputs); other != i && rng_.percent(15))
          reaction.triggers.push_back(other);
        if (rng_.percent(30)) {
          write_nothing(reaction.code);
          reaction.handler.reset();
        }
        node.reactions.insert(
          node.reactions.begin() + rng_.below(node.reactions.size() + 1),
          std::move(reaction));
      }
  }

  static void write_nothing(script& code) {
    std::erase_if(code.steps, [](auto& x) {
      return x.kind == action::write || x.kind == action::forward
             || x.kind == action::promise;
    });
  }

  void declare(reaction_spec& reaction, const node_spec& node) {
    reaction.declares = true;
    std::set<std::uint32_t> reads;
    for (std::uint32_t i = 0; i < node.inputs.size(); ++i)
      if (rng_.percent(15))
        reads.insert(i);
    for (auto* code :
         {&reaction.code, reaction.handler ? &*reaction.handler : nullptr})
      if (code != nullptr)
        for (auto& y : code->steps)
          if (y.kind == action::forward)
            reads.insert(y.other);
    for (auto i : reaction.triggers)
      reads.erase(i);
    reaction.reads.assign(reads.begin(), reads.end());
  }

  static std::vector<std::uint32_t> all_below(std::uint32_t count) {
    std::vector<std::uint32_t> result(count);
    std::iota(result.begin(), result.end(), 0u);
    return result;
  }

  step make_schedule(const node_spec& node) {
    return {.kind = action::schedule,
            .port = rng_.below(node.actions),
            .one_in = rng_.pick({1u, 1u, 2u, 3u}),
            .distance = some_delay(true)};
  }

  // -- physical values --------------------------------------------------------

  void add_physical() {
    // Each received value must trigger a reaction.
    for (auto& x : graph_.connections)
      if (x.physical)
        trigger_by(graph_.nodes[x.target], x.input);
    for (auto& x : graph_.nodes)
      for (auto percent : {25u, 10u})
        if (rng_.percent(percent))
          add_physical_action(x);
    add_calls_between_nodes();
    auto ends_alone = !has_external() && !has_physical_loop();
    auto ending = rng_.below(ends_alone ? 3 : 2);
    if (ending == 0) {
      auto ns = unit_ * rng_.pick({0, 10, 50, 100, 300});
      graph_.stop_after = logical_time{ns, rng_.below(3)};
    }
    graph_.calls.resize(rng_.between(1, 2));
    for (auto& list : graph_.calls)
      for (auto count = rng_.below(15); count > 0; --count)
        if (auto x = make_call())
          list.push_back(*x);
    for (auto& list : graph_.calls)
      for (std::size_t i = 0; i < list.size() && rng_.percent(30); ++i)
        list[i].early = true;
    if (ending == 1)
      add_stopper();
  }

  void add_physical_action(node_spec& node) {
    auto input = static_cast<std::uint32_t>(node.inputs.size());
    node.inputs.push_back({.physical = true});
    reaction_spec x{.triggers = {input}, .code = make_script(node, true)};
    node.reactions.insert(
      node.reactions.begin() + rng_.below(node.reactions.size() + 1),
      std::move(x));
  }

  static reaction_spec* first_reaction_to(
    node_spec& node, std::uint32_t input) {
    for (auto& x : node.reactions)
      if (std::find(x.triggers.begin(), x.triggers.end(), input)
          != x.triggers.end())
        return &x;
    return nullptr;
  }

  void trigger_by(node_spec& node, std::uint32_t input) {
    if (first_reaction_to(node, input) == nullptr)
      node.reactions.push_back(
        {.triggers = {input}, .code = make_script(node, true)});
  }

  void add_calls_between_nodes() {
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i)
      for (std::uint32_t j = 0; j < graph_.nodes[i].inputs.size(); ++j)
        if (graph_.nodes[i].inputs[j].physical && rng_.percent(30)) {
          auto& caller = graph_.nodes[rng_.below(graph_.nodes.size())];
          if (caller.reactions.empty())
            continue;
          auto& code
            = caller.reactions[rng_.below(caller.reactions.size())].code;
          insert(
            code, {.kind = action::call, .port = i, .other = j, .one_in = 2});
        }
  }

  bool has_external() const {
    return std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [](auto& x) {
      return x.external();
    });
  }

  bool has_physical_loop() const {
    // A conservative check: no connection leads backwards.
    return std::any_of(graph_.connections.begin(), graph_.connections.end(),
                       [](auto& x) { return x.source >= x.target; });
  }

  std::optional<call_spec> make_call() {
    std::vector<call_spec> candidates;
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      auto& x = graph_.nodes[i];
      for (std::uint32_t j = 0; j < x.inputs.size(); ++j)
        if (x.inputs[j].physical)
          candidates.push_back({.node = i, .input = j});
    }
    if (candidates.empty())
      return std::nullopt;
    auto result = candidates[rng_.below(candidates.size())];
    result.value = rng_.next();
    result.gap = rng_.pick({0u, 0u, 1u, 5u, 20u});
    return result;
  }

  void add_stopper() {
    node_spec node;
    node.seed = rng_.next();
    node.limit = 1'000'000;
    node.inputs.push_back({.physical = true});
    auto& r = node.reactions.emplace_back();
    r.triggers = {0};
    step request{.kind = action::request};
    if (rng_.percent(50))
      request.distance = some_delay(false);
    r.code.steps.push_back(request);
    graph_.nodes.push_back(std::move(node));
    graph_.calls.front().push_back(
      {.node = static_cast<std::uint32_t>(graph_.nodes.size() - 1),
       .input = 0,
       .value = 0,
       .gap = rng_.pick({0u, 5u, 50u})});
    graph_.stopped_by_call = true;
    graph_.requests = true;
  }

  /// Returns whether a node stops the others. It must neither drop the call nor
  /// use up its turns.
  bool is_stopper(const node_spec& x) const {
    return graph_.stopped_by_call && &x == &graph_.nodes.back();
  }

  // -- watchdogs --------------------------------------------------------------

  void add_watchdogs() {
    auto loops = inseparable_loops(graph_);
    for (std::size_t i = 0; i < loops.size(); ++i)
      if (auto& node = graph_.nodes[i];
          !loops[i] && !is_stopper(node) && rng_.percent(50))
        add_watchdogs(node);
  }

  void add_watchdogs(node_spec& node) {
    for (auto count = rng_.between(1, 2); count > 0; --count) {
      auto number = static_cast<std::uint32_t>(node.watchdogs.size());
      node.watchdogs.push_back(
        {unit_ * rng_.pick({0, 1, 5, 30}), rng_.percent(50)});
      // Each expiry must trigger a reaction.
      node.reactions.insert(
        node.reactions.begin() + rng_.below(node.reactions.size() + 1),
        {.triggers = {},
         .code = make_script(node, false),
         .on_watchdogs = {number}});
    }
    for (auto& x : node.reactions)
      for (auto count = rng_.below(3); count > 0; --count)
        insert(x.code, use_watchdog(node));
    if (!node.start)
      node.start.emplace();
    insert(*node.start, use_watchdog(node));
  }

  step use_watchdog(const node_spec& node) {
    step result{.kind = action::start_watchdog,
                .port = rng_.below(node.watchdogs.size()),
                .one_in = rng_.pick({1u, 2u, 3u})};
    if (rng_.percent(25))
      result.kind = action::stop_watchdog;
    else if (rng_.percent(40))
      result.distance = delay{nanoseconds{unit_ * rng_.pick({0, 1, 7})}};
    return result;
  }

  // -- banks and composites ---------------------------------------------------

  void add_banks() {
    for (auto& x : graph_.nodes)
      x.channel = rng_.percent(50);
    auto count = static_cast<std::uint32_t>(graph_.nodes.size());
    for (std::uint32_t first = 0; first < count;) {
      auto size = std::min(rng_.between(1, 4), count - first);
      if (rng_.percent(70))
        graph_.banks.push_back({first, size});
      first += size;
    }
  }

  void add_composites() {
    auto count = static_cast<std::uint32_t>(graph_.nodes.size());
    for (std::uint32_t first = 0, last = 0; first < count; first = last) {
      for (auto parts = rng_.between(1, 3); parts > 0 && last < count;
           --parts) {
        auto bank = std::find_if(
          graph_.banks.begin(), graph_.banks.end(),
          [&](auto& x) { return x.first == last; });
        last += bank == graph_.banks.end() ? 1 : bank->size;
      }
      if (rng_.percent(60))
        graph_.composites.push_back({first, last - first});
    }
  }

  // -- maximal waits ----------------------------------------------------------

  void add_waits() {
    auto allowed = outside_of_loops(graph_);
    auto joined = inseparable_loops(graph_);
    for (std::size_t i = 0; i < allowed.size(); ++i)
      if (allowed[i] && rng_.percent(60)
          && !joined[graph_.connections[i].target]) {
        graph_.connections[i].wait
          = nanoseconds{unit_ * rng_.pick({0, 0, 1, 10, 1000})};
        graph_.physical = true;
      }
  }

  // -- the end ----------------------------------------------------------------

  void insert(script& code, step x) {
    code.steps.insert(
      code.steps.begin() + rng_.below(code.steps.size() + 1), std::move(x));
  }

  /// Returns a piece of code that has at least a chance to run.
  script* some_code() {
    for (auto tries = 0; tries < 20; ++tries) {
      auto& x = graph_.nodes[rng_.below(graph_.nodes.size())];
      if (x.start && (x.reactions.empty() || rng_.percent(30)))
        return &*x.start;
      if (!x.reactions.empty())
        return &x.reactions[rng_.below(x.reactions.size())].code;
    }
    return nullptr;
  }

  void add_requests() {
    if (!graph_.physical && rng_.percent(25)) {
      auto ns = unit_ * rng_.pick({0, 5, 20, 100, 1'000'000});
      if (!in_physical_time_ || ns <= 100 * unit_)
        graph_.stop_after = logical_time{ns, rng_.below(3)};
    }
    if (rng_.percent(60))
      return;
    for (auto count = rng_.between(1, 3); count > 0; --count)
      if (auto code = some_code()) {
        step statement{
          .kind = action::request,
          .at_tag = rng_.between(1, 6),
          .status = rng_.pick({0, 0, 3, 7})};
        if (rng_.percent(60))
          statement.distance = some_delay(false);
        insert(*code, statement);
        graph_.requests = true;
      }
  }

  void add_failure() {
    if (auto code = some_code()) {
      insert(*code, {.kind = action::fail,
                     .other = rng_.below(5),
                     .at_tag = rng_.between(1, 4)});
      graph_.fails = true;
    }
  }

  /// Forwards nothing to physical connections and inputs, where a value is
  /// recognised by its origin.
  void forget_all_forwards() {
    for (auto& node : graph_.nodes)
      for (auto& r : node.reactions)
        forget_forwards(r.code);
  }

  random rng_;
  graph_options opts_;
  graph_spec graph_;
  std::uint32_t size_ = 0;
  std::uint32_t limit_ = 0;
  std::int64_t unit_ = 1;
  bool in_physical_time_ = false;
  std::vector<edge> edges_;
};

} // namespace

graph_spec make_graph(std::uint64_t seed, const graph_options& opts) {
  return generator{seed, opts}.run();
}

} // namespace model
