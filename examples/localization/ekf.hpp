// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>

#include "caf/rosia/inspect.hpp"

#include "pose.hpp"
#include "robot_log.hpp"

namespace localization {

/// What the filter believes about its sensors.
struct ekf_settings {
  /// Metres: how far each odometry row may be off, along either axis.
  double position_noise = 0.05;

  /// Radians: how far the turn of each odometry row may be off.
  double heading_noise = 0.01;

  /// The measured ranges are this many times too long.
  double range_scale = 1;

  /// Metres: the standard deviation of a range.
  double range_sigma = 2;

  /// A range that is this many standard deviations off the expected one is
  /// taken for an echo and ignored; 0 lets every range in.
  double gate = 3;
};

/// An extended Kalman filter for a pose in the plane: odometry moves it, ranges
/// to landmarks correct it.
class ekf {
public:
  // -- construction -----------------------------------------------------------

  ekf() = default;

  /// Starts at a pose that is taken as certain.
  ekf(const pose& start, const ekf_settings& settings);

  // -- properties -------------------------------------------------------------

  /// Returns the most likely pose.
  const pose& estimate() const noexcept {
    return estimate_;
  }

  /// Returns how far off the position may be: the square root of the sum of
  /// both axes' variances, in metres.
  double position_sigma() const noexcept;

  // -- measurements -----------------------------------------------------------

  /// Moves the robot.
  void predict(const odometry_row& row);

  /// Corrects the estimate by a range to `mark`.
  /// @returns false if the range was beyond the gate, or the estimate exactly
  ///          on the landmark, and the range thus ignored.
  bool correct(const range_row& row, const landmark& mark);

  // -- serialisation ----------------------------------------------------------

  /// Lets CAF save a filter, and read it again.
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
