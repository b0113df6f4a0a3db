// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <istream>
#include <string>
#include <vector>

#include "csv_reader.hpp"
#include "robot_log.hpp"

namespace localization {

/// The files of one log.
struct log_files {
  std::string odometry;
  std::string ranges;
  std::string landmarks;
  std::string ground_truth; ///< Empty if there is none.
};

/// Reads the files of a log. Returns rows in order of time; rows with equal
/// times keep the order of the file. If a file was not in this order, a note of
/// the log says so.
/// @throws input_error if a file is missing, empty or malformed, or if a range
/// refers to an unknown landmark.
robot_log read_log(const log_files& files);

// -- single files -------------------------------------------------------------
//
// Each function reads `in` to its end, and returns rows in the order of the
// file. `file` is the name for error messages. A file without rows is an error.

/// Reads `landmark,x_m,y_m`; the same landmark twice is an error.
std::vector<landmark> read_landmarks(std::istream& in, const std::string& file);

/// Reads `time_s,distance_m,turn_rad`.
std::vector<odometry_row> read_odometry(
  std::istream& in, const std::string& file);

/// Reads `time_s,antenna,landmark,range_m`.
/// @param known the landmarks that a range may refer to.
std::vector<range_row> read_ranges(std::istream& in, const std::string& file,
                                   const std::vector<landmark>& known);

/// Reads `time_s,x_m,y_m,heading_rad`.
std::vector<truth_row> read_truth(std::istream& in, const std::string& file);

// -- order --------------------------------------------------------------------

/// Sorts the rows of `file` by time. Rows with equal times keep their order.
/// @tparam Row `odometry_row`, `range_row` or `truth_row`.
/// @returns a note for the user, or an empty text if the rows were in order.
template <class Row>
std::string put_in_order(std::vector<Row>& rows, const std::string& file);

} // namespace localization
