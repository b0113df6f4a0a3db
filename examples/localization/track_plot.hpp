// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

#include "error_metrics.hpp"
#include "robot_log.hpp"
#include "track.hpp"

namespace localization {

/// What a picture of a drive shows.
struct track_picture {
  std::string title;
  std::string subtitle;
  track points;
  std::vector<truth_row> truth; ///< Empty if not known.
  std::vector<landmark> landmarks;
  std::vector<error_sample> errors; ///< Empty without truth.
};

/// Draws the drive as an SVG document: a map in metres, both axes in the same
/// scale, with the ground truth, dead reckoning, the estimate and the
/// landmarks; and, if errors are known, a chart of them over time below.
/// The same picture gives the same bytes.
/// @pre There is at least one point.
std::string to_svg(const track_picture& picture);

} // namespace localization
