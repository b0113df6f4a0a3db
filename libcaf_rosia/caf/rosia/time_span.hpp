// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace caf::rosia {

namespace detail {

__extension__ using wide_integer = __int128;

/// Converts a duration to nanoseconds. The result saturates. NaN becomes the
/// least value. A duration that fits is converted as by
/// `std::chrono::duration_cast`.
template <class Rep, class Period>
constexpr std::chrono::nanoseconds saturated(
  std::chrono::duration<Rep, Period> x) noexcept {
  using std::chrono::nanoseconds;
  constexpr auto num = static_cast<long double>(Period::num);
  constexpr auto den = static_cast<long double>(Period::den);
  // A little above the range, so that rounding does not matter.
  constexpr long double limit = 9.3e18L;
  auto rough = static_cast<long double>(x.count()) * num / den * 1e9L;
  if (rough >= limit)
    return nanoseconds::max();
  if (!(rough > -limit))
    return nanoseconds::min();
  if constexpr (std::is_floating_point_v<Rep>) {
    // The largest doubles within the range.
    constexpr long double largest = 9223372036854774784.0L;
    if (rough >= largest)
      return nanoseconds::max();
    return rough <= -largest
             ? nanoseconds::min()
             : std::chrono::duration_cast<nanoseconds>(x);
  } else {
    auto exact
      = wide_integer{x.count()} * Period::num * 1'000'000'000 / Period::den;
    return nanoseconds{static_cast<std::int64_t>(std::clamp(
      exact, wide_integer{nanoseconds::min().count()},
      wide_integer{nanoseconds::max().count()}))};
  }
}

/// Reports a number in place of a duration.
template <class T>
constexpr void without_unit() noexcept {
  static_assert(sizeof(T) == 0, "a duration needs a unit, such as 10ms");
}

} // namespace detail

/// Nanoseconds, converted from any duration. A duration that does not fit
/// becomes the longest one, 292 years.
class time_span : public std::chrono::nanoseconds {
public:
  constexpr time_span() noexcept : std::chrono::nanoseconds(0) {
    // nop
  }

  template <class Rep, class Period>
  constexpr time_span(std::chrono::duration<Rep, Period> x) noexcept
    : std::chrono::nanoseconds(detail::saturated(x)) {
    // nop
  }

  /// Never compiles: the unit is missing.
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr time_span(T) noexcept : time_span() {
    detail::without_unit<T>();
  }
};

/// A duration in physical time, such as a timeout: at most 73 years, a quarter
/// of the range. The sum of several of them and the current time therefore
/// fits.
class physical_time_span : public time_span {
public:
  /// The longest duration.
  static constexpr std::chrono::nanoseconds longest
    = std::chrono::nanoseconds::max() / 4;

  constexpr physical_time_span() noexcept = default;

  template <class Rep, class Period>
  constexpr physical_time_span(std::chrono::duration<Rep, Period> x) noexcept
    : time_span(std::min(detail::saturated(x), longest)) {
    // nop
  }

  /// Never compiles: the unit is missing.
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr physical_time_span(T) noexcept {
    detail::without_unit<T>();
  }
};

} // namespace caf::rosia
