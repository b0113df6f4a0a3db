// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "simulated_log.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>

namespace localization {

namespace {

using std::numbers::pi;

// -- the drive ----------------------------------------------------------------

constexpr double lane_length = 36;
constexpr double lane_distance = 4;
constexpr int lanes = 7;
constexpr double turn_length = pi * lane_distance / 2;
constexpr double way_length = lanes * lane_length + (lanes - 1) * turn_length;

/// Returns the pose after `way` metres: parallel lanes, joined by half circles.
pose on_lawn(double way) {
  constexpr auto period = lane_length + turn_length;
  const auto lane = std::floor(way / period);
  const auto in_lane = way - lane * period;
  const auto forth = std::fmod(lane, 2) == 0;
  const auto lane_y = lane * lane_distance;
  if (in_lane <= lane_length)
    return {forth ? in_lane : lane_length - in_lane, lane_y, forth ? 0 : pi};
  constexpr auto radius = lane_distance / 2;
  const auto turned = (in_lane - lane_length) / radius;
  const auto out = radius * std::sin(turned);
  return {
    forth ? lane_length + out : -out,
    lane_y + radius - radius * std::cos(turned), forth ? turned : pi - turned};
}

bool in_bend(double way) {
  return std::fmod(way, lane_length + turn_length) > lane_length;
}

// -- the sensors --------------------------------------------------------------

constexpr double gyro_drift = 0.002; // rad/s
constexpr double gyro_noise = 0.003; // rad, each row
constexpr double wheel_slip = 0.99;  // share of the distance that is measured
constexpr double wheel_noise = 0.01; // m, each row
constexpr double radio_noise = 0.5;  // m
constexpr double echo_share = 0.04;  // share of the ranges that are too long

/// Returns a time stamp as the logger writes it: since it was switched on, in
/// microseconds.
stamp logged(double seconds) {
  constexpr double switched_on = 100;
  return std::chrono::microseconds{std::llround((switched_on + seconds) * 1e6)};
}

/// Rounds a number to six decimals, as a logger does. This also hides that the
/// last bits of a sine differ between mathematical libraries.
double logged_value(double value) {
  return std::round(value * 1e6) / 1e6;
}

pose logged_pose(const pose& at) {
  return {logged_value(at.x), logged_value(at.y), logged_value(at.heading)};
}

range_row measured(noise& random, double time, const pose& at,
                   const landmark& mark) {
  auto range
    = std::hypot(at.x - mark.x, at.y - mark.y) + random.normal(radio_noise);
  if (random.uniform() < echo_share)
    range += random.uniform(8, 20);
  return {logged(time), 0, mark.id, logged_value(std::max(range, 0.0))};
}

} // namespace

// -- noise --------------------------------------------------------------------

double noise::uniform() {
  // A double has 53 significant bits.
  return static_cast<double>(engine_() >> 11) * 0x1p-53;
}

double noise::uniform(double low, double high) {
  return low + (high - low) * uniform();
}

double noise::normal(double sigma) {
  // Box-Muller transform. 1 - u is in (0, 1], so its logarithm is finite.
  const auto radius = std::sqrt(-2 * std::log(1 - uniform()));
  return sigma * radius * std::cos(2 * pi * uniform());
}

// -- simulation ---------------------------------------------------------------

robot_log simulate(std::uint64_t seed) {
  noise random{seed};
  robot_log log;
  log.landmarks = {{1, -5, -4}, {2, 42, -5}, {3, 43, 29}, {4, -6, 28}};
  log.notes.push_back("a made-up log of seed " + std::to_string(seed)
                      + " (--help tells how to give a real one)");
  log.truth.push_back({logged(0), on_lawn(0)});
  auto time = 0.0;
  auto way = 0.0;
  auto next_range = random.uniform(0.1, 0.4);
  std::size_t beacon = 0;
  while (way < way_length) {
    const auto from = on_lawn(way);
    const auto step = random.uniform(0.08, 0.13);
    const auto speed = in_bend(way) ? 0.8 : 1.2 + 0.2 * std::sin(time / 7);
    const auto next_way = std::min(way + speed * step, way_length);
    while (next_range < time + step) {
      const auto part = (next_range - time) / step;
      const auto at = on_lawn(way + part * (next_way - way));
      log.ranges.push_back(
        measured(random, next_range, at, log.landmarks[beacon]));
      beacon = (beacon + 1) % log.landmarks.size();
      next_range += random.uniform(0.2, 0.5);
    }
    time += step;
    way = next_way;
    const auto to = on_lawn(way);
    const auto distance
      = std::hypot(to.x - from.x, to.y - from.y) * wheel_slip
        + random.normal(wheel_noise);
    const auto turn
      = to.heading - from.heading + gyro_drift * step
        + random.normal(gyro_noise);
    log.odometry.push_back(
      {logged(time), logged_value(distance), logged_value(turn)});
    log.truth.push_back({logged(time), logged_pose(to)});
  }
  return log;
}

} // namespace localization
