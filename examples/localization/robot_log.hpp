// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "pose.hpp"

namespace localization {

/// A time stamp of the log: nanoseconds since the logger's epoch. An integer,
/// because stamps become tags, and tags are exact.
using stamp = std::chrono::nanoseconds;

/// Movement since the previous row, measured by wheels and gyro.
struct odometry_row {
  stamp time{};
  double distance = 0; ///< Metres.
  double turn = 0;     ///< Radians.

  bool operator==(const odometry_row&) const = default;
};

/// A distance between the robot and a landmark, measured by radio.
struct range_row {
  stamp time{};
  int antenna = 0;
  int landmark = 0;
  double range = 0; ///< Metres, as measured.

  bool operator==(const range_row&) const = default;
};

/// A radio beacon at a known place.
struct landmark {
  int id = 0;
  double x = 0; ///< Metres.
  double y = 0; ///< Metres.

  bool operator==(const landmark&) const = default;
};

/// The true pose of the robot, measured by a better instrument.
struct truth_row {
  stamp time{};
  pose at;

  bool operator==(const truth_row&) const = default;
};

/// All records of one drive.
struct robot_log {
  std::vector<odometry_row> odometry; ///< In order of time.
  std::vector<range_row> ranges;      ///< In order of time.
  std::vector<landmark> landmarks;
  std::vector<truth_row> truth; ///< In order of time; empty if not known.

  /// Notes about the log for the user, one line each.
  std::vector<std::string> notes;
};

/// Returns the earliest time stamp of the two sensors: logical time 0 of the
/// replay.
/// @pre Odometry and ranges have rows.
stamp first_stamp(const robot_log& log);

/// Returns the latest time stamp of the two sensors.
/// @pre Odometry and ranges have rows.
stamp last_stamp(const robot_log& log);

} // namespace localization
