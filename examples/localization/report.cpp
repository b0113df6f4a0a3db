// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "report.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "text.hpp"

namespace localization {

namespace {

std::string metres(double value, int decimals) {
  return fixed(value, decimals) + " m";
}

/// Returns the ground truth up to `last`, because a replay may have ended
/// early.
std::vector<truth_row> truth_until(
  const std::vector<truth_row>& truth, stamp last) {
  const auto end
    = std::find_if(truth.begin(), truth.end(), [last](const truth_row& row) {
        return row.time > last;
      });
  return {truth.begin(), end};
}

} // namespace

report::report(const robot_log& log, track points, const row_counts& counts)
  : counts_{counts} {
  picture_.errors = compare(points, log.truth);
  picture_.truth = truth_until(log.truth, points.back().time);
  picture_.landmarks = log.landmarks;
  picture_.points = std::move(points);
  error_ = rms(picture_.errors);
  picture_.title = "Localization";
  if (error_)
    picture_.title
      += ": RMS error " + metres(error_->estimate, 2) + " (dead reckoning "
         + metres(error_->dead_reckoning, 2) + ")";
  picture_.subtitle = rows();
}

std::string report::text() const {
  auto result = rows() + "\n";
  if (error_)
    result
      += "RMS error: " + metres(error_->estimate, 3)
         + " (dead reckoning: " + metres(error_->dead_reckoning, 3) + ") at "
         + std::to_string(picture_.errors.size()) + " odometry times\n";
  return result;
}

std::string report::picture() const {
  return to_svg(picture_);
}

std::string report::rows() const {
  const auto length
    = picture_.points.back().time - picture_.points.front().time;
  return std::to_string(counts_.odometry) + " odometry rows and "
         + std::to_string(counts_.ranges) + " ranges to "
         + std::to_string(picture_.landmarks.size()) + " landmarks ("
         + std::to_string(counts_.ignored) + " ignored) in "
         + fixed(std::chrono::duration<double>(length).count(), 1) + " s";
}

} // namespace localization
