// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "track.hpp"

#include "text.hpp"

namespace localization {

namespace {

void write_pose(std::ostream& out, const pose& at) {
  out << ',' << fixed(at.x, 6) << ',' << fixed(at.y, 6) << ','
      << fixed(at.heading, 6);
}

} // namespace

void write_csv_header(std::ostream& out) {
  out << "time_s,x_m,y_m,heading_rad,sigma_m,dead_reckoning_x_m,"
         "dead_reckoning_y_m,dead_reckoning_heading_rad\n";
}

void write_csv_row(std::ostream& out, const track_point& point) {
  out << seconds_text(point.time);
  write_pose(out, point.estimate);
  out << ',' << fixed(point.sigma, 6);
  write_pose(out, point.dead_reckoning);
  out << '\n';
}

} // namespace localization
