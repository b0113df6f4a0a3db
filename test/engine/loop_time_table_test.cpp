// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/loop_time_table.hpp"

#include "random.hpp"
#include "record.hpp"

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <vector>

namespace loop_time_table_test {

using namespace caf::rosia;
using namespace caf::rosia::engine;
using namespace std::chrono_literals;
using engine_test::random_source;

namespace {

using member = loop_time_table::member;

std::vector<node_id> names(std::size_t size) {
  // Not equal to member numbers, so that confusing them fails the test.
  std::vector<node_id> result(size);
  std::iota(result.begin(), result.end(), 1000);
  return result;
}

/// Returns a ring of connections without delay, except for the last, with
/// chords.
std::vector<loop_time_table::edge> random_loop(
  random_source& rng, std::size_t size) {
  std::vector<loop_time_table::edge> result;
  auto last = static_cast<member>(size - 1);
  for (member i = 0; i < last; ++i)
    result.push_back({i, i + 1, rng.chance(50) ? delay{} : delay{2ns}});
  result.push_back({last, 0, delay{microsteps(1)}});
  for (auto n = rng.below(size + 1); n > 0; --n)
    result.push_back(
      {rng.below(size), rng.below(size),
       rng.pick({delay{microsteps(1)}, delay{microsteps(3)}, delay{1ns},
                 delay{5ns}})});
  return result;
}

/// A reference implementation of the loop time table: distances by relaxation,
/// bounds by definition.
struct brute_force {
  brute_force(std::size_t n, const std::vector<loop_time_table::edge>& edges)
    : size(n), earliest(n), transit(n, forever),
      distance(n, std::vector<std::optional<delay>>(n)) {
    auto lower = [](std::optional<delay>& x, const delay& y) {
      if (x && *x <= y)
        return false;
      x = y;
      return true;
    };
    for (auto& x : edges)
      lower(distance[x.from][x.to], x.distance);
    for (auto again = true; again;) {
      again = false;
      for (std::size_t from = 0; from < n; ++from)
        for (auto& x : edges)
          if (auto& d = distance[from][x.from])
            again
              = lower(distance[from][x.to], compose(*d, x.distance)) || again;
    }
  }

  logical_time low(std::size_t x) const {
    return std::min(earliest[x], transit[x]);
  }

  logical_time bound(std::size_t index) const {
    auto result = transit[index];
    for (std::size_t z = 0; z < size; ++z)
      if (auto& d = distance[z][index])
        result = std::min(result, saturating_add(low(z), *d));
    return result;
  }

  std::size_t size;
  std::vector<logical_time> earliest;
  std::vector<logical_time> transit;
  std::vector<std::vector<std::optional<delay>>> distance;
};

logical_time random_tag(random_source& rng) {
  if (rng.chance(30))
    return forever;
  return {rng.below(40), rng.below(4)};
}

/// Changes random entries as members may: nothing arrives below a bound, and
/// only messages lower an entry. Compares all bounds each time.
void compare_bounds(std::uint64_t seed, std::size_t size, int changes,
                    std::size_t matrix_up_to) {
  random_source rng{seed};
  auto edges = random_loop(rng, size);
  loop_time_table actual{
    names(size), edges, std::vector<bool>(size), matrix_up_to};
  brute_force expected{size, edges};
  std::vector<node_id> wake;
  for (auto i = 0; i < changes; ++i) {
    auto index = rng.below(size);
    switch (rng.below(3)) {
      case 0: {
        auto tag = std::max(random_tag(rng), expected.bound(index));
        actual.in_transit(index, tag);
        expected.transit[index] = std::min(expected.transit[index], tag);
        break;
      }
      case 1:
        actual.absorb(index);
        expected.earliest[index] = expected.low(index);
        expected.transit[index] = forever;
        break;
      default: {
        auto tag = std::max(random_tag(rng), expected.low(index));
        actual.update(index, tag, wake);
        expected.earliest[index] = tag;
        break;
      }
    }
    auto ended = true;
    for (member x = 0; x < size; ++x) {
      REQUIRE(actual.bound(x) == expected.bound(x));
      ended = ended && expected.low(x) == forever;
    }
    REQUIRE(actual.ended() == ended);
  }
}

} // namespace

TEST_CASE("4.14 a member's bound is the least of messages in transit to it and "
          "every entry plus its distance, its own around the loop") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    compare_bounds(seed, 1 + seed % 9, 60, loop_time_table::small_loop);
}

TEST_CASE("small loops without a matrix have the same bounds") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    compare_bounds(seed, 1 + seed % 9, 60, 0);
}

TEST_CASE("loops of more than 256 members have the same bounds") {
  compare_bounds(1, 257, 8, loop_time_table::small_loop);
  compare_bounds(2, 300, 8, loop_time_table::small_loop);
}

