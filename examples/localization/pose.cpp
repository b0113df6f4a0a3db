// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "pose.hpp"

#include <cmath>

namespace localization {

pose moved(const pose& from, double distance, double turn) {
  const auto mean_heading = from.heading + turn / 2;
  return {from.x + distance * std::cos(mean_heading),
          from.y + distance * std::sin(mean_heading), from.heading + turn};
}

} // namespace localization
