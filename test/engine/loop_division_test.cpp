// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/loop_division.hpp"

#include "random.hpp"

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

namespace loop_division_test {

using namespace caf::rosia;
using namespace caf::rosia::engine;
using namespace std::chrono_literals;
using engine_test::random_source;

namespace {

using member = loop_division::member;
using edges = std::vector<loop_division::edge>;

edges ring(std::size_t size, delay distance) {
  edges result;
  for (member i = 0; i < size; ++i)
    result.push_back({i, static_cast<member>((i + 1) % size), distance});
  return result;
}

std::vector<member> parts_of(const loop_division& x, std::size_t members) {
  std::vector<member> result;
  for (member i = 0; i < members; ++i)
    result.push_back(x.part_of(i));
  return result;
}

/// Returns the least distance between two members; none from a member to
/// itself without a path.
std::vector<std::vector<std::optional<delay>>> all_distances(
  std::size_t size, const edges& graph) {
  std::vector result(size, std::vector<std::optional<delay>>(size));
  for (auto changed = true; changed;) {
    changed = false;
    auto lower = [&](std::optional<delay>& x, const delay& y) {
      if (x && *x <= y)
        return;
      x = y;
      changed = true;
    };
    for (auto& x : graph) {
      lower(result[x.from][x.to], x.distance);
      for (std::size_t i = 0; i < size; ++i)
        if (auto& path = result[i][x.from])
          lower(result[i][x.to], compose(*path, x.distance));
    }
  }
  return result;
}

} // namespace

TEST_CASE("a loop is divided where its messages take longest [4.13]",
          "[loop]") {
  // Members with odd numbers are near each other, and so are those with even
  // ones.
  edges graph;
  for (member i = 0; i < 8; ++i)
    graph.push_back({i, (i + 2) % 8, delay{1ms}});
  graph.push_back({0, 5, delay{1s}});
  graph.push_back({3, 2, delay{2s}});
  auto result = loop_division::find(8, graph, 2);
  REQUIRE(result);
  CHECK(result->parts() == 2);
  CHECK(parts_of(*result, 8) == std::vector<member>{0, 1, 0, 1, 0, 1, 0, 1});
  CHECK(result->lookahead() == delay{1s});
  // Back to a part, a message goes through the other part: from 5 by way of 7
  // and 1 to 3, or from 2 by way of 4 and 6 to 0.
  CHECK(result->distances(graph)
        == std::vector{delay{3003ms}, delay{2s}, delay{1s}, delay{3003ms}});
}

TEST_CASE("members follow each other in a part if all delays are the same",
          "[loop]") {
  auto result = loop_division::find(10, ring(10, delay{1ms}), 3);
  REQUIRE(result);
  CHECK(
    parts_of(*result, 10) == std::vector<member>{0, 0, 0, 0, 1, 1, 1, 2, 2, 2});
}

TEST_CASE("a loop that connections without delay hold together has no division",
          "[loop]") {
  auto graph = ring(10, delay{});
  graph.back().distance = delay{1ms};
  CHECK_FALSE(loop_division::find(10, graph, 2));
  CHECK_FALSE(loop_division::find(1, ring(1, delay{1ms}), 2));
  CHECK_FALSE(loop_division::find(10, ring(10, delay{1ms}), 1));
}

TEST_CASE("random loops are divided into parts that take time to reach",
          "[loop][random]") {
  std::size_t divided = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    random_source rng{seed};
    CAPTURE(seed);
    auto size = 2 + std::size_t{rng.below(20)};
    auto graph = ring(size, delay{});
    for (auto n = rng.below(size); n > 0; --n)
      graph.push_back({rng.below(size), rng.below(size), delay{}});
    auto most = 1 + rng.below(6);
    for (auto& x : graph) {
      auto ns = std::chrono::nanoseconds{rng.below(most)};
      x.distance
        = rng.chance(20) ? delay{microsteps(1 + rng.below(3))} : delay{ns};
    }
    auto parts = 2 + std::size_t{rng.below(4)};
    auto result = loop_division::find(size, graph, parts);
    if (!result)
      continue;
    ++divided;
    auto part = parts_of(*result, size);
    CHECK(result->parts() <= parts);
    CHECK(result->lookahead() > delay{});
    for (std::size_t i = 0; i < result->parts(); ++i)
      CHECK(std::ranges::count(part, i) > 0);
    // The first connection leaves a part; the rest is any path.
    auto distance = all_distances(size, graph);
    std::vector<std::optional<delay>> expected(
      result->parts() * result->parts());
    for (auto& x : graph) {
      if (part[x.from] == part[x.to])
        continue;
      CHECK(x.distance >= result->lookahead());
      auto consider = [&](member to, const delay& path) {
        auto& known = expected[part[to] * result->parts() + part[x.from]];
        known = std::min(known.value_or(path), path);
      };
      consider(x.to, x.distance);
      for (member to = 0; to < size; ++to)
        if (auto& rest = distance[x.to][to])
          consider(to, compose(x.distance, *rest));
    }
    auto found = result->distances(graph);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK(found[i] == expected[i]);
  }
  CHECK(divided > 500);
}

} // namespace loop_division_test
