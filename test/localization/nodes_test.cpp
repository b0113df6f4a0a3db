// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "localization/nodes.hpp"

#include "catch.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace nodes_test {

using namespace localization;
using namespace std::chrono_literals;

namespace {

/// Stores its values with their tags.
template <class T>
struct probe : rosia::node {
  rosia::input_port<T> in{this, "in"};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { got.emplace_back(now(), *in); }};
  std::vector<std::pair<rosia::logical_time, T>> got;
};

struct fixture {
  rosia::config config;
  caf::actor_system sys{config};
  rosia::application app{sys, rosia::options{.realtime = false}};

  template <class Row>
  auto replayed(const std::string& name, std::vector<Row> rows, stamp origin) {
    return app.create<replay<Row>>(name, std::move(rows), origin);
  }
};

const auto origin = 100s;

} // namespace

TEST_CASE("a row is replayed at the tag of its time stamp") {
  fixture with;
  auto source = with.replayed<range_row>(
    "ranges", {{100s, 0, 1, 5}, {101s + 1ns, 0, 2, 6}, {200s, 0, 3, 7}},
    origin);
  auto sink = with.app.create<probe<std::vector<range_row>>>("sink");
  with.app.connect(source, &replay<range_row>::output, sink,
                   &probe<std::vector<range_row>>::in);
  CHECK(with.app.run() == 0);
  REQUIRE(sink->got.size() == 3);
  CHECK(sink->got[0].first == rosia::logical_time{0, 0});
  CHECK(sink->got[1].first == rosia::logical_time{1'000'000'001, 0});
  CHECK(sink->got[2].first == rosia::logical_time{100'000'000'000, 0});
  CHECK(sink->got[1].second == std::vector<range_row>{{101s + 1ns, 0, 2, 6}});
}

TEST_CASE("a log that starts later is replayed from its first row") {
  fixture with;
  auto source = with.replayed<range_row>("ranges", {{102s, 0, 1, 5}}, origin);
  auto sink = with.app.create<probe<std::vector<range_row>>>("sink");
  with.app.connect(source, &replay<range_row>::output, sink,
                   &probe<std::vector<range_row>>::in);
  CHECK(with.app.run() == 0);
  REQUIRE(sink->got.size() == 1);
  CHECK(sink->got[0].first == rosia::logical_time{2'000'000'000, 0});
}

TEST_CASE("rows with equal time stamps are sent at one tag, in order") {
  fixture with;
  const std::vector<odometry_row> rows{
    {100s, 1, 0}, {101s, 2, 0}, {101s, 3, 0}, {101s, 4, 0}, {102s, 5, 0}};
  auto source = with.replayed("odometry", rows, origin);
  auto sink = with.app.create<probe<std::vector<odometry_row>>>("sink");
  with.app.connect(source, &replay<odometry_row>::output, sink,
                   &probe<std::vector<odometry_row>>::in);
  CHECK(with.app.run() == 0);
  REQUIRE(sink->got.size() == 3);
  CHECK(sink->got[1].first == rosia::logical_time{1'000'000'000, 0});
  CHECK(sink->got[1].second
        == std::vector<odometry_row>(rows.begin() + 1, rows.end() - 1));
}

TEST_CASE("the filter takes rows in the order of their stamps, and at one "
          "stamp the odometry first") {
  const std::vector<odometry_row> odometry{
    {100s, 1, 0.1}, {102s, 1, 0.2}, {102s, 1, 0}, {104s, 2, -0.1}};
  const std::vector<range_row> ranges{
    {99s, 0, 1, 4}, {102s, 0, 2, 5}, {103s, 0, 1, 6}, {105s, 0, 2, 7}};
  const std::vector<landmark> marks{{1, 5, 5}, {2, -5, 5}};
  fixture with;
  auto moves = with.replayed("odometry", odometry, 99s);
  auto radio = with.replayed("ranges", ranges, 99s);
  auto filter
    = with.app.create<ekf_node>("ekf", pose{1, 2, 3}, ekf_settings{}, marks);
  auto sink = with.app.create<probe<estimated_pose>>("sink");
  with.app.connect(
    moves, &replay<odometry_row>::output, filter, &ekf_node::odometry);
  with.app.connect(
    radio, &replay<range_row>::output, filter, &ekf_node::ranges);
  with.app.connect(
    filter, &ekf_node::estimate, sink, &probe<estimated_pose>::in);
  CHECK(with.app.run() == 0);

  ekf expected{{1, 2, 3}, {}};
  std::vector<pose> poses;
  expected.correct(ranges[0], marks[0]);
  expected.predict(odometry[0]);
  poses.push_back(expected.estimate());
  expected.predict(odometry[1]);
  expected.predict(odometry[2]);
  expected.correct(ranges[1], marks[1]);
  poses.push_back(expected.estimate());
  expected.correct(ranges[2], marks[0]);
  expected.predict(odometry[3]);
  poses.push_back(expected.estimate());

  // No values at 99 s, 103 s and 105 s, because there is no odometry.
  REQUIRE(sink->got.size() == 3);
  for (std::size_t i = 0; i < poses.size(); ++i)
    CHECK(sink->got[i].second.at == poses[i]);
  CHECK(sink->got[1].first == rosia::logical_time{3'000'000'000, 0});
  CHECK(sink->got[1].second.time == 102s);
  CHECK(filter->counts().odometry == 4);
  CHECK(filter->counts().ranges == 4);
}

TEST_CASE("ranges that the filter ignores are counted") {
  fixture with;
  auto radio = with.replayed<range_row>(
    "ranges", {{100s, 0, 1, 5}, {101s, 0, 1, 500}, {102s, 0, 7, 5}}, origin);
  auto filter = with.app.create<ekf_node>(
    "ekf", pose{}, ekf_settings{}, std::vector<landmark>{{1, 5, 0}});
  with.app.connect(
    radio, &replay<range_row>::output, filter, &ekf_node::ranges);
  CHECK(with.app.run() == 0);
  CHECK(filter->counts().ranges == 3);
  // The echo, and the range to an unknown landmark.
  CHECK(filter->counts().ignored == 2);
}

TEST_CASE("dead reckoning adds the odometry up") {
  fixture with;
  auto moves = with.replayed<odometry_row>(
    "odometry", {{100s, 1, 0}, {101s, 2, 0.5}, {101s, 3, 0}}, origin);
  auto guess = with.app.create<dead_reckoning_node>("guess", pose{1, 2, 3});
  auto sink = with.app.create<probe<pose>>("sink");
  with.app.connect(moves, &replay<odometry_row>::output, guess,
                   &dead_reckoning_node::odometry);
  with.app.connect(guess, &dead_reckoning_node::guess, sink, &probe<pose>::in);
  CHECK(with.app.run() == 0);
  const auto first = moved({1, 2, 3}, 1, 0);
  REQUIRE(sink->got.size() == 2);
  CHECK(sink->got[0].second == first);
  CHECK(sink->got[1].second == moved(moved(first, 2, 0.5), 3, 0));
}

TEST_CASE("the recorder writes one row for each estimate, and ends by itself") {
  const auto name
    = (std::filesystem::temp_directory_path()
       / ("nodes_test." + std::to_string(getpid()) + ".csv"))
        .string();
  std::ostringstream screen;
  track points;
  {
    output_file file{name};
    progress shown{screen, false, 2s};
    fixture with;
    auto moves = with.replayed<odometry_row>(
      "odometry", {{100s, 1, 0}, {101s, 2, 0}, {102s, 3, 0}}, origin);
    auto filter = with.app.create<ekf_node>(
      "ekf", pose{}, ekf_settings{}, std::vector<landmark>{});
    auto guess = with.app.create<dead_reckoning_node>("guess", pose{});
    auto record
      = with.app.create<recorder>("recorder", file, shown, stamp{origin});
    with.app.connect(
      moves, &replay<odometry_row>::output, filter, &ekf_node::odometry);
    with.app.connect(moves, &replay<odometry_row>::output, guess,
                     &dead_reckoning_node::odometry);
    with.app.connect(filter, &ekf_node::estimate, record, &recorder::estimate);
    with.app.connect(
      guess, &dead_reckoning_node::guess, record, &recorder::dead_reckoning);
    CHECK(with.app.run() == 0);
    points = record->points();
    file.close();
  }
  std::ifstream in{name};
  const std::string written{std::istreambuf_iterator<char>{in}, {}};
  std::filesystem::remove(name);
  REQUIRE(points.size() == 3);
  CHECK(points[2].dead_reckoning == pose{6, 0, 0});
  CHECK(points[2].estimate == pose{6, 0, 0});
  std::ostringstream expected;
  write_csv_header(expected);
  for (const auto& point : points)
    write_csv_row(expected, point);
  CHECK(written == expected.str());
  CHECK(
    screen.str() == "replayed 50 % (1 of 2 s)\nreplayed 100 % (2 of 2 s)\n");
}

} // namespace nodes_test
