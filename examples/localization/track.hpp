// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "pose.hpp"
#include "robot_log.hpp"

namespace localization {

/// Where the robot was at the time of an odometry row.
struct track_point {
  stamp time{};
  pose estimate;       ///< From odometry and ranges.
  double sigma = 0;    ///< Metres: how sure the estimate is of itself.
  pose dead_reckoning; ///< From odometry alone.
};

/// What was found out about a drive.
using track = std::vector<track_point>;

/// Writes the line that names the columns of `write_csv_row`.
void write_csv_header(std::ostream& out);

/// Writes one row of the track: seconds, metres and radians with six decimals.
void write_csv_row(std::ostream& out, const track_point& point);

} // namespace localization
