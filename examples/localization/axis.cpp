// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "axis.hpp"

#include <algorithm>
#include <cmath>

#include "text.hpp"

namespace localization {

namespace {

/// Tolerance for quotients that rounding made slightly too small.
constexpr double slack = 1e-9;

} // namespace

double nice_length(double limit) {
  const auto power = std::pow(10, std::floor(std::log10(limit) + slack));
  const auto rest = limit / power * (1 + slack);
  return power * (rest >= 5 ? 5 : rest >= 2 ? 2 : 1);
}

std::string ticks::label(double value) const {
  const auto digits = std::floor(std::log10(step) + slack);
  return fixed(value, static_cast<int>(std::max(0.0, -digits)));
}

ticks nice_ticks(const axis& from, int wanted) {
  ticks result;
  // If the step is too large, there are few marks; if it is too small, they are
  // crowded.
  result.step = nice_length(2 * (from.high - from.low) / wanted);
  const auto first = std::ceil(from.low / result.step - slack);
  const auto last = std::floor(from.high / result.step + slack);
  for (auto i = first; i <= last; ++i)
    result.values.push_back(i * result.step);
  return result;
}

} // namespace localization
