// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/reaction_graph.hpp"

#include "caf/rosia/graph_error.hpp"
#include "engine/topology.hpp"

#include "catch.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace reaction_graph_test {

using namespace caf::rosia;
using namespace caf::rosia::engine;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr auto no_mode = graph_description::no_mode;

using indices = std::vector<std::uint32_t>;
using nodes = std::vector<graph_description::node>;
using specs = std::vector<connection_spec>;

graph_description::node node_of(
  std::string name, std::vector<graph_description::reaction> reactions) {
  graph_description::node result;
  result.name = std::move(name);
  result.reactions = std::move(reactions);
  return result;
}

/// A reaction that declares its ports.
graph_description::reaction declaring(
  std::string name, indices triggers, indices writes, indices reads = {}) {
  graph_description::reaction result;
  result.name = std::move(name);
  for (auto i : triggers)
    result.triggers.push_back({graph_description::trigger_kind::input, i});
  result.declares = true;
  result.writes = std::move(writes);
  result.reads = std::move(reads);
  return result;
}

graph_description::reaction open(std::string name, std::uint32_t trigger) {
  graph_description::reaction result;
  result.name = std::move(name);
  result.triggers.push_back({graph_description::trigger_kind::input, trigger});
  return result;
}

/// Returns connections without delay, from output to input.
connection_spec from_to(std::uint32_t source, std::uint32_t output,
                        std::uint32_t target, std::uint32_t input) {
  connection_spec result;
  result.source = source;
  result.output = output;
  result.target = target;
  result.input = input;
  return result;
}

struct fixture {
  fixture(nodes x, specs y) : all(std::move(x)), connections(std::move(y)) {
    // nop
  }

  reaction_graph make() const {
    indices numbers;
    for (std::uint32_t i = 0; i < connections.size(); ++i)
      numbers.push_back(i);
    return {connections, numbers, [this](auto id) { return all[id]; }};
  }

  /// Makes the topology. @returns the connections that take a microstep.
  indices lengthened() const {
    auto graph = topology{
      std::vector<bool>(all.size()), connections, namer(), describer()};
    indices result;
    for (std::uint32_t i = 0; i < connections.size(); ++i)
      if (!graph.connections()[i].distance.is_zero())
        result.push_back(i);
    return result;
  }

  std::string refusal() const {
    try {
      topology{
        std::vector<bool>(all.size()), connections, namer(), describer()};
    } catch (const graph_error& e) {
      return e.what();
    }
    return "";
  }

  topology::namer namer() const {
    return [this](auto id, auto output, auto index) {
      return all[id].name + (output ? ".out" : ".in") + std::to_string(index);
    };
  }

  topology::describer describer() const {
    return [this](auto id) { return all[id]; };
  }

  nodes all;
  specs connections;
};

/// A plant whose first reaction writes its speed, and whose second one takes a
/// force, and a controller.
fixture plant(graph_description::reaction on_force, bool force_first = false) {
  std::vector<graph_description::reaction> reactions{
    declaring("on_step", {}, {0}), std::move(on_force)};
  if (force_first)
    std::swap(reactions[0], reactions[1]);
  return {{node_of("plant", std::move(reactions)),
           node_of("control", {open("on_speed", 0)})},
          {from_to(0, 0, 1, 0), from_to(1, 0, 0, 0)}};
}

} // namespace

// -- the graph ----------------------------------------------------------------

TEST_CASE("10.1.2 reactions depend on the one before in their node, and on "
          "those that may write what they may read") {
  SECTION("no cycle") {
    auto x = plant(declaring("on_force", {0}, {}));
    auto graph = x.make();
    CHECK(graph.find_cycle().empty());
    CHECK_FALSE(graph.is_in_cycle(0));
    CHECK_FALSE(graph.is_in_cycle(1));
  }
  SECTION("an output is written that leads to a trigger") {
    auto x = plant(declaring("on_force", {0}, {0}));
    CHECK(x.make().find_cycle().size() == 2);
  }
  SECTION("the order of declaration closes a cycle") {
    auto x = plant(declaring("on_force", {0}, {}), true);
    auto cycle = x.make().find_cycle();
    REQUIRE(cycle.size() == 2);
    CHECK(x.make().is_in_cycle(0));
  }
  SECTION("an input is read that is no trigger") {
    auto x = plant(declaring("on_force", {0}, {}));
    x.all[0].reactions[0].reads = {0};
    CHECK(x.make().find_cycle().size() == 2);
  }
  SECTION("without declarations, all ports are written and read") {
    CHECK(plant(open("on_force", 0)).make().find_cycle().size() == 2);
  }
  SECTION("what is written later is written by resumptions, which nothing "
          "precedes") {
    auto x = plant(declaring("on_force", {0}, {}));
    x.all[0].reactions[1].writes_later = {0};
    CHECK(x.make().find_cycle().empty());
  }
  SECTION("startups are no reactions to inputs") {
    auto x = plant(declaring("on_force", {0}, {}));
    x.all[0].reactions.push_back(open("begin", 0));
    x.all[0].reactions[2].kind = graph_description::reaction_kind::startup;
    CHECK(x.make().find_cycle().empty());
  }
}

