// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "robot_log.hpp"
#include "track.hpp"

namespace localization {

/// How far a track is off the ground truth at one time, in metres.
struct error_sample {
  stamp time{};
  double estimate = 0;
  double dead_reckoning = 0;
};

/// The root of the mean squared distance to the ground truth, in metres.
struct rms_error {
  double estimate = 0;
  double dead_reckoning = 0;
};

/// Returns where the robot really was at `time`: on the straight line between
/// the rows around it. Before the first row and after the last nothing is
/// known.
/// @param truth in order of time.
std::optional<pose> true_pose(const std::vector<truth_row>& truth, stamp time);

/// Compares every point of the track for whose time there is a true pose.
std::vector<error_sample> compare(
  const track& points, const std::vector<truth_row>& truth);

/// Sums the samples up.
/// @returns nothing if there are none.
std::optional<rms_error> rms(const std::vector<error_sample>& samples);

} // namespace localization
