// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "error_metrics.hpp"

#include <algorithm>
#include <cmath>

namespace localization {

namespace {

double distance(const pose& from, const pose& to) {
  return std::hypot(to.x - from.x, to.y - from.y);
}

} // namespace

std::optional<pose> true_pose(const std::vector<truth_row>& truth, stamp time) {
  const auto after = std::lower_bound(
    truth.begin(), truth.end(), time,
    [](const truth_row& row, stamp sought) { return row.time < sought; });
  if (after == truth.end())
    return std::nullopt;
  if (after->time == time)
    return after->at;
  if (after == truth.begin())
    return std::nullopt;
  const auto& from = *(after - 1);
  const auto part
    = static_cast<double>((time - from.time).count())
      / static_cast<double>((after->time - from.time).count());
  const auto between
    = [part](double x, double y) { return x + part * (y - x); };
  return pose{between(from.at.x, after->at.x), between(from.at.y, after->at.y),
              between(from.at.heading, after->at.heading)};
}

std::vector<error_sample> compare(
  const track& points, const std::vector<truth_row>& truth) {
  std::vector<error_sample> result;
  for (const auto& point : points)
    if (const auto at = true_pose(truth, point.time))
      result.push_back({point.time, distance(*at, point.estimate),
                        distance(*at, point.dead_reckoning)});
  return result;
}

std::optional<rms_error> rms(const std::vector<error_sample>& samples) {
  if (samples.empty())
    return std::nullopt;
  rms_error sum;
  for (const auto& sample : samples) {
    sum.estimate += sample.estimate * sample.estimate;
    sum.dead_reckoning += sample.dead_reckoning * sample.dead_reckoning;
  }
  const auto count = static_cast<double>(samples.size());
  return rms_error{
    std::sqrt(sum.estimate / count), std::sqrt(sum.dead_reckoning / count)};
}

} // namespace localization
