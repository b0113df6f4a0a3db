// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "error_metrics.hpp"
#include "robot_log.hpp"
#include "track.hpp"
#include "track_plot.hpp"

namespace localization {

/// The numbers of rows that the filter used, and of ranges that it ignored.
struct row_counts {
  std::size_t odometry = 0;
  std::size_t ranges = 0;
  std::size_t ignored = 0;
};

/// Describes the result of a replay as text and picture.
class report {
public:
  /// @param points the track, which must not be empty.
  report(const robot_log& log, track points, const row_counts& counts);

  /// Returns the error of the track; nothing without ground truth.
  const std::optional<rms_error>& error() const noexcept {
    return error_;
  }

  /// Returns the lines for the user's terminal.
  std::string text() const;

  /// Returns the picture as an SVG document.
  std::string picture() const;

private:
  std::string rows() const;

  track_picture picture_;
  row_counts counts_;
  std::optional<rms_error> error_;
};

} // namespace localization
