// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "localization/report.hpp"

#include "catch.hpp"

namespace report_test {

using namespace localization;
using Catch::Matchers::ContainsSubstring;
using namespace std::chrono_literals;

namespace {

robot_log small_log() {
  robot_log log;
  log.odometry = {{1s, 1, 0}, {2s, 1, 0}};
  log.ranges = {{1500ms, 0, 1, 5}};
  log.landmarks = {{1, 5, 5}, {2, -5, 5}};
  log.truth = {{0s, {}}, {1s, {1, 0, 0}}, {2s, {2, 0, 0}}, {3s, {9, 0, 0}}};
  return log;
}

const track points{
  {1s, {1, 3, 0}, 0, {1, 4, 0}}, {2s, {2, 4, 0}, 0, {2, 4, 0}}};

} // namespace

TEST_CASE("a report has the number of rows and the errors") {
  const report result{small_log(), points, {2, 1, 1}};
  CHECK(result.text()
        == "2 odometry rows and 1 ranges to 2 landmarks (1 ignored) in 1.0 s\n"
           "RMS error: 3.536 m (dead reckoning: 4.000 m) at 2 odometry "
           "times\n");
  CHECK_THAT(result.picture(),
             ContainsSubstring("RMS error 3.54 m (dead reckoning 4.00 m)"));
}

TEST_CASE("without ground truth a report has no errors") {
  auto log = small_log();
  log.truth.clear();
  const report result{log, points, {2, 1, 0}};
  CHECK(!result.error());
  CHECK(result.text().find("RMS") == std::string::npos);
  CHECK(result.picture().find("RMS") == std::string::npos);
}

TEST_CASE("a replay that ended early is compared up to its end") {
  const report result{small_log(), {points.front()}, {1, 0, 0}};
  CHECK(result.error()->estimate == Approx(3));
}

} // namespace report_test
