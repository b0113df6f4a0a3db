// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "caf/rosia/all.hpp"

#include "ekf.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "robot_log.hpp"
#include "track.hpp"

namespace localization {

namespace rosia = caf::rosia;

// -- messages -----------------------------------------------------------------

/// The robot's pose as estimated by the filter.
struct estimated_pose {
  stamp time{};
  pose at;
  double sigma = 0; ///< Metres.
};

// CAF serialises messages with these functions, for traces and between
// processes.

template <class Inspector>
auto inspect(Inspector& f, pose& x) {
  return caf::rosia::inspect_members(f, x, x.x, x.y, x.heading);
}

template <class Inspector>
auto inspect(Inspector& f, odometry_row& x) {
  return caf::rosia::inspect_members(f, x, x.time, x.distance, x.turn);
}

template <class Inspector>
auto inspect(Inspector& f, range_row& x) {
  return caf::rosia::inspect_members(
    f, x, x.time, x.antenna, x.landmark, x.range);
}

template <class Inspector>
auto inspect(Inspector& f, estimated_pose& x) {
  return caf::rosia::inspect_members(f, x, x.time, x.at, x.sigma);
}

// States of nodes need such a function, too.

template <class Inspector>
auto inspect(Inspector& f, row_counts& x) {
  return caf::rosia::inspect_members(f, x, x.odometry, x.ranges, x.ignored);
}

template <class Inspector>
auto inspect(Inspector& f, track_point& x) {
  return caf::rosia::inspect_members(
    f, x, x.time, x.estimate, x.sigma, x.dead_reckoning);
}

// -- nodes --------------------------------------------------------------------

/// Replays one sensor's rows, each at the tag of its time stamp. Rows with
/// equal stamps were measured at the same time, so they are sent as one message
/// at one tag. If the second were a microstep later, it would arrive after the
/// simultaneous measurements of the other sensor.
template <class Row>
struct replay : rosia::node {
  /// @param rows in order of time.
  /// @param origin the time stamp of logical time 0.
  replay(std::vector<Row> rows, stamp origin)
    : rows_{std::move(rows)}, origin_{origin} {
    // nop
  }

  rosia::output_port<std::vector<Row>> output{this, "output"};
  rosia::action<void> next{this, "next"};
  rosia::state<std::size_t> position{this, "position", 0}; ///< The next row.

  rosia::reaction on_next{this, "on_next", {next}, [this] { send(); }};

  void start() {
    if (!rows_.empty() && rows_.front().time == origin_)
      send();
    else
      schedule_next(origin_);
  }

private:
  /// Sends the rows of the current tag.
  void send() {
    const auto from = rows_.begin() + static_cast<std::ptrdiff_t>(*position);
    const auto time = from->time;
    const auto to = std::find_if(from, rows_.end(), [time](const Row& row) {
      return row.time != time;
    });
    output(std::vector<Row>(from, to));
    position += static_cast<std::size_t>(to - from);
    schedule_next(time);
  }

  void schedule_next(stamp passed) {
    if (position < rows_.size())
      next.schedule(rows_[position].time - passed);
  }

  std::vector<Row> rows_;
  stamp origin_;
};

/// Fuses odometry and ranges. At a tag with both, the filter first moves the
/// robot, and then corrects the pose by the ranges.
struct ekf_node : rosia::node {
  ekf_node(const pose& start, const ekf_settings& settings,
           std::vector<landmark> landmarks);

  rosia::input_port<std::vector<odometry_row>> odometry{this, "odometry"};
  rosia::input_port<std::vector<range_row>> ranges{this, "ranges"};

  /// Sends one message for each tag with odometry.
  rosia::output_port<estimated_pose> estimate{this, "estimate"};

  rosia::reaction on_rows{
    this, "on_rows", {odometry, ranges}, [this] { fuse(); }};

  /// Returns the number of rows used. Call after the application has ended.
  const row_counts& counts() const noexcept {
    return *counts_;
  }

private:
  void fuse();

  void correct(const range_row& row);

  rosia::state<ekf> filter_;
  rosia::state<row_counts> counts_{this, "counts"};
  std::vector<landmark> landmarks_;
};

/// Adds up the odometry alone, for comparison.
struct dead_reckoning_node : rosia::node {
  explicit dead_reckoning_node(const pose& start) : at_{this, "at", start} {
    // nop
  }

  rosia::input_port<std::vector<odometry_row>> odometry{this, "odometry"};
  rosia::output_port<pose> guess{this, "guess"};

  rosia::reaction on_odometry{
    this, "on_odometry", {odometry}, [this] {
      for (const auto& row : *odometry)
        at_ = moved(at_, row.distance, row.turn);
      guess(at_);
    }};

private:
  rosia::state<pose> at_;
};

/// Writes the track. The estimate and the pose of dead reckoning took different
/// paths, but have the same tag. So one reaction has both.
struct recorder : rosia::node {
  /// @param file must outlive the application.
  /// @param shown must outlive the application.
  recorder(output_file& file, progress& shown, stamp origin);

  rosia::input_port<estimated_pose> estimate{this, "estimate"};
  rosia::input_port<pose> dead_reckoning{this, "dead_reckoning"};

  rosia::reaction on_pose{
    this, "on_pose", {estimate, dead_reckoning}, [this] { record(); }};

  /// Returns all points. Call after the application has ended.
  const track& points() const noexcept {
    return *points_;
  }

  /// Begins the file.
  void start();

  /// Writes the file again from the start, with all points of the state. If the
  /// recorder had ended already, this is not called, and the file is complete.
  void resumed();

  /// Completes the file.
  void shutdown();

private:
  void record();

  output_file& file_;
  progress& shown_;
  stamp origin_;
  rosia::state<track> points_{this, "points"};
};

} // namespace localization
