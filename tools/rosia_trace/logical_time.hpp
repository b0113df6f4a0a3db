// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace rosia_trace {

/// A tag: nanoseconds and a microstep, ordered lexicographically. Defined
/// independently, so that an error in the library's arithmetic cannot hide
/// here.
struct logical_time {
  /// Nanoseconds.
  std::int64_t ns = 0;
  /// 0 to `max_microstep`. Wider than the trace's 32 bits, so that `never` and
  /// `forever` are outside of the range of tags.
  std::int64_t microstep = 0;

  friend auto operator<=>(const logical_time&, const logical_time&) = default;
};

inline constexpr std::int64_t max_microstep
  = std::numeric_limits<std::uint32_t>::max();

/// Below every tag.
inline constexpr logical_time never{
  std::numeric_limits<std::int64_t>::min(), -1};

/// Above every tag.
inline constexpr logical_time forever{
  std::numeric_limits<std::int64_t>::max(), max_microstep + 1};

/// The tag at which every node starts.
inline constexpr logical_time origin{0, 0};

/// The delay of a connection.
struct time_delay {
  /// Nanoseconds, not negative.
  std::int64_t ns = 0;
  /// Microsteps, not negative.
  std::int64_t microsteps = 0;

  friend auto operator<=>(const time_delay&, const time_delay&) = default;
};

/// Returns whether `x` is neither `never` nor `forever`.
constexpr bool is_tag(logical_time x) {
  return x != never && x != forever;
}

/// Section 1 of the semantics: a duration above 0 resets the microstep. An
/// overflow gives `forever`. `never` and `forever` do not change.
constexpr logical_time operator+(logical_time x, time_delay d) {
  if (!is_tag(x))
    return x;
  if (d.ns > 0) {
    if (x.ns > forever.ns - d.ns)
      return forever;
    return {x.ns + d.ns, d.microsteps};
  }
  if (x.microstep > max_microstep - d.microsteps)
    return forever;
  return {x.ns, x.microstep + d.microsteps};
}

/// Returns the tag one microstep later.
constexpr logical_time next_microstep(logical_time x) {
  return x + time_delay{0, 1};
}

/// Formats a tag as the library does: "1.5s", "20ms+1", "never", "forever".
std::string to_string(logical_time x);

std::string to_string(time_delay x);

/// Formats a tag as in a trace: `[5,0]`, `"never"` or `"forever"`.
std::string to_json(logical_time x);

/// Parses the result of `to_string`, or a tag as in a trace: `[5,0]`. Returns
/// nothing if `text` is neither.
std::optional<logical_time> parse_logical_time(std::string_view text);

} // namespace rosia_trace
