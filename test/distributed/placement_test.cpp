// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/placement.hpp"

#include "catch.hpp"

#include <algorithm>
#include <vector>

namespace placement_test {

using namespace caf::rosia::detail;
using caf::rosia::engine::process_id;

namespace {

using homes = std::vector<process_id>;

constexpr auto any = unplaced;

/// Places nodes. Process 0 coordinates, and runs only nodes placed there
/// explicitly.
homes placed(homes nodes, const std::vector<node_pair>& connections,
             process_id processes) {
  place(nodes, connections, 1, processes);
  return nodes;
}

} // namespace

TEST_CASE("nodes stay where they were placed", "[placement]") {
  CHECK(placed({2, 0, 1}, {{0, 1}, {1, 2}}, 3) == homes{2, 0, 1});
}

TEST_CASE("a node joins the process with which it has the most connections",
          "[placement]") {
  CHECK(
    placed({1, 2, 2, any}, {{0, 3}, {1, 3}, {3, 2}}, 3) == homes{1, 2, 2, 2});
}

TEST_CASE("placements spread along the connections", "[placement]") {
  CHECK(placed({1, any, any, any, 2}, {{0, 1}, {1, 2}, {4, 3}}, 3)
        == homes{1, 1, 1, 2, 2});
}

TEST_CASE("the coordinator's own nodes attract no other nodes", "[placement]") {
  auto result = placed({0, any}, {{0, 1}}, 2);
  CHECK(result == homes{0, 1});
}

TEST_CASE("connected nodes stay together", "[placement]") {
  // Two pairs over two processes.
  auto result = placed({any, any, any, any}, {{0, 2}, {1, 3}}, 3);
  CHECK(result[0] == result[2]);
  CHECK(result[1] == result[3]);
  CHECK(result[0] != result[1]);
}

TEST_CASE("a component that is larger than a fair share is cut",
          "[placement]") {
  std::vector<node_pair> chain;
  for (caf::rosia::engine::node_id i = 0; i + 1 < 6; ++i)
    chain.push_back({i, i + 1});
  auto result = placed(homes(6, any), chain, 4);
  // Into stretches of neighbours, two nodes each.
  CHECK(result[0] == result[1]);
  CHECK(result[2] == result[3]);
  CHECK(result[4] == result[5]);
  CHECK(result[1] != result[2]);
  CHECK(result[3] != result[4]);
  CHECK(result[0] != result[4]);
}

TEST_CASE("nodes without connections are placed in the emptiest process",
          "[placement]") {
  auto result = placed({1, 1, 1, any, any}, {}, 3);
  CHECK(result == homes{1, 1, 1, 2, 2});
}

} // namespace placement_test
