// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "robot_log.hpp"

#include <algorithm>

namespace localization {

stamp first_stamp(const robot_log& log) {
  return std::min(log.odometry.front().time, log.ranges.front().time);
}

stamp last_stamp(const robot_log& log) {
  return std::max(log.odometry.back().time, log.ranges.back().time);
}

} // namespace localization
