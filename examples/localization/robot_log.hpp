// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "pose.hpp"

namespace localization {

/// A time stamp as the log has it: nanoseconds since the logger's own epoch.
/// Integers, because the stamps become tags, and a tag is exact.
using stamp = std::chrono::nanoseconds;

/// What the wheels and the gyro measured since the row before.
struct odometry_row {
  stamp time{};
  double distance = 0; ///< Metres.
  double turn = 0;     ///< Radians.

  bool operator==(const odometry_row&) const = default;
};

/// What a radio measured: the distance between the robot and a landmark.
struct range_row {
  stamp time{};
  int antenna = 0;
  int landmark = 0;
  double range = 0; ///< Metres, as measured.

  bool operator==(const range_row&) const = default;
};

/// A radio beacon, whose place is known.
struct landmark {
  int id = 0;
  double x = 0; ///< Metres.
  double y = 0; ///< Metres.

  bool operator==(const landmark&) const = default;
};

/// Where the robot really was, from a better instrument.
struct truth_row {
  stamp time{};
  pose at;

  bool operator==(const truth_row&) const = default;
};

/// Everything a robot wrote down on one drive.
struct robot_log {
  std::vector<odometry_row> odometry; ///< In order of time.
  std::vector<range_row> ranges;      ///< In order of time.
  std::vector<landmark> landmarks;
  std::vector<truth_row> truth; ///< In order of time; empty if not known.

  /// What the user should know about the log, one line each.
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
