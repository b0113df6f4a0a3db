// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <vector>

namespace localization {

/// An axis of a plot: maps values from `low` to `high` to pixels from `begin`
/// to `end`. An axis may run in either direction.
struct axis {
  double low = 0;
  double high = 1;
  double begin = 0;
  double end = 1;

  /// Returns the pixel for a value.
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

  /// Renders a mark with as many decimals as the step needs.
  std::string label(double value) const;
};

/// Returns about `wanted` marks at multiples of a nice step.
/// @pre from.low < from.high and wanted > 0.
ticks nice_ticks(const axis& from, int wanted);

} // namespace localization
