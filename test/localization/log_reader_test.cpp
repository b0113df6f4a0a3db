// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "localization/log_reader.hpp"

#include "catch.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace log_reader_test {

using namespace localization;
using Catch::Matchers::ContainsSubstring;
using namespace std::chrono_literals;

namespace {

const std::vector<landmark> known{{1, 0, 0}, {6, 10, 0}};

std::istringstream ranges_of(const std::string& rows) {
  return std::istringstream{"time_s,antenna,landmark,range_m\n" + rows};
}

/// A folder with a small log, which the destructor removes.
class folder {
public:
  folder()
    : path_{std::filesystem::temp_directory_path()
            / ("log_reader_test." + std::to_string(getpid()))} {
    std::filesystem::create_directories(path_);
    write("landmarks.csv", "landmark,x_m,y_m\n1,0,0\n6,10,0\n");
    write("odometry.csv", "time_s,distance_m,turn_rad\n1,0.1,0\n2,0.1,0\n");
    write("ranges.csv", "time_s,antenna,landmark,range_m\n1.5,2,6,9\n");
    write("truth.csv", "time_s,x_m,y_m,heading_rad\n0,0,0,0\n2,0.2,0,0\n");
  }

  ~folder() {
    std::filesystem::remove_all(path_);
  }

  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;

  std::string file(const std::string& name) const {
    return (path_ / name).string();
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream{file(name)} << text;
  }

  log_files files() const {
    return {file("odometry.csv"), file("ranges.csv"), file("landmarks.csv"),
            file("truth.csv")};
  }

private:
  std::filesystem::path path_;
};

} // namespace

TEST_CASE("the rows of every file arrive with all their fields") {
  std::istringstream landmarks{"landmark,x_m,y_m\n0,-46.5,11\n1,11,-6.25\n"};
  CHECK(read_landmarks(landmarks, "l.csv")
        == std::vector<landmark>{{0, -46.5, 11}, {1, 11, -6.25}});
  std::istringstream odometry{
    "time_s,distance_m,turn_rad\n3857.05,0.5,-5e-5\n"};
  CHECK(read_odometry(odometry, "o.csv")
        == std::vector<odometry_row>{{3857050ms, 0.5, -5e-5}});
  auto ranges = ranges_of("3858.062,2,6,65.5\n");
  CHECK(read_ranges(ranges, "r.csv", known)
        == std::vector<range_row>{{3858062ms, 2, 6, 65.5}});
  std::istringstream truth{"time_s,x_m,y_m,heading_rad\n1,2,3,4\n"};
  CHECK(read_truth(truth, "t.csv") == std::vector<truth_row>{{1s, {2, 3, 4}}});
}

TEST_CASE("a range to an unknown landmark is refused with file and line") {
  auto in = ranges_of("1,2,6,5\n2,2,9,5\n");
  CHECK_THROWS_WITH(
    read_ranges(in, "r.csv", known),
    "r.csv:3: landmark: 9 is not a known landmark; there are "
    "1, 6");
}

TEST_CASE("a negative range is refused") {
  auto in = ranges_of("1,2,6,-5\n");
  CHECK_THROWS_WITH(
    read_ranges(in, "r.csv", known), "r.csv:2: range_m: -5.000 is negative");
}

TEST_CASE("a repeated landmark is refused") {
  std::istringstream in{"landmark,x_m,y_m\n1,0,0\n2,1,1\n1,5,5\n"};
  CHECK_THROWS_WITH(
    read_landmarks(in, "l.csv"), "l.csv:4: landmark: 1 occurs a second time");
}

TEST_CASE("a file with only a header is refused") {
  auto in = ranges_of("\n");
  CHECK_THROWS_WITH(
    read_ranges(in, "r.csv", known), "r.csv: the file has no rows");
}

TEST_CASE("rows in order are kept, without a note") {
  std::vector<range_row> rows{{1s, 0, 1, 0}, {1s, 1, 1, 0}, {2s, 2, 1, 0}};
  const auto before = rows;
  CHECK(put_in_order(rows, "r.csv").empty());
  CHECK(rows == before);
}

TEST_CASE("rows with decreasing times are sorted, and counted") {
  std::vector<range_row> rows{
    {10s, 0, 1, 0}, {20s, 1, 1, 0}, {15s, 2, 1, 0},
    {16s, 3, 1, 0}, {30s, 4, 1, 0}, {20s, 5, 1, 0}};
  CHECK(put_in_order(rows, "r.csv")
        == "r.csv: time runs backwards at 2 rows of 6, by up to 10.000 s; the "
           "rows were put in order of time");
  std::vector<int> order;
  for (const auto& row : rows)
    order.push_back(row.antenna);
  // 1 and 5 have equal times and keep the order of the file.
  CHECK(order == std::vector<int>{0, 2, 3, 1, 5, 4});
}

TEST_CASE("a log is read from its files") {
  const folder data;
  const auto log = read_log(data.files());
  CHECK(log.odometry.size() == 2);
  CHECK(log.ranges.size() == 1);
  CHECK(log.landmarks == known);
  CHECK(log.truth.size() == 2);
  CHECK(log.notes.empty());
  CHECK(first_stamp(log) == 1s);
  CHECK(last_stamp(log) == 2s);
}

TEST_CASE("the ground truth may be missing") {
  const folder data;
  auto files = data.files();
  files.ground_truth.clear();
  CHECK(read_log(files).truth.empty());
}

TEST_CASE("each file out of order gives one note") {
  const folder data;
  data.write("odometry.csv", "time_s,distance_m,turn_rad\n2,0,0\n1,0,0\n");
  data.write("truth.csv", "time_s,x_m,y_m,heading_rad\n2,0,0,0\n0,0,0,0\n");
  const auto log = read_log(data.files());
  REQUIRE(log.notes.size() == 2);
  CHECK_THAT(log.notes[0],
             ContainsSubstring("odometry.csv: time runs backwards at 1 row of "
                               "2, by up to 1.000 s"));
  CHECK_THAT(log.notes[1], ContainsSubstring("truth.csv: "));
  CHECK(log.odometry.front().time == 1s);
}

TEST_CASE("logs of different days are noticed") {
  const folder data;
  data.write("ranges.csv", "time_s,antenna,landmark,range_m\n9000,2,6,9\n");
  const auto log = read_log(data.files());
  REQUIRE(log.notes.size() == 1);
  CHECK_THAT(log.notes[0], ContainsSubstring("no range was measured in the "
                                             "time of"));
}

TEST_CASE("a missing file is refused with its name and the reason") {
  const folder data;
  auto files = data.files();
  files.ground_truth = data.file("nowhere.csv");
  CHECK_THROWS_WITH(
    read_log(files),
    ContainsSubstring("nowhere.csv: the file cannot be opened: "
                      "No such file or directory"));
}

TEST_CASE("a folder in place of a file is refused") {
  const folder data;
  auto files = data.files();
  files.odometry = data.file("");
  CHECK_THROWS_AS(read_log(files), input_error);
}

} // namespace log_reader_test
