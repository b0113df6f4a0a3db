// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/unsent_bounds.hpp"

#include "catch.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace unsent_bounds_test {

using caf::rosia::logical_time;
using caf::rosia::detail::bound_range;
using caf::rosia::detail::unsent_bounds;

namespace {

unsent_bounds channel_of(std::uint32_t connections) {
  unsent_bounds result;
  for (std::uint32_t i = 0; i < connections; ++i)
    result.add_connection();
  return result;
}

/// Returns the bounds by connection.
std::map<std::uint32_t, logical_time> bounds_in(
  const std::vector<bound_range>& ranges) {
  std::map<std::uint32_t, logical_time> result;
  for (auto& x : ranges)
    for (auto i = x.first; i < x.first + x.count; ++i)
      CHECK(result.emplace(i, x.bound).second);
  return result;
}

} // namespace

TEST_CASE("a thousand connections with equal bounds are one range",
          "[unsent_bounds]") {
  auto all = channel_of(1000);
  CHECK(all.empty());
  // In any order.
  for (std::uint32_t i = 0; i < 1000; ++i)
    all.set(i * 7 % 1000, {5, 1});
  CHECK_FALSE(all.empty());
  auto ranges = all.take();
  REQUIRE(ranges.size() == 1);
  CHECK(ranges[0].first == 0);
  CHECK(ranges[0].count == 1000);
  CHECK(ranges[0].bound == logical_time{5, 1});
  CHECK(all.empty());
  CHECK(all.take().empty());
}

TEST_CASE("a range ends at a different bound, and at a gap",
          "[unsent_bounds]") {
  auto all = channel_of(6);
  for (auto i : {0u, 1u, 3u, 4u, 5u})
    all.set(i, {i < 4 ? 10 : 11, 0});
  auto ranges = all.take();
  REQUIRE(ranges.size() == 3);
  CHECK(ranges[0].count == 2);
  CHECK(ranges[1].first == 3);
  CHECK(ranges[1].count == 1);
  CHECK(ranges[2].first == 4);
  CHECK(ranges[2].count == 2);
}

TEST_CASE("4.3 4.11 the newest bound of a connection is taken",
          "[unsent_bounds]") {
  constexpr std::uint32_t connections = 20;
  std::mt19937 random{1};
  auto all = channel_of(connections);
  for (auto round = 0; round < 100; ++round) {
    std::map<std::uint32_t, logical_time> expected;
    for (auto i = 0; i < 30; ++i) {
      auto connection = static_cast<std::uint32_t>(random() % connections);
      logical_time bound{static_cast<std::int64_t>(random() % 3), 0};
      expected[connection] = bound;
      all.set(connection, bound);
    }
    CHECK(bounds_in(all.take()) == expected);
  }
}

} // namespace unsent_bounds_test
