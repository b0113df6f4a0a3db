// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>

#include "caf/rosia/inspect.hpp"

#include "pose.hpp"
#include "robot_log.hpp"

namespace localization {

/// Parameters of the filter's sensor model.
struct ekf_settings {
  /// Standard deviation of the position per odometry row and axis, in metres.
  double position_noise = 0.05;

  /// Standard deviation of the turn per odometry row, in radians.
  double heading_noise = 0.01;

  /// Factor by which measured ranges are too long.
  double range_scale = 1;

  /// Standard deviation of a range, in metres.
  double range_sigma = 2;

  /// A range that differs from the expected one by more than this many standard
  /// deviations is ignored as an echo. 0 accepts all ranges.
  double gate = 3;
};

/// An extended Kalman filter for a pose in the plane. Odometry moves the pose,
/// and ranges to landmarks correct it.
class ekf {
public:
  // -- construction -----------------------------------------------------------

  ekf() = default;

  /// Starts at a pose that is assumed to be certain.
  ekf(const pose& start, const ekf_settings& settings);

  // -- properties -------------------------------------------------------------

  /// Returns the most likely pose.
  const pose& estimate() const noexcept {
    return estimate_;
  }

  /// Returns the uncertainty of the position: the square root of the sum of
  /// both axes' variances, in metres.
  double position_sigma() const noexcept;

  // -- measurements -----------------------------------------------------------

  /// Moves the robot.
  void predict(const odometry_row& row);

  /// Corrects the estimate by a range to `mark`.
  /// @returns false if the range was ignored, because it was beyond the gate or
  /// the estimate was exactly on the landmark.
  bool correct(const range_row& row, const landmark& mark);

  // -- serialisation ----------------------------------------------------------

  /// Makes the filter serialisable by CAF.
  template <class Inspector>
  friend auto inspect(Inspector& f, ekf& x) {
    auto& s = x.settings_;
    return caf::rosia::inspect_members(
      f, x, s.position_noise, s.heading_noise, s.range_scale, s.range_sigma,
      s.gate, x.estimate_.x, x.estimate_.y, x.estimate_.heading, x.covariance_);
  }

private:
  using vector = std::array<double, 3>;
  using matrix = std::array<vector, 3>;

  ekf_settings settings_;
  pose estimate_;
  matrix covariance_{}; // of x, y and heading
};

} // namespace localization
