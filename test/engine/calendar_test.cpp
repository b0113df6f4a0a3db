// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/calendar.hpp"

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <set>

namespace calendar_test {

using caf::rosia::logical_time;
using caf::rosia::engine::calendar;

TEST_CASE("a calendar returns its entries by their tags") {
  calendar entries;
  CHECK(entries.empty());
  for (std::uint32_t x : {30u, 10u, 20u, 10u}) {
    entries.push({x, 0}, x);
    CHECK_FALSE(entries.empty());
  }
  for (std::uint32_t x : {10u, 10u, 20u, 30u}) {
    CHECK(entries.front().tag == logical_time{x, 0});
    CHECK(entries.front().seat == x);
    entries.pop();
  }
  CHECK(entries.empty());
}

TEST_CASE("a calendar without its entries is empty") {
  calendar entries;
  entries.push({2, 0}, 0);
  entries.push({1, 0}, 1);
  entries.clear();
  CHECK(entries.empty());
  entries.push({3, 0}, 2);
  CHECK(entries.front().seat == 2);
  entries.pop();
  CHECK(entries.empty());
}

TEST_CASE("a calendar knows the order of its earliest entries") {
  calendar entries;
  for (std::uint32_t x : {30u, 10u, 20u})
    entries.push({x, 0}, x);
  REQUIRE(entries.upcoming() == 3);
  CHECK(entries.upcoming(0).seat == 10);
  CHECK(entries.upcoming(1).seat == 20);
  CHECK(entries.upcoming(2).seat == 30);
}

TEST_CASE("a calendar gives up all entries by their tags") {
  calendar entries;
  for (std::uint32_t x = 40; x > 0; --x)
    entries.push({x, 0}, x);
  auto all = entries.take_all();
  CHECK(entries.empty());
  REQUIRE(all.size() == 40);
  for (std::uint32_t i = 0; i < 40; ++i)
    CHECK(all[i].seat == i + 1);
}

/// Adds and removes entries, and compares them with an ordered set. The size
/// goes up and down.
/// @param draw returns the next entry's nanoseconds after the given ones.
template <class Draw>
void require_order(std::mt19937_64& random, Draw draw) {
  calendar entries;
  std::multiset<logical_time> expected;
  std::int64_t now = 0;
  for (auto i = 0; i < 20'000; ++i) {
    auto grows = random() % 100 < (i / 2'000 % 2 == 0 ? 60u : 40u);
    if (grows || expected.empty()) {
      logical_time tag{draw(now), static_cast<std::uint32_t>(random() % 3)};
      entries.push(tag, tag.microstep);
      expected.insert(tag);
    } else {
      REQUIRE(entries.front().tag == *expected.begin());
      REQUIRE(entries.front().seat == expected.begin()->microstep);
      now = expected.begin()->ns;
      expected.erase(expected.begin());
      entries.pop();
    }
    REQUIRE(entries.empty() == expected.empty());
    auto next = expected.begin();
    for (std::uint32_t j = 0; j < entries.upcoming(); ++j)
      REQUIRE(entries.upcoming(j).tag == *next++);
    if (i % 5'000 == 4'999) {
      auto all = entries.take_all();
      REQUIRE(std::ranges::equal(all, expected, {}, &calendar::entry::tag));
      for (auto& x : all)
        entries.push(x.tag, x.seat);
    }
  }
}

TEST_CASE("a calendar of any size is ordered", "[random]") {
  std::mt19937_64 random{1};
  auto below = [&random](std::int64_t x) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(x));
  };
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  // Close together, in the past as well.
  require_order(random, [&](auto) { return below(1'000); });
  // At a similar distance.
  require_order(random, [&](auto now) { return now + 1'000 + below(1'000); });
  // All at once.
  require_order(random, [&](auto) { return std::int64_t{7}; });
  // Many near ones, and few far ones; and the other way round.
  require_order(random, [&](auto now) {
    return now + (below(10) > 0 ? below(100) : 1'000'000'000 + below(100));
  });
  require_order(random, [&](auto now) {
    return now + (below(10) == 0 ? below(100) : 1'000'000'000 + below(100));
  });
  // At distances of any magnitude, in all of the range of time.
  require_order(random, [&](auto now) {
    auto distance = std::int64_t{1} << below(63);
    return now > most - distance ? most : now + distance;
  });
  require_order(random, [&](auto) { return most - below(3); });
  require_order(random, [&](auto) {
    return static_cast<std::int64_t>(random());
  });
}

} // namespace calendar_test
