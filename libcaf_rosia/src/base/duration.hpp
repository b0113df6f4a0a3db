// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Parses a duration such as "10ms", "1.5s", "-2min" or "1h". The units are ns,
/// us, ms, s, min and h. Nothing is rounded: "1.5ns" is invalid, as is a
/// duration that does not fit.
std::optional<std::chrono::nanoseconds> parse_timespan(std::string_view text);

/// Renders a duration without rounding: "1.5s", "20ms".
std::string time_text(std::chrono::nanoseconds x);

/// Returns `t + d`, or the last point in time if that does not fit. For `d` >=
/// 0.
constexpr std::chrono::steady_clock::time_point add_saturated(
  std::chrono::steady_clock::time_point t,
  std::chrono::nanoseconds d) noexcept {
  constexpr auto last = std::chrono::steady_clock::time_point::max();
  return d > last - t ? last : t + d;
}

} // namespace caf::rosia::detail
