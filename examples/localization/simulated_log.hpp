// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <random>

#include "robot_log.hpp"

namespace localization {

/// Random numbers that are the same on all platforms. The standard specifies
/// the results of `std::mt19937_64`, but not those of its distributions.
class noise {
public:
  explicit noise(std::uint64_t seed) : engine_{seed} {}

  /// Returns a number in [0, 1).
  double uniform();

  /// Returns a number in [low, high).
  double uniform(double low, double high);

  /// Returns a normally distributed number around 0.
  double normal(double sigma);

private:
  std::mt19937_64 engine_;
};

/// Simulates the log of a robot that mows a lawn of 36 m by 24 m, lane by lane,
/// starting at the origin along the x axis. Its gyro drifts and its wheels
/// slip. The four radio beacons around the lawn answer with noise and sometimes
/// with an echo. Each sensor has its own, irregular rate. The ground truth is
/// complete. A note says that the log is simulated.
/// @returns the same log for the same seed.
robot_log simulate(std::uint64_t seed);

} // namespace localization