TEST_CASE("4.3 the entry of an aborted member may fall; bounds stay valid, and "
          "members wait for what keeps them back") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    random_source rng{seed};
    auto size = 2 + rng.below(8);
    auto edges = random_loop(rng, size);
    loop_time_table actual{
      names(size), edges, std::vector<bool>(size),
      rng.chance(50) ? loop_time_table::small_loop : 0};
    brute_force with_aborted{size, edges};
    brute_force without_aborted{size, edges};
    std::vector<bool> aborted(size);
    std::vector<node_id> wake;
    for (auto i = 0; i < 60; ++i) {
      auto index = rng.below(size);
      if (aborted[index])
        continue;
      auto low = with_aborted.low(index);
      if (rng.chance(5)) {
        aborted[index] = true;
        auto last = std::min(random_tag(rng), low);
        actual.in_transit(index, last);
        with_aborted.transit[index] = last;
        without_aborted.earliest[index] = without_aborted.transit[index]
          = forever;
      } else if (rng.chance(40)) {
        auto tag = std::max(random_tag(rng), without_aborted.bound(index));
        actual.in_transit(index, tag);
        for (auto* x : {&with_aborted, &without_aborted})
          x->transit[index] = std::min(x->transit[index], tag);
      } else {
        auto tag = std::max(random_tag(rng), low);
        actual.absorb(index);
        actual.update(index, tag, wake);
        for (auto* x : {&with_aborted, &without_aborted}) {
          x->earliest[index] = tag;
          x->transit[index] = forever;
        }
      }
      for (member x = 0; x < size; ++x) {
        auto bound = actual.bound(x);
        REQUIRE(bound >= with_aborted.bound(x));
        REQUIRE(bound <= without_aborted.bound(x));
        if (bound != forever)
          REQUIRE(actual.wait(x, bound, wake));
      }
    }
  }
}

TEST_CASE("every entry is (0, 0) until its member updated it") {
  loop_time_table xs{
    names(2),
    {{0, 1, delay{3ns}}, {1, 0, delay{microsteps(1)}}},
    {false, false}};
  CHECK(xs.bound(1) == logical_time{3, 0});
  CHECK(xs.bound(0) == logical_time{0, 1});
  CHECK_FALSE(xs.ended());
}

TEST_CASE("a part of a loop is woken for a message that it may wait for") {
  loop_time_table xs{
    names(2),
    {delay{20ns}, delay{10ns}, delay{10ns}, delay{20ns}},
    {false, false}};
  std::vector<node_id> wake;
  auto send = [&](std::int64_t ns) {
    wake.clear();
    return xs.deliver(1, {.receiver = 7, .content = {.tag = {ns, 0}}}, wake);
  };
  auto woken = std::vector{xs.nodes()[1]};
  xs.update(0, {10, 0}, wake);
  xs.update(1, {50, 0}, wake);
  // It does not wait: only its first message wakes it.
  CHECK(send(40));
  CHECK(wake == woken);
  CHECK(send(41));
  CHECK(wake.empty());
  CHECK(xs.low(1) == logical_time{40, 0});
  std::vector<loop_time_table::part_message> mail;
  xs.take_mail(1, mail);
  CHECK(mail.size() == 2);
  CHECK_FALSE(xs.has_mail(1));
  xs.absorb(1);
  CHECK(xs.low(1) == logical_time{40, 0});
  // It waits for a bound greater than its next tag.
  REQUIRE(xs.wait(1, {40, 0}, wake));
  CHECK(send(60));
  CHECK(wake.empty());
  CHECK(xs.has_mail(1));
  CHECK(send(30));
  CHECK(wake == woken);
  xs.close_mail(1);
  CHECK_FALSE(send(70));
}

TEST_CASE("a waiting member is woken when the bound is passed, not before") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    random_source rng{seed};
    auto size = 1 + rng.below(8);
    auto edges = random_loop(rng, size);
    loop_time_table xs{names(size), edges, std::vector<bool>(size),
                       rng.chance(50) ? loop_time_table::small_loop : 0};
    brute_force expected{size, edges};
    std::vector<std::optional<logical_time>> wants(size);
    for (auto i = 0; i < 40; ++i) {
      std::vector<node_id> wake;
      auto index = rng.below(size);
      if (rng.chance(40)) {
        logical_time want{rng.below(12), rng.below(4)};
        auto waits = xs.wait(index, want, wake);
        REQUIRE(waits == (expected.bound(index) <= want));
        REQUIRE(wake.empty()); // no member has a clock
        if (waits)
          wants[index] = want;
        else
          wants[index].reset();
      } else if (rng.chance(10)) {
        xs.stop_waiting(index);
        wants[index].reset();
      } else if (rng.chance(20)) {
        // The sender of a message has an entry that is not later.
        auto tag = random_tag(rng);
        xs.in_transit(index, tag);
        expected.transit[index] = std::min(expected.transit[index], tag);
      } else {
        auto tag = random_tag(rng);
        xs.absorb(index);
        xs.update(index, tag, wake);
        expected.transit[index] = forever;
        expected.earliest[index] = tag;
        for (member x = 0; x < size; ++x) {
          auto woken
            = std::find(wake.begin(), wake.end(), 1000 + x) != wake.end();
          bool passed = wants[x] && expected.bound(x) > *wants[x];
          if (xs.ended())
            REQUIRE(woken);
          else
            REQUIRE(woken == passed);
          if (passed)
            wants[x].reset();
        }
        if (xs.ended())
          break; // no event follows
      }
    }
  }
}

