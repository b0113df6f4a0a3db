// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace localization {

/// Where a robot is, and where it looks: metres, and radians counted
/// counter-clockwise from the x axis. The heading is continuous: it is never
/// wrapped into one turn.
struct pose {
  double x = 0;
  double y = 0;
  double heading = 0;

  bool operator==(const pose&) const = default;
};

/// Returns the pose after `distance` metres during which the heading changed
/// evenly by `turn` radians. The way is taken as a chord in the mean heading;
/// taking the old heading instead doubles the error in every bend.
pose moved(const pose& from, double distance, double turn);

} // namespace localization
