// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/grouping.hpp"

#include "catch.hpp"

#include <string>
#include <vector>

namespace grouping_test {

using namespace caf::rosia;
using detail::connected_groups;
using engine::node_id;

namespace {

using groups = std::vector<std::vector<node_id>>;

engine::connection_spec from_to(
  node_id source, node_id target, bool physical = false) {
  engine::connection_spec result;
  result.source = source;
  result.target = target;
  // Each node has a separate output to each of the other nodes.
  result.output = target;
  result.input = source;
  result.physical = physical;
  return result;
}

engine::topology graph_of(std::size_t nodes,
                          std::vector<engine::connection_spec> connections) {
  return {std::vector<bool>(nodes), std::move(connections),
          [](auto, auto, auto) { return std::string{}; }};
}

} // namespace

TEST_CASE("nodes joined by logical connections are grouped, in order") {
  auto graph = graph_of(
    6, {from_to(5, 0), from_to(0, 3), from_to(1, 2, true), from_to(2, 4)});
  CHECK(connected_groups(graph, {0, 1, 2, 3, 4, 5}, 6)
        == groups{{5, 0, 3}, {2, 4}});
}

TEST_CASE("only nodes of the process are grouped") {
  auto graph = graph_of(4, {from_to(0, 1), from_to(1, 2), from_to(2, 3)});
  CHECK(connected_groups(graph, {0, 2, 3}, 6) == groups{{2, 3}});
}

TEST_CASE("large groups are divided") {
  auto graph
    = graph_of(5, {from_to(0, 1), from_to(1, 2), from_to(2, 3), from_to(3, 4)});
  CHECK(connected_groups(graph, {0, 1, 2, 3, 4}, 2) == groups{{0, 1}, {2, 3}});
}

// -- the initial executors ----------------------------------------------------

namespace {

using manner = detail::grouping::manner;
using executed = std::vector<detail::executed_nodes>;

constexpr auto usual = detail::group_limits{}.usual;

engine::topology chain_of_four() {
  return graph_of(4, {from_to(0, 1), from_to(1, 2), from_to(2, 3)});
}

executed first_executors(const detail::grouping& grouping) {
  return detail::first_executors(grouping, chain_of_four(), {0, 1, 2, 3});
}

} // namespace

TEST_CASE("connected nodes come together once they started, and may move, "
          "unless that is disabled") {
  CHECK(first_executors({.kind = manner::by_load})
        == executed{{{0, 1, 2, 3}, true, true}});
  CHECK(first_executors({.kind = manner::at_random})
        == executed{{{0}, true}, {{1}, true}, {{2}, true}, {{3}, true}});
  CHECK(first_executors({.kind = manner::alone})
        == executed{{{0}, false}, {{1}, false}, {{2}, false}, {{3}, false}});
}

TEST_CASE("connected nodes stay together if all are grouped") {
  CHECK(first_executors({.kind = manner::connected})
        == executed{{{0, 1, 2, 3}, false}});
}

TEST_CASE("a separate node is alone in any case") {
  CHECK(first_executors({.kind = manner::connected, .separate = {2}})
        == executed{{{2}, false}, {{0, 1}, false}, {{3}, false}});
  CHECK(first_executors({.kind = manner::by_load, .separate = {2}})
        == executed{{{2}, false}, {{0, 1}, true, true}, {{3}, true}});
  CHECK(first_executors(
          {.kind = manner::listed, .groups = {{3, 2}, {1}}, .separate = {2}})
        == executed{{{2}, false}, {{3}, false}, {{1}, false}, {{0}, false}});
}

TEST_CASE("listed groups stay together, and the other nodes are alone") {
  CHECK(first_executors({.kind = manner::listed, .groups = {{3, 1}}})
        == executed{{{3, 1}, false}, {{0}, false}, {{2}, false}});
}

TEST_CASE("the members of a loop of any size are together, or all alone") {
  std::vector<engine::connection_spec> connections;
  std::vector<node_id> nodes;
  for (node_id i = 0; i <= usual; ++i) {
    nodes.push_back(i);
    auto& x = connections.emplace_back(from_to(i, i == usual ? 0 : i + 1));
    x.output = x.input = 0;
    x.distance = delay{microsteps(1)};
  }
  auto graph = graph_of(nodes.size(), std::move(connections));
  for (auto kind : {manner::connected, manner::by_load}) {
    auto together = detail::first_executors({.kind = kind}, graph, nodes);
    CHECK(together.size() == 1);
    CHECK(together.front().members.size() == nodes.size());
    CHECK_FALSE(together.front().moves);
    CHECK(together.front().divides == (kind == manner::by_load));
    auto apart
      = detail::first_executors({.kind = kind, .separate = {3}}, graph, nodes);
    CHECK(apart.size() == nodes.size());
    CHECK_FALSE(apart.back().moves);
  }
}

TEST_CASE("a large loop begins as a group") {
  std::vector<engine::connection_spec> connections;
  std::vector<node_id> nodes;
  auto first = [&](node_id size, detail::group_limits limits) {
    connections.clear();
    nodes.clear();
    for (node_id i = 0; i < size; ++i) {
      nodes.push_back(i);
      auto& x = connections.emplace_back(from_to(i, i + 1 == size ? 0 : i + 1));
      x.output = x.input = 0;
      x.distance = delay{microsteps(1)};
    }
    nodes.push_back(size);
    auto& x = connections.emplace_back(from_to(size, 0));
    x.output = 0;
    x.input = 1;
    return detail::first_executors(
      {.kind = manner::by_load}, graph_of(nodes.size(), connections), nodes,
      limits);
  };
  constexpr auto small = static_cast<node_id>(detail::most_alone_in_loop);
  auto result = first(small, {});
  REQUIRE(result.size() == 1);
  CHECK(result.front().seated_later);
  CHECK_FALSE(result.front().on_trial);
  // With one worker, nodes around it are in the group as well.
  result = first(small + 1, {.together = true});
  REQUIRE(result.size() == 1);
  CHECK(result.front().members.size() == small + 2);
  CHECK(result.front().moves);
  CHECK(result.front().on_trial);
  result = first(small + 1, {});
  REQUIRE(result.size() == 2);
  CHECK(result.front().members.size() == small + 1);
  CHECK(result.front().moves);
  CHECK(result.front().on_trial);
  CHECK(result.back().members.size() == 1);
  CHECK_FALSE(result.back().on_trial);
  // A part of the loop is in another process.
  nodes.erase(nodes.begin());
  for (auto& x : detail::first_executors(
         {.kind = manner::by_load}, graph_of(nodes.size() + 1, connections),
         nodes))
    CHECK_FALSE(x.on_trial);
}

TEST_CASE(
  "10.1.9 a loop that contains a loop without delay is executed as one, "
  "whatever the rules are") {
  // Nodes 0 and 1 are in a loop without delay, node 2 in the loop around it.
  std::vector<engine::connection_spec> connections{
    from_to(0, 1), from_to(1, 0), from_to(1, 2), from_to(2, 0), from_to(2, 3)};
  connections[3].distance = delay{microsteps(1)};
  engine::topology graph{
    std::vector<bool>(4), connections,
    [](auto, auto, auto) { return std::string{}; },
    [](auto id) {
      graph_description::node result;
      for (std::uint32_t i = 0; i < 2; ++i) {
        auto& x = result.reactions.emplace_back();
        x.declares = true;
        // Node 0 writes first and reads afterwards, node 1 does the reverse.
        if ((i == 0) == (id == 0))
          x.writes = {0, 1, 2, 3};
        else
          x.reads = {0, 1, 2, 3};
      }
      return result;
    }};
  for (auto kind : {manner::alone, manner::connected, manner::by_load,
                    manner::at_random, manner::listed}) {
    auto found = detail::first_executors(
      {.kind = kind, .groups = {{1, 3}}, .separate = {1}}, graph, {0, 1, 2, 3});
    REQUIRE(found.size() == 2);
    CHECK(found[0] == detail::executed_nodes{.members = {0, 1, 2}});
    CHECK(found[1].members == std::vector<node_id>{3});
  }
}

TEST_CASE("a process with very many nodes begins with groups") {
  std::vector<engine::connection_spec> connections;
  std::vector<node_id> nodes{0};
  for (node_id i = 1; i <= detail::most_alone; ++i) {
    connections.push_back(from_to(i - 1, i));
    connections.back().output = 0;
    connections.back().input = 0;
    nodes.push_back(i);
  }
  auto count = nodes.size();
  auto found = detail::first_executors(
    {.kind = manner::by_load}, graph_of(count, std::move(connections)), nodes);
  CHECK(found.size() == (count + usual - 1) / usual);
  CHECK(found.front().members.size() == usual);
  CHECK(found.front().moves);
  CHECK_FALSE(found.front().seated_later);
}

TEST_CASE("groups may be of any size if only one worker executes them, and "
          "there is no other process") {
  using detail::group_limits;
  using detail::limits_for;
  CHECK(limits_for(100'000, 1, true, false)
        == group_limits{100'000, 100'000, 100'000, true});
  CHECK(limits_for(80'000, 2, true, false) == group_limits{10'000, 80'000});
  CHECK(limits_for(80'000, 10, true, false) == group_limits{2'000, 8'000});
  CHECK(limits_for(100'000, 1, true, true)
        == group_limits{100'000, 100'000, 100'000, true});
  CHECK(limits_for(80'000, 2, true, true) == group_limits{256, 80'000});
  CHECK(limits_for(80'000, 10, true, true) == group_limits{});
  CHECK(limits_for(100'000, 1, false, false) == group_limits{});
  CHECK(limits_for(10, 1, true, false) == group_limits{.together = true});
}

TEST_CASE("a large loop is never cut, unless all nodes are together") {
  std::vector<engine::connection_spec> connections;
  std::vector<node_id> nodes;
  auto connect = [&](node_id from, node_id to) {
    auto& x = connections.emplace_back(from_to(from, to));
    // The last node is not in the loop.
    x.output = x.input = from == 0 && to != 1 ? 1 : 0;
    x.distance = delay{microsteps(1)};
  };
  constexpr auto size = static_cast<node_id>(2 * usual);
  for (node_id i = 0; i <= size; ++i) {
    nodes.push_back(i);
    connect(i == size ? 0 : i, i + 1 == size ? 0 : i == size ? size : i + 1);
  }
  auto graph = graph_of(nodes.size(), std::move(connections));
  auto first = [&](std::size_t workers) {
    return detail::first_executors(
      {.kind = manner::by_load}, graph, nodes,
      detail::limits_for(100 * usual, workers, true, false));
  };
  auto together = first(1);
  REQUIRE(together.size() == 1);
  CHECK(together.front().members.size() == nodes.size());
  CHECK(together.front().moves);
  auto apart = first(2);
  REQUIRE(apart.size() == 2);
  CHECK(apart.front().members.size() == size);
  CHECK(apart.front().divides);
}

} // namespace grouping_test