TEST_CASE("10.1.2 a cycle is found exactly if there is one, and none is "
          "shorter") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::minstd_rand rng{seed + 1};
    auto below
      = [&](std::uint32_t n) { return static_cast<std::uint32_t>(rng() % n); };
    nodes all;
    for (std::uint32_t i = 0; i < 2 + below(3); ++i) {
      std::vector<graph_description::reaction> reactions;
      for (std::uint32_t j = 0; j < 1 + below(3); ++j) {
        reactions.push_back(declaring("r" + std::to_string(j), {below(2)}, {}));
        for (std::uint32_t k = 0; k < 2; ++k)
          if (below(2) == 0)
            reactions.back().writes.push_back(k);
        reactions.back().declares = below(6) > 0;
        if (seed % 2 == 1 && below(3) > 0)
          reactions.back().mode = below(2);
      }
      all.push_back(node_of("n" + std::to_string(i), std::move(reactions)));
    }
    auto count = static_cast<std::uint32_t>(all.size());
    specs connections;
    for (std::uint32_t i = 0; i < 2 + below(5); ++i)
      connections.push_back(
        from_to(below(count), below(2), below(count), below(2)));
    fixture x{std::move(all), std::move(connections)};
    // The distances between reactions, in messages, by trying all ways.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> vertices;
    for (std::uint32_t i = 0; i < count; ++i)
      for (std::uint32_t j = 0; j < x.all[i].reactions.size(); ++j)
        vertices.emplace_back(i, j);
    auto size = vertices.size();
    constexpr std::size_t far = 1000;
    std::vector<std::vector<std::size_t>> d(
      size, std::vector<std::size_t>(size, far));
    auto has = [](auto& xs, auto y) {
      return std::find(xs.begin(), xs.end(), y) != xs.end();
    };
    for (std::size_t v = 0; v < size; ++v)
      for (std::size_t w = 0; w < size; ++w) {
        auto [n, r] = vertices[v];
        auto [m, s] = vertices[w];
        auto& from = x.all[n].reactions[r];
        auto& to = x.all[m].reactions[s];
        if (n == m && r < s
            && (from.mode == to.mode || from.mode == no_mode
                || to.mode == no_mode))
          d[v][w] = 0;
        for (auto& c : x.connections)
          if (c.source == n && c.target == m
              && (!from.declares || has(from.writes, c.output))
              && (!to.declares || to.triggers[0].index == c.input))
            d[v][w] = std::min<std::size_t>(d[v][w], 1);
      }
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t v = 0; v < size; ++v)
        for (std::size_t w = 0; w < size; ++w)
          d[v][w] = std::min(d[v][w], d[v][k] + d[k][w]);
    auto shortest = far;
    for (std::size_t v = 0; v < size; ++v)
      shortest = std::min(shortest, d[v][v]);
    auto graph = x.make();
    auto cycle = graph.find_cycle();
    INFO("seed " << seed);
    REQUIRE(cycle.size() == (shortest >= far ? 0 : shortest));
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      auto& c = x.connections[cycle[i].connection];
      auto& next = cycle[(i + 1) % cycle.size()];
      CHECK(graph.is_in_cycle(cycle[i].connection));
      CHECK(x.connections[next.connection].source == c.target);
      CHECK(next.writer >= cycle[i].reader);
    }
  }
}

TEST_CASE("10.7.6 reactions of different modes do not depend on each other") {
  // The plant takes the force in another mode than the one in which it steps.
  auto x = plant(declaring("on_force", {0}, {}), true);
  auto& on_force = x.all[0].reactions[0];
  auto& on_step = x.all[0].reactions[1];
  on_force.mode = 0;
  SECTION("in one mode") {
    on_step.mode = 0;
    CHECK(x.make().find_cycle().size() == 2);
  }
  SECTION("a reaction without a mode") {
    CHECK(x.make().find_cycle().size() == 2);
  }
  SECTION("in different modes") {
    on_step.mode = 1;
    CHECK(x.make().find_cycle().empty());
    CHECK(x.refusal().empty());
    auto order = x.make().order();
    REQUIRE(order.size() == 3);
    CHECK(order[2].node == 0);
    CHECK(order[2].reaction == 0);
  }
  SECTION("a reaction without a mode between them") {
    on_step.mode = 1;
    x.all[0].reactions.insert(
      x.all[0].reactions.begin() + 1, declaring("between", {}, {}));
    CHECK(x.make().find_cycle().size() == 2);
  }
  SECTION("at the last tag, reactions of several modes run") {
    on_step.mode = 1;
    on_step.triggers.push_back(
      {graph_description::trigger_kind::at_shutdown, 0});
    CHECK(x.make().find_cycle().size() == 2);
  }
}

