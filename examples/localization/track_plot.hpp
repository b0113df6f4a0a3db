// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

#include "error_metrics.hpp"
#include "robot_log.hpp"
#include "track.hpp"

namespace localization {

/// The content of a picture of a drive.
struct track_picture {
  std::string title;
  std::string subtitle;
  track points;
  std::vector<truth_row> truth; ///< Empty if not known.
  std::vector<landmark> landmarks;
  std::vector<error_sample> errors; ///< Empty without truth.
};

/// Draws the drive as an SVG document. A map in metres, with the same scale on
/// both axes, shows the ground truth, dead reckoning, the estimate and the
/// landmarks. If errors are known, a chart below the map shows them over time.
/// Equal pictures give equal bytes.
/// @pre There is at least one point.
std::string to_svg(const track_picture& picture);

} // namespace localization
