// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "ekf.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace localization {

namespace {

constexpr std::size_t x = 0;
constexpr std::size_t y = 1;
constexpr std::size_t heading = 2;

double square(double value) {
  return value * value;
}

} // namespace

ekf::ekf(const pose& start, const ekf_settings& settings)
  : settings_{settings}, estimate_{start} {}

double ekf::position_sigma() const noexcept {
  // The sum may be below zero because of rounding.
  return std::sqrt(std::max(0.0, covariance_[x][x] + covariance_[y][y]));
}

void ekf::predict(const odometry_row& row) {
  const auto next = moved(estimate_, row.distance, row.turn);
  // The Jacobian of the motion is the identity, except that the heading moves
  // the position perpendicular to the distance just driven.
  const auto dx = -(next.y - estimate_.y);
  const auto dy = next.x - estimate_.x;
  auto& p = covariance_;
  const auto from_heading = p[heading];
  p[x][x] += 2 * dx * from_heading[x] + dx * dx * from_heading[heading];
  p[y][y] += 2 * dy * from_heading[y] + dy * dy * from_heading[heading];
  p[x][y] += dy * from_heading[x] + dx * from_heading[y]
             + dx * dy * from_heading[heading];
  p[x][heading] += dx * from_heading[heading];
  p[y][heading] += dy * from_heading[heading];
  p[x][x] += square(settings_.position_noise);
  p[y][y] += square(settings_.position_noise);
  p[heading][heading] += square(settings_.heading_noise);
  p[y][x] = p[x][y];
  p[heading][x] = p[x][heading];
  p[heading][y] = p[y][heading];
  estimate_ = next;
}

bool ekf::correct(const range_row& row, const landmark& mark) {
  const auto dx = estimate_.x - mark.x;
  const auto dy = estimate_.y - mark.y;
  const auto expected = std::hypot(dx, dy);
  // On top of a landmark, a range contains no direction.
  if (expected == 0)
    return false;
  const vector slope{dx / expected, dy / expected, 0};
  vector gain{};
  for (std::size_t i = 0; i < gain.size(); ++i)
    gain[i] = covariance_[i][x] * slope[x] + covariance_[i][y] * slope[y];
  const auto variance
    = slope[x] * gain[x] + slope[y] * gain[y] + square(settings_.range_sigma);
  const auto surprise = row.range / settings_.range_scale - expected;
  if (settings_.gate > 0
      && square(surprise) > square(settings_.gate) * variance)
    return false;
  estimate_.x += gain[x] / variance * surprise;
  estimate_.y += gain[y] / variance * surprise;
  estimate_.heading += gain[heading] / variance * surprise;
  for (std::size_t i = 0; i < gain.size(); ++i)
    for (std::size_t j = 0; j < gain.size(); ++j)
      covariance_[i][j] -= gain[i] * gain[j] / variance;
  return true;
}

} // namespace localization
