// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/logical_time.hpp"

#include "record.hpp"

#include "catch.hpp"

#include <chrono>
#include <limits>
#include <stdexcept>
#include <vector>

namespace logical_time_test {

using namespace caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr auto last_step = std::numeric_limits<std::uint32_t>::max();
constexpr auto last_ns = std::numeric_limits<std::int64_t>::max();

delay parts(std::int64_t ns, std::uint32_t steps) {
  return delay::from_parts(ns, steps);
}

/// Returns small tags, in which extremes are easy to find.
std::vector<logical_time> some_tags() {
  std::vector<logical_time> result;
  for (std::int64_t ns = 0; ns < 5; ++ns)
    for (std::uint32_t step = 0; step < 5; ++step)
      result.push_back({ns, step});
  return result;
}

std::vector<delay> some_delays() {
  std::vector<delay> result;
  for (std::int64_t ns = 0; ns < 4; ++ns)
    for (std::uint32_t steps = 0; steps < 4; ++steps)
      result.push_back(parts(ns, steps));
  return result;
}

/// Returns tags at both ends of an instant.
std::vector<logical_time> edge_tags() {
  std::vector<logical_time> result;
  for (std::int64_t ns = 0; ns < 3; ++ns)
    for (auto step : {0u, 1u, last_step - 1, last_step})
      result.push_back({ns, step});
  return result;
}

std::vector<delay> edge_delays() {
  std::vector<delay> result;
  for (std::int64_t ns = 0; ns < 2; ++ns)
    for (auto steps : {0u, 1u, 2u, last_step})
      result.push_back(parts(ns, steps));
  return result;
}

} // namespace

TEST_CASE("1.1 tags are ordered by nanoseconds, then by microsteps") {
  CHECK(logical_time{1, 5} < logical_time{2, 0});
  CHECK(logical_time{1, 5} < logical_time{1, 6});
  CHECK(logical_time{1, 5} == logical_time{1, 5});
  CHECK(logical_time{} == logical_time{0, 0});
}

TEST_CASE("1.2 never is below every tag, and forever above") {
  CHECK(never < logical_time{0, 0});
  CHECK(forever > logical_time{last_ns - 1, last_step});
}

TEST_CASE("1.2 never and forever absorb additions and subtractions") {
  for (auto& d : some_delays()) {
    CHECK(never + d == never);
    CHECK(forever + d == forever);
    CHECK(saturating_add(never, d) == never);
    CHECK(saturating_add(forever, d) == forever);
    CHECK(inverse(never, d) == never);
    CHECK(inverse(forever, d) == forever);
  }
  CHECK(next_microstep(never) == never);
  CHECK(next_microstep(forever) == forever);
}

