// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace localization {

/// The position of a robot in metres, and its heading in radians,
/// counter-clockwise from the x axis. The heading is continuous: it is never
/// reduced to one turn.
struct pose {
  double x = 0;
  double y = 0;
  double heading = 0;

  bool operator==(const pose&) const = default;
};

/// Returns the pose after `distance` metres during which the heading changed
/// evenly by `turn` radians. The path is approximated by a chord in the mean
/// heading; using the old heading would double the error in every bend.
pose moved(const pose& from, double distance, double turn);

} // namespace localization
