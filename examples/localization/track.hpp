// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "pose.hpp"
#include "robot_log.hpp"

namespace localization {

/// The robot's position at the time of an odometry row.
struct track_point {
  stamp time{};
  pose estimate;       ///< From odometry and ranges.
  double sigma = 0;    ///< Metres: uncertainty of the estimate.
  pose dead_reckoning; ///< From odometry alone.
};

/// The points of a drive.
using track = std::vector<track_point>;

/// Writes the line that names the columns of `write_csv_row`.
void write_csv_header(std::ostream& out);

/// Writes one row of the track: seconds, metres and radians, with six decimals.
void write_csv_row(std::ostream& out, const track_point& point);

} // namespace localization