TEST_CASE("a duration leads to the first microstep of a later instant") {
  CHECK(logical_time{5, 7} + delay{3ns} == logical_time{8, 0});
  CHECK(logical_time{5, 7} + delay{1s} == logical_time{1'000'000'005, 0});
}

TEST_CASE("microsteps stay at the same instant") {
  CHECK(logical_time{5, 7} + delay{microsteps(3)} == logical_time{5, 10});
  CHECK(next_microstep({5, 7}) == logical_time{5, 8});
}

TEST_CASE("1.5 a duration of zero, written explicitly, is one microstep") {
  CHECK(delay{0s} == delay{microsteps(1)});
  CHECK(after(0ms) == after(microsteps(1)));
  CHECK(delay{}.is_zero());
  CHECK(logical_time{5, 7} + delay{} == logical_time{5, 7});
}

TEST_CASE("1.3 addition saturates at forever, and never wraps") {
  CHECK(logical_time{last_ns - 5, 3} + delay{5ns} == forever);
  CHECK(logical_time{last_ns - 5, 3} + delay{6ns} == forever);
  CHECK(logical_time{last_ns - 5, 3} + parts(last_ns, 0) == forever);
  CHECK(
    logical_time{last_ns - 5, 3} + delay{4ns} == logical_time{last_ns - 1, 0});
}

TEST_CASE("1.3 a duration that is too large leads to forever") {
  using namespace std::chrono;
  logical_time t{1, 0};
  CHECK(t + after(nanoseconds::max()) == forever);
  CHECK(t + after(milliseconds::max()) == forever);
  CHECK(t + after(seconds::max()) == forever);
  CHECK(t + after(hours::max()) == forever);
  CHECK(t + after(years{300}) == forever);
  CHECK(t + after(years{600}) == forever);
  CHECK(t + after(duration<double>{1e10}) == forever);
  CHECK(t + after(duration<double>{std::numeric_limits<double>::infinity()})
        == forever);
  CHECK(after(hours::min()).ns() < 0);
  CHECK(
    after(duration<double>{std::numeric_limits<double>::quiet_NaN()}).ns() < 0);
}

TEST_CASE("a microstep that overflows is an error") {
  logical_time last{5, last_step};
  CHECK_THROWS_AS(next_microstep(last), std::overflow_error);
  CHECK_THROWS_AS(last + delay{microsteps(1)}, std::overflow_error);
  CHECK_THROWS_AS((logical_time{5, 2} + delay{microsteps(last_step - 1)}),
                  std::overflow_error);
  CHECK(logical_time{5, 1} + delay{microsteps(last_step - 1)} == last);
  CHECK(last + delay{1ns} == logical_time{6, 0});
  CHECK_THROWS_WITH(
    next_microstep(last), Catch::Matchers::ContainsSubstring("5ns+4294967295"));
}

TEST_CASE("for bounds, a microstep that overflows leads to the next instant") {
  CHECK(
    saturating_add({5, last_step}, delay{microsteps(1)}) == logical_time{6, 0});
  CHECK(
    saturating_add({5, 2}, delay{microsteps(last_step)}) == logical_time{6, 0});
  CHECK(
    saturating_add({last_ns - 1, 2}, delay{microsteps(last_step)}) == forever);
  CHECK(saturating_add({last_ns, 2}, delay{microsteps(last_step)}) == forever);
}

TEST_CASE("a bound plus a delay is no greater than the sum for any later tag") {
  for (auto& bound : edge_tags())
    for (auto& t : edge_tags())
      for (auto& d : edge_delays()) {
        if (t < bound)
          continue;
        auto sum = forever;
        try {
          sum = t + d;
        } catch (const std::overflow_error&) {
          continue; // the sum does not exist
        }
        CHECK(saturating_add(bound, d) <= sum);
      }
}

TEST_CASE("1.5 delays compose along a path by the same rule") {
  for (auto& t : some_tags())
    for (auto& first : some_delays())
      for (auto& second : some_delays())
        CHECK(t + compose(first, second) == (t + first) + second);
}

TEST_CASE("composed delays saturate") {
  CHECK(compose(parts(last_ns, 0), parts(1, 2)).ns() == last_ns);
  CHECK(compose(parts(0, last_step), parts(0, 1)).steps() == last_step);
  CHECK(logical_time{} + compose(parts(last_ns, 0), parts(1, 2)) == forever);
}

TEST_CASE("a greater delay never leads to a lower tag") {
  for (auto& t : some_tags())
    for (auto& x : some_delays())
      for (auto& y : some_delays())
        if (x < y)
          CHECK(t + x <= t + y);
  for (auto& t : edge_tags())
    for (auto& x : edge_delays())
      for (auto& y : edge_delays())
        if (x < y)
          CHECK(saturating_add(t, x) <= saturating_add(t, y));
}

TEST_CASE("inverse is the greatest tag that must be passed") {
  // Compared with the definition for every bound.
  auto bounds = some_tags();
  for (auto& t : some_tags())
    for (auto& d : some_delays()) {
      auto want = inverse(t, d);
      for (auto& bound : bounds)
        CHECK((bound > want) == (saturating_add(bound, d) > t));
    }
  bounds = edge_tags();
  for (auto& t : edge_tags())
    for (auto& d : edge_delays())
      for (auto& bound : bounds)
        CHECK((bound > inverse(t, d)) == (saturating_add(bound, d) > t));
}

TEST_CASE("inverse returns never if any bound suffices") {
  CHECK(inverse({2, 0}, parts(3, 0)) == never);
  CHECK(inverse({3, 0}, parts(3, 1)) == never);
  CHECK(inverse({0, 0}, parts(0, 1)) == never);
  CHECK(inverse({3, 0}, parts(3, 0)) == logical_time{0, last_step});
  CHECK(inverse({5, 0}, parts(0, 1)) == logical_time{4, last_step});
}

TEST_CASE("tags and delays are printed in a readable form") {
  CHECK(to_string(never) == "never");
  CHECK(to_string(forever) == "forever");
  CHECK(to_string(logical_time{}) == "0s");
  CHECK(to_string(logical_time{1'500'000'000, 0}) == "1.5s");
  CHECK(to_string(logical_time{20'000'000, 3}) == "20ms+3");
  CHECK(to_string(logical_time{1'000'000'001, 0}) == "1.000000001s");
  CHECK(to_string(logical_time{1'500, 0}) == "1.5us");
  CHECK(to_string(logical_time{999, 0}) == "999ns");
  CHECK(to_string(delay{}) == "none");
  CHECK(to_string(delay{microsteps(1)}) == "1 microstep");
  CHECK(to_string(delay{microsteps(2)}) == "2 microsteps");
  CHECK(to_string(delay{5ms}) == "5ms");
  CHECK(to_string(delay{-5ms}) == "-5ms");
  CHECK(to_string(parts(5, 2)) == "5ns and 2 microsteps");
}

} // namespace logical_time_test
