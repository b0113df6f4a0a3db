// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace localization {

/// One axis of a plot: values from `low` to `high` on pixels from `begin` to
/// `end`. An axis may run either way.
struct axis {
  double low = 0;
  double high = 1;
  double begin = 0;
  double end = 1;

  /// Returns where a value is on the picture.
  double operator()(double value) const noexcept {
    return begin + (value - low) / (high - low) * (end - begin);
  }
};

/// Returns the largest of 1, 2 and 5, times a power of ten, that is at most
/// `limit`.
/// @pre limit > 0.
double nice_length(double limit);

/// The marks of an axis.
struct ticks {
  double step = 1;
  std::vector<double> values;

  /// Writes a mark with as many decimals as the step needs.
  std::string label(double value) const;
};

/// Returns marks at multiples of a nice step, about `wanted` many.
/// @pre from.low < from.high and wanted > 0.
ticks nice_ticks(const axis& from, int wanted);

} // namespace localization