// -- messages -----------------------------------------------------------------

TEST_CASE("10.1.3 the message names a shortest cycle of reactions") {
  SECTION("over two nodes") {
    CHECK(
      plant(open("on_force", 0)).refusal()
      == "a loop of zero delay: 'plant.on_force' writes 'plant.out0', "
         "which 'control.on_speed' reads; 'control.on_speed' writes "
         "'control.out0', which 'plant.on_force' reads; say what "
         "'plant.on_force', 'control.on_speed' read and write (rosia::reads, "
         "rosia::writes), make one of the reactions 'control.on_speed', "
         "'plant.on_force' eager (rosia::eager), or give one of the "
         "connections a delay (rosia::after(...))");
  }
  SECTION("by the order of declaration") {
    CHECK_THAT(
      plant(declaring("on_force", {0}, {}), true).refusal(),
      ContainsSubstring(
        "'plant.on_step', which runs after 'plant.on_force', writes "
        "'plant.out0', which 'control.on_speed' reads;")
        && ContainsSubstring(
          "; declare 'on_step' before 'on_force' in "
          "'plant', say what 'control.on_speed' reads and "
          "writes (rosia::reads, rosia::writes), make"));
  }
  SECTION("a longer one is not named") {
    auto x = plant(open("on_force", 0));
    x.connections.push_back(from_to(1, 1, 1, 1));
    CHECK(x.refusal()
          == "a loop of zero delay: 'control.on_speed' writes "
             "'control.out1', which 'control.on_speed' reads; say what "
             "'control.on_speed' reads and writes (rosia::reads, "
             "rosia::writes), or give one of the connections a delay "
             "(rosia::after(...))");
  }
}

// -- loops of nodes -----------------------------------------------------------

TEST_CASE("10.1.3 a loop of nodes without a cycle of reactions is accepted") {
  auto x = plant(declaring("on_force", {0}, {}));
  CHECK(x.refusal().empty());
  // A node around the loop, and one outside.
  x.all.push_back(node_of("driver", {open("on_in", 0)}));
  x.all.push_back(node_of("display", {open("on_in", 0)}));
  auto there = from_to(0, 0, 2, 0);
  there.distance = delay{microsteps(1)};
  x.connections.push_back(there);
  x.connections.push_back(from_to(2, 0, 1, 1));
  x.connections.push_back(from_to(1, 0, 3, 0));
  auto graph
    = topology{std::vector<bool>(4), x.connections, x.namer(), x.describer()};
  CHECK(graph.in_instant_loop(0));
  CHECK(graph.in_instant_loop(1));
  CHECK_FALSE(graph.in_instant_loop(2));
  CHECK_FALSE(graph.in_instant_loop(3));
  auto loops = graph.inseparable_loops();
  REQUIRE(loops.size() == 1);
  CHECK(loops[0] == std::vector<node_id>{0, 1, 2});
}

TEST_CASE("10.1.5 the order of reactions contains all of them, each after "
          "those that it depends on") {
  auto x = plant(declaring("on_force", {0}, {}));
  auto order = x.make().order();
  REQUIRE(order.size() == 3);
  auto is = [&](std::size_t i, node_id node, std::uint32_t reaction) {
    return order[i].node == node && order[i].reaction == reaction;
  };
  CHECK(is(0, 0, 0)); // on_step
  CHECK(is(1, 1, 0)); // on_speed
  CHECK(is(2, 0, 1)); // on_force
}

// -- eager --------------------------------------------------------------------

TEST_CASE("10.1.4 an eager reaction lengthens the connections that close a "
          "cycle of reactions") {
  SECTION("of a cycle") {
    auto x = plant(open("on_force", 0));
    x.connections[1].eager = true;
    CHECK(x.lengthened() == indices{1});
  }
  SECTION("not another connection of the same loop of nodes") {
    // A monitor reports to the controller, whose answer it does not read.
    auto x = plant(open("on_force", 0));
    x.all.push_back(node_of(
      "monitor",
      {declaring("on_report", {0}, {0}), declaring("on_answer", {1}, {})}));
    x.connections[1].eager = true;
    x.connections.push_back(from_to(0, 1, 2, 0));
    x.connections.push_back(from_to(2, 0, 0, 1));
    x.connections[2].eager = true;
    x.all[0].reactions[1] = declaring("on_force", {0}, {0, 1});
    x.all[0].reactions.push_back(declaring("on_reply", {1}, {}));
    // The loop of plant and monitor is no cycle of reactions.
    CHECK(x.lengthened() == indices{1});
  }
  SECTION("not a loop of nodes only") {
    auto x = plant(declaring("on_force", {0}, {}));
    x.connections[1].eager = true;
    CHECK(x.lengthened().empty());
  }
}

} // namespace reaction_graph_test
