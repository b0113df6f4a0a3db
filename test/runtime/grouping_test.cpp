// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/grouping.hpp"

#include "catch.hpp"

#include <string>
#include <vector>

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
  // Each has an output of its own to each of the others.
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

TEST_CASE("nodes that logical connections join are grouped, in their order") {
  auto graph = graph_of(
    6, {from_to(5, 0), from_to(0, 3), from_to(1, 2, true), from_to(2, 4)});
  CHECK(
    connected_groups(graph, {0, 1, 2, 3, 4, 5}) == groups{{5, 0, 3}, {2, 4}});
}

TEST_CASE("only nodes of the process are grouped") {
  auto graph = graph_of(4, {from_to(0, 1), from_to(1, 2), from_to(2, 3)});
  CHECK(connected_groups(graph, {0, 2, 3}) == groups{{2, 3}});
}

TEST_CASE("large groups are divided") {
  auto graph
    = graph_of(5, {from_to(0, 1), from_to(1, 2), from_to(2, 3), from_to(3, 4)});
  CHECK(connected_groups(graph, {0, 1, 2, 3, 4}, 2) == groups{{0, 1}, {2, 3}});
}
