// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/calendar.hpp"

#include "catch.hpp"

#include <cstdint>

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

} // namespace calendar_test
