// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "localization/simulated_log.hpp"

#include "catch.hpp"
#include "localization/error_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace simulated_log_test {

using namespace localization;
using Catch::Matchers::ContainsSubstring;
using namespace std::chrono_literals;

namespace {

template <class Row>
bool strictly_in_order(const std::vector<Row>& rows) {
  return std::adjacent_find(
           rows.begin(), rows.end(),
           [](const Row& x, const Row& y) { return x.time >= y.time; })
         == rows.end();
}

template <class Row>
std::set<stamp> gaps(const std::vector<Row>& rows) {
  std::set<stamp> result;
  for (std::size_t i = 1; i < rows.size(); ++i)
    result.insert(rows[i].time - rows[i - 1].time);
  return result;
}

} // namespace

TEST_CASE("random numbers are those of the C++ standard") {
  // [rand.predef]: the 10,000th number of the default seed.
  noise random{5489};
  for (auto i = 1; i < 10'000; ++i)
    random.uniform();
  CHECK(random.uniform()
        == static_cast<double>(9981545732273789042ull >> 11) * 0x1p-53);
}

TEST_CASE("normal numbers have the requested mean and deviation") {
  noise random{7};
  constexpr auto count = 100'000;
  auto sum = 0.0;
  auto squares = 0.0;
  auto beyond_two = 0;
  for (auto i = 0; i < count; ++i) {
    const auto x = random.normal(3);
    sum += x;
    squares += x * x;
    if (std::abs(x) > 6)
      ++beyond_two;
  }
  CHECK(sum / count == Approx(0).margin(0.05));
  CHECK(std::sqrt(squares / count) == Approx(3).epsilon(0.01));
  CHECK(
    static_cast<double>(beyond_two) / count == Approx(0.0455).margin(0.003));
}

TEST_CASE("equal seeds give equal logs, different seeds different ones") {
  const auto log = simulate(1);
  const auto again = simulate(1);
  CHECK(log.odometry == again.odometry);
  CHECK(log.ranges == again.ranges);
  CHECK(log.truth == again.truth);
  CHECK(log.odometry != simulate(2).odometry);
}

TEST_CASE("a simulated log resembles a real one") {
  const auto log = simulate(1);
  CHECK(log.odometry.size() > 2000);
  CHECK(log.ranges.size() > 500);
  CHECK(log.landmarks.size() == 4);
  REQUIRE(log.notes.size() == 1);
  CHECK_THAT(log.notes[0], ContainsSubstring("made-up log of seed 1 "));
  CHECK(strictly_in_order(log.odometry));
  CHECK(strictly_in_order(log.ranges));
  CHECK(strictly_in_order(log.truth));
  // Irregular, and without common time stamps.
  CHECK(gaps(log.odometry).size() > 1000);
  CHECK(gaps(log.ranges).size() > 500);
  std::set<stamp> stamps;
  for (const auto& row : log.odometry)
    stamps.insert(row.time);
  for (const auto& row : log.ranges)
    CHECK(stamps.count(row.time) == 0);
}

TEST_CASE("the truth of a simulated log is known at every odometry row") {
  const auto log = simulate(4);
  for (const auto& row : log.odometry)
    REQUIRE(true_pose(log.truth, row.time));
  CHECK(log.truth.front().at == pose{});
  // Seven lanes: the last has the direction of the first.
  CHECK(log.truth.back().at.x == Approx(36));
  CHECK(log.truth.back().at.y == Approx(24));
  CHECK(log.truth.back().at.heading == Approx(0).margin(1e-6));
}

TEST_CASE("the truth of a simulated log has no jumps") {
  const auto truth = simulate(1).truth;
  for (std::size_t i = 1; i < truth.size(); ++i) {
    const auto& from = truth[i - 1].at;
    const auto& to = truth[i].at;
    REQUIRE(std::hypot(to.x - from.x, to.y - from.y) < 0.2);
    REQUIRE(std::abs(to.heading - from.heading) < 0.1);
  }
}

TEST_CASE("most ranges are right, and some are echoes") {
  const auto log = simulate(1);
  auto right = 0;
  auto echoes = 0;
  for (const auto& row : log.ranges)
    if (const auto at = true_pose(log.truth, row.time)) {
      const auto& mark
        = log.landmarks[static_cast<std::size_t>(row.landmark - 1)];
      const auto off = row.range - std::hypot(at->x - mark.x, at->y - mark.y);
      if (std::abs(off) < 2)
        ++right;
      else if (off > 6)
        ++echoes;
    }
  CHECK(right + echoes == static_cast<int>(log.ranges.size()));
  CHECK(echoes > 10);
  CHECK(echoes < 60);
}

} // namespace simulated_log_test
