// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "nodes.hpp"

namespace localization {

// -- ekf_node -----------------------------------------------------------------

ekf_node::ekf_node(const pose& start, const ekf_settings& settings,
                   std::vector<landmark> landmarks)
  : filter_{this, "filter", ekf{start, settings}},
    landmarks_{std::move(landmarks)} {
  // nop
}

void ekf_node::fuse() {
  if (odometry.is_present())
    for (const auto& row : *odometry) {
      filter_->predict(row);
      ++counts_->odometry;
    }
  if (ranges.is_present())
    for (const auto& row : *ranges)
      correct(row);
  if (odometry.is_present())
    estimate(estimated_pose{
      odometry->back().time, filter_->estimate(), filter_->position_sigma()});
}

void ekf_node::correct(const range_row& row) {
  const auto mark = std::find_if(
    landmarks_.begin(), landmarks_.end(),
    [&row](const landmark& x) { return x.id == row.landmark; });
  ++counts_->ranges;
  if (mark == landmarks_.end() || !filter_->correct(row, *mark))
    ++counts_->ignored;
}

// -- recorder -----------------------------------------------------------------

recorder::recorder(output_file& file, progress& shown, stamp origin)
  : file_{file}, shown_{shown}, origin_{origin} {
  // nop
}

void recorder::start() {
  file_.clear();
  write_csv_header(file_.stream());
}

void recorder::resumed() {
  start();
  for (const auto& point : *points_)
    write_csv_row(file_.stream(), point);
  file_.check();
}

void recorder::shutdown() {
  file_.close();
}

void recorder::record() {
  const track_point point{
    estimate->time, estimate->at, estimate->sigma, *dead_reckoning};
  write_csv_row(file_.stream(), point);
  // The exception ends the whole application and names this node. Otherwise the
  // replay would write for half an hour to a full disk.
  file_.check();
  points_->push_back(point);
  shown_.update(point.time - origin_);
}

} // namespace localization
