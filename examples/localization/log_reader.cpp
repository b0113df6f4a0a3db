// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "log_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "text.hpp"

namespace localization {

namespace {

std::ifstream opened(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_character_file(file, ignored))
    throw input_error{file + ": it is a device; name a file"};
  errno = 0;
  std::ifstream result{file, std::ios::binary};
  if (!result)
    throw input_error{
      file + ": the file cannot be opened: " + std::strerror(errno)};
  return result;
}

template <class Row, class Parse>
std::vector<Row> read_rows(std::istream& in, const std::string& file,
                           std::string_view header, Parse parse) {
  csv_reader csv{in, file, header};
  std::vector<Row> result;
  while (csv.next())
    result.push_back(parse(csv));
  if (result.empty())
    throw input_error{file + ": the file has no rows"};
  return result;
}

std::string ids(const std::vector<landmark>& known) {
  std::string result;
  for (const auto& mark : known)
    result += (result.empty() ? "" : ", ") + std::to_string(mark.id);
  return result;
}

bool has_id(const std::vector<landmark>& known, int id) {
  return std::any_of(known.begin(), known.end(), [id](const landmark& mark) {
    return mark.id == id;
  });
}

} // namespace

robot_log read_log(const log_files& files) {
  robot_log result;
  const auto in_order = [&](auto rows, const std::string& file) {
    auto note = put_in_order(rows, file);
    if (!note.empty())
      result.notes.push_back(std::move(note));
    return rows;
  };
  // All files are opened first, so that a wrong name is reported before
  // anything is read.
  auto landmarks = opened(files.landmarks);
  auto odometry = opened(files.odometry);
  auto ranges = opened(files.ranges);
  auto truth
    = files.ground_truth.empty() ? std::ifstream{} : opened(files.ground_truth);
  result.landmarks = read_landmarks(landmarks, files.landmarks);
  result.odometry
    = in_order(read_odometry(odometry, files.odometry), files.odometry);
  result.ranges = in_order(
    read_ranges(ranges, files.ranges, result.landmarks), files.ranges);
  if (!files.ground_truth.empty())
    result.truth
      = in_order(read_truth(truth, files.ground_truth), files.ground_truth);
  if (result.ranges.front().time > result.odometry.back().time
      || result.odometry.front().time > result.ranges.back().time)
    result.notes.push_back(
      files.ranges + ": no range was measured in the time " + "of "
      + files.odometry);
  return result;
}

std::vector<landmark> read_landmarks(
  std::istream& in, const std::string& file) {
  std::vector<landmark> known;
  return read_rows<landmark>(
    in, file, "landmark,x_m,y_m", [&known](const csv_reader& csv) {
      landmark row{csv.integer(0), csv.number(1), csv.number(2)};
      if (has_id(known, row.id))
        csv.fail(0, std::to_string(row.id) + " occurs a second time");
      known.push_back(row);
      return row;
    });
}

std::vector<odometry_row> read_odometry(
  std::istream& in, const std::string& file) {
  return read_rows<odometry_row>(
    in, file, "time_s,distance_m,turn_rad", [](const csv_reader& csv) {
      return odometry_row{csv.seconds(0), csv.number(1), csv.number(2)};
    });
}

std::vector<range_row> read_ranges(std::istream& in, const std::string& file,
                                   const std::vector<landmark>& known) {
  return read_rows<range_row>(
    in, file, "time_s,antenna,landmark,range_m",
    [&known](const csv_reader& csv) {
      range_row row{
        csv.seconds(0), csv.integer(1), csv.integer(2), csv.number(3)};
      if (!has_id(known, row.landmark))
        csv.fail(2, std::to_string(row.landmark)
                      + " is not a known landmark; there are " + ids(known));
      if (row.range < 0)
        csv.fail(3, fixed(row.range, 3) + " is negative");
      return row;
    });
}

std::vector<truth_row> read_truth(std::istream& in, const std::string& file) {
  return read_rows<truth_row>(
    in, file, "time_s,x_m,y_m,heading_rad", [](const csv_reader& csv) {
      return truth_row{
        csv.seconds(0), pose{csv.number(1), csv.number(2), csv.number(3)}};
    });
}

template <class Row>
std::string put_in_order(std::vector<Row>& rows, const std::string& file) {
  std::size_t backwards = 0;
  stamp farthest{};
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].time < rows[i - 1].time) {
      ++backwards;
      farthest = std::max(farthest, rows[i - 1].time - rows[i].time);
    }
  if (backwards == 0)
    return {};
  std::stable_sort(rows.begin(), rows.end(), [](const Row& x, const Row& y) {
    return x.time < y.time;
  });
  return file + ": time runs backwards at " + std::to_string(backwards)
         + (backwards == 1 ? " row" : " rows") + " of "
         + std::to_string(rows.size()) + ", by up to "
         + fixed(std::chrono::duration<double>(farthest).count(), 3)
         + " s; the rows were put in order of time";
}

template std::string put_in_order(
  std::vector<odometry_row>&, const std::string&);
template std::string put_in_order(std::vector<range_row>&, const std::string&);
template std::string put_in_order(std::vector<truth_row>&, const std::string&);

} // namespace localization
