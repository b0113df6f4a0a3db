// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/calendar.hpp"

#include "catch.hpp"

#include <cstdint>
#include <random>
#include <set>

namespace calendar_test {

using caf::rosia::engine::calendar;

TEST_CASE("a calendar returns its entries by their tags") {
  calendar entries;
  CHECK(entries.empty());
  for (std::uint32_t x : {30u, 10u, 20u, 10u}) {
    entries.push({x, 0}, x);
    CHECK_FALSE(entries.empty());
  }
  for (std::uint32_t x : {10u, 10u, 20u, 30u}) {
    CHECK(entries.front().tag == caf::rosia::logical_time{x, 0});
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

TEST_CASE("a calendar of any size is ordered", "[random]") {
  std::mt19937 random{1};
  calendar entries;
  std::multiset<std::uint32_t> expected;
  for (auto i = 0; i < 20'000; ++i) {
    // The size goes up and down.
    auto grows = random() % 100 < (i / 2'000 % 2 == 0 ? 60u : 40u);
    if (grows || expected.empty()) {
      auto tag = static_cast<std::uint32_t>(random() % 1'000);
      entries.push({tag, 0}, tag);
      expected.insert(tag);
    } else {
      REQUIRE(entries.front().seat == *expected.begin());
      expected.erase(expected.begin());
      entries.pop();
    }
    REQUIRE(entries.empty() == expected.empty());
    auto next = expected.begin();
    for (std::uint32_t j = 0; j < entries.upcoming(); ++j)
      REQUIRE(entries.upcoming(j).seat == *next++);
  }
}

} // namespace calendar_test