TEST_CASE("all members are woken when the loop is done") {
  for (auto matrix_up_to : {std::size_t{0}, loop_time_table::small_loop}) {
    loop_time_table xs{
      names(3),
      {{0, 1, {}}, {1, 2, {}}, {2, 0, delay{microsteps(1)}}},
      std::vector<bool>(3),
      matrix_up_to};
    std::vector<node_id> wake;
    xs.update(0, forever, wake);
    xs.update(1, forever, wake);
    CHECK(wake.empty());
    CHECK_FALSE(xs.ended());
    xs.update(2, forever, wake);
    CHECK(xs.ended());
    CHECK(wake == std::vector<node_id>{1000, 1001, 1002});
  }
}

TEST_CASE("a message in transit keeps a loop from being done") {
  loop_time_table xs{
    names(2), {{0, 1, {}}, {1, 0, delay{1ns}}}, {false, false}};
  std::vector<node_id> wake;
  xs.update(0, forever, wake);
  xs.in_transit(0, {5, 0});
  xs.update(1, forever, wake);
  CHECK_FALSE(xs.ended());
  CHECK(xs.bound(0) == logical_time{5, 0});
  CHECK(xs.bound(1) == logical_time{5, 0});
  xs.absorb(0);
  CHECK(xs.bound(0) == logical_time{6, 0}); // only around the loop
  CHECK_FALSE(xs.ended());
  xs.update(0, forever, wake);
  CHECK(xs.ended());
}

TEST_CASE(
  "4.10 in a loop, a bound request goes once to each member whose clock "
  "blocks the requester") {
  for (auto matrix_up_to : {std::size_t{0}, loop_time_table::small_loop}) {
    // 0 to 1 to 2 to 0. 0 and 1 have clocks, and the entry of 1 is already
    // late.
    loop_time_table xs{
      names(3),
      {{0, 1, {}}, {1, 2, {}}, {2, 0, delay{1ns}}},
      {true, true, false},
      matrix_up_to};
    std::vector<node_id> wake;
    xs.update(0, {5, 0}, wake);
    xs.update(1, {90, 0}, wake);
    xs.update(2, {20, 0}, wake);
    wake.clear();
    CHECK(xs.wait(2, {20, 0}, wake));
    CHECK(std::count(wake.begin(), wake.end(), 1000) == 1);
    CHECK(wake.size() == 1);
    // Once, as long as it waits for the same bound.
    wake.clear();
    CHECK(xs.wait(2, {20, 0}, wake));
    CHECK(wake.empty());
    // A newer request replaces the older one.
    CHECK(xs.requested_bound(0) == logical_time{20, 0});
    CHECK(xs.requested_bound(1) == forever);
    CHECK(xs.wait(2, {10, 0}, wake));
    CHECK_FALSE(wake.empty());
    CHECK(xs.requested_bound(0) == logical_time{10, 0});
    xs.stop_waiting(2);
    CHECK(xs.requested_bound(0) == forever);
  }
}

TEST_CASE("a member's requested bound is the lowest, distances subtracted") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    random_source rng{seed};
    auto size = 1 + rng.below(8);
    auto edges = random_loop(rng, size);
    loop_time_table xs{names(size), edges, std::vector<bool>(size, true),
                       rng.chance(50) ? loop_time_table::small_loop : 0};
    brute_force expected{size, edges};
    std::vector<node_id> wake;
    for (member i = 0; i < size; ++i) {
      auto tag = random_tag(rng);
      xs.update(i, tag, wake);
      expected.earliest[i] = tag;
    }
    std::vector<std::optional<logical_time>> wants(size);
    for (member i = 0; i < size; ++i)
      if (rng.chance(50)) {
        logical_time want{rng.below(12), rng.below(4)};
        if (xs.wait(i, want, wake))
          wants[i] = want;
      }
    for (member index = 0; index < size; ++index) {
      auto lowest = forever;
      for (member z = 0; z < size; ++z)
        if (auto& d = expected.distance[index][z]; wants[z] && d)
          if (saturating_add(expected.low(index), *d) <= *wants[z])
            lowest = std::min(lowest, inverse(*wants[z], *d));
      REQUIRE(xs.requested_bound(index) == lowest);
    }
  }
}

} // namespace loop_time_table_test
