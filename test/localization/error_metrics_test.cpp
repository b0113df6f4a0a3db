// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "localization/error_metrics.hpp"

#include "catch.hpp"

namespace error_metrics_test {

using namespace localization;
using namespace std::chrono_literals;

namespace {

const std::vector<truth_row> truth{
  {10s, {0, 0, 1}}, {20s, {10, 0, 2}}, {30s, {10, 20, 3}}};

} // namespace

TEST_CASE("between two rows the true pose is on the line between them") {
  CHECK(true_pose(truth, 12s) == pose{2, 0, 1.2});
  CHECK(true_pose(truth, 25s) == pose{10, 10, 2.5});
}

TEST_CASE("at a row the true pose is the row's") {
  for (const auto& row : truth)
    CHECK(true_pose(truth, row.time) == row.at);
}

TEST_CASE("outside of the ground truth there is no true pose") {
  CHECK(!true_pose(truth, 10s - 1ns));
  CHECK(!true_pose(truth, 30s + 1ns));
  CHECK(!true_pose({}, 10s));
}

TEST_CASE("of several rows at one time, the first one counts") {
  const std::vector<truth_row> twice{
    {10s, {0, 0, 0}}, {20s, {2, 0, 0}}, {20s, {4, 0, 0}}, {30s, {6, 0, 0}}};
  CHECK(true_pose(twice, 20s)->x == 2);
  CHECK(true_pose(twice, 15s)->x == 1);
  CHECK(true_pose(twice, 25s)->x == 5);
}

TEST_CASE("every point with a true pose is compared") {
  const track points{
    {5s, {}, 0, {}},
    {10s, {3, 4, 0}, 0, {0, 1, 0}},
    {15s, {5, 0, 0}, 0, {5, 2, 0}},
    {35s, {}, 0, {}}};
  const auto samples = compare(points, truth);
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].time == 10s);
  CHECK(samples[0].estimate == Approx(5));
  CHECK(samples[0].dead_reckoning == Approx(1));
  CHECK(samples[1].time == 15s);
  CHECK(samples[1].estimate == Approx(0));
  CHECK(samples[1].dead_reckoning == Approx(2));
}

TEST_CASE("the RMS error is the root of the mean square") {
  const auto result = rms({{1s, 3, 1}, {2s, 4, 7}});
  REQUIRE(result);
  CHECK(result->estimate == Approx(std::sqrt(12.5)));
  CHECK(result->dead_reckoning == Approx(5));
}

TEST_CASE("without samples there is no RMS error") {
  CHECK(!rms({}));
}

} // namespace error_metrics_test
