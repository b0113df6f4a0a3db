// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "robot_log.hpp"
#include "track.hpp"

namespace localization {

/// The distance between a track and the ground truth at one time, in metres.
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

/// Returns the true pose at `time`, interpolated linearly between two rows.
/// Returns nothing before the first row and after the last.
/// @param truth in order of time.
std::optional<pose> true_pose(const std::vector<truth_row>& truth, stamp time);

/// Compares the points of a track with the true poses. Skips points without a
/// true pose.
std::vector<error_sample> compare(
  const track& points, const std::vector<truth_row>& truth);

/// Computes the error of all samples.
/// @returns nothing if there are no samples.
std::optional<rms_error> rms(const std::vector<error_sample>& samples);

} // namespace localization
