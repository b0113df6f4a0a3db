// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/has_text.hpp"
#include "caf/rosia/inspect.hpp"
#include "caf/rosia/time_span.hpp"

#include <chrono>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace caf::rosia {

/// A tag: a point in logical time [1.1]. Tags are ordered lexicographically,
/// first by nanoseconds since the common start, then by microstep.
struct logical_time {
  /// Nanoseconds since the common start of the application.
  std::int64_t ns = 0;

  /// Orders events of the same nanosecond.
  std::uint32_t microstep = 0;

  friend constexpr auto operator<=>(
    const logical_time&, const logical_time&) noexcept = default;

  // Compilers generate twice as many instructions for the operator above.
  friend constexpr bool operator<(
    const logical_time& x, const logical_time& y) noexcept {
    return x.ns < y.ns || (x.ns == y.ns && x.microstep < y.microstep);
  }

  friend constexpr bool operator>(
    const logical_time& x, const logical_time& y) noexcept {
    return y < x;
  }

  friend constexpr bool operator<=(
    const logical_time& x, const logical_time& y) noexcept {
    return !(y < x);
  }

  friend constexpr bool operator>=(
    const logical_time& x, const logical_time& y) noexcept {
    return !(x < y);
  }
};

/// Below every tag of a node [1.2].
inline constexpr logical_time never{
  std::numeric_limits<std::int64_t>::min(), 0};

/// Above every tag of an event [1.2].
inline constexpr logical_time forever{
  std::numeric_limits<std::int64_t>::max(),
  std::numeric_limits<std::uint32_t>::max()};

/// Lets CAF serialise a tag.
template <class Inspector>
auto inspect(Inspector& f, logical_time& x) {
  return inspect_members(f, x, x.ns, x.microstep);
}

/// Renders a tag: "1.5s", "20ms+3" (three microsteps on), "never", "forever".
std::string to_string(logical_time x);

template <>
inline constexpr bool detail::has_text<logical_time> = true;

/// A number of microsteps, see `after`.
enum class microsteps : std::uint32_t {};

/// The distance between two tags. A delay with nanoseconds leads to the first
/// microstep of a later instant. A delay without nanoseconds stays at the same
/// instant.
class delay {
public:
  // -- constructors -----------------------------------------------------------

  /// No delay: it does not change the tag.
  constexpr delay() noexcept = default;

  /// A duration. Zero, if it is written explicitly, is one microstep. A
  /// duration that is too long leads to `forever`.
  template <class Rep, class Period>
  constexpr delay(std::chrono::duration<Rep, Period> d) noexcept
    : ns_(detail::saturated(d).count()), microsteps_(ns_ == 0 ? 1 : 0) {
    // nop
  }

  /// A number of microsteps at the same instant [1.4].
  constexpr delay(microsteps n) noexcept
    : microsteps_(static_cast<std::uint32_t>(n)) {
    // nop
  }

  /// Never compiles: the unit is missing.
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr delay(T) noexcept {
    detail::without_unit<T>();
  }

  /// Makes a delay from its parts, without the rule for zero.
  static constexpr delay from_parts(
    std::int64_t ns, std::uint32_t microsteps) noexcept {
    delay result;
    result.ns_ = ns;
    result.microsteps_ = microsteps;
    return result;
  }

  // -- properties -------------------------------------------------------------

  /// Returns the nanoseconds.
  constexpr std::int64_t ns() const noexcept {
    return ns_;
  }

  /// Returns the microsteps at the instant that the nanoseconds lead to.
  constexpr std::uint32_t steps() const noexcept {
    return microsteps_;
  }

  /// Returns whether the delay does not change a tag.
  constexpr bool is_zero() const noexcept {
    return ns_ == 0 && microsteps_ == 0;
  }

  friend constexpr auto operator<=>(
    const delay&, const delay&) noexcept = default;

private:
  std::int64_t ns_ = 0;
  std::uint32_t microsteps_ = 0;
};

/// Renders a delay: "5ms", "1 microstep", "none".
std::string to_string(const delay& x);

template <>
inline constexpr bool detail::has_text<delay> = true;

/// They are printed as the delay that they are.
template <>
inline constexpr bool detail::has_text<microsteps> = true;

/// Returns the delay of a connection, of a yield, or of a request:
/// `after(5ms)`, `after(microsteps(1))`. A duration of zero is one microstep.
/// A negative delay is an error of the graph (`graph_error`) or of the node,
/// depending on its use.
template <class T>
  requires std::convertible_to<T, delay>
constexpr delay after(T d) noexcept {
  return delay{d};
}

// -- arithmetic ---------------------------------------------------------------

/// Returns the tag that a delay leads to [1.5]. `never` and `forever` absorb
/// delays. Nanoseconds saturate at `forever` [1.3].
/// @throws std::overflow_error if the microstep overflows.
logical_time operator+(logical_time t, const delay& d);

/// Adds a delay to a bound. Unlike `operator+`, a microstep that overflows
/// leads to the next nanosecond. No sum lies between the two.
constexpr logical_time saturating_add(logical_time t, const delay& d) noexcept {
  if (t == forever || t == never)
    return t;
  if (d.ns() > 0) {
    if (t.ns > forever.ns - d.ns())
      return forever;
    auto ns = t.ns + d.ns();
    return ns == forever.ns ? forever : logical_time{ns, d.steps()};
  }
  constexpr auto max = std::numeric_limits<std::uint32_t>::max();
  if (t.microstep <= max - d.steps())
    return {t.ns, t.microstep + d.steps()};
  return t.ns >= forever.ns - 1 ? forever : logical_time{t.ns + 1, 0};
}

/// Returns the earliest tag that is later than `t`. `never` and `forever` stay.
/// @throws std::overflow_error if the microstep overflows.
logical_time next_microstep(logical_time t);

/// Returns the delay of a path with delay `first` and then `second` [1.5].
constexpr delay compose(const delay& first, const delay& second) noexcept {
  constexpr auto max_ns = std::numeric_limits<std::int64_t>::max();
  constexpr auto max_steps = std::numeric_limits<std::uint32_t>::max();
  auto ns
    = first.ns() > max_ns - second.ns() ? max_ns : first.ns() + second.ns();
  if (second.ns() > 0)
    return delay::from_parts(ns, second.steps());
  auto steps
    = first.steps() > max_steps - second.steps()
        ? max_steps
        : first.steps() + second.steps();
  return delay::from_parts(ns, steps);
}

/// Returns the greatest tag `w` for which `w + d` is not greater than `t`: a
/// bound greater than `w`, plus `d`, is greater than `t`. Returns `never` if
/// there is no such tag at or after the start.
constexpr logical_time inverse(logical_time t, const delay& d) noexcept {
  constexpr auto last = std::numeric_limits<std::uint32_t>::max();
  if (t == forever || t == never)
    return t;
  if (d.ns() > 0) {
    auto ns = t.ns - d.ns();
    if (ns < 0)
      return never;
    if (d.steps() > t.microstep)
      return ns == 0 ? never : logical_time{ns - 1, last};
    return {ns, last};
  }
  if (t.microstep >= d.steps())
    return {t.ns, t.microstep - d.steps()};
  return t.ns == 0 ? never : logical_time{t.ns - 1, last};
}

} // namespace caf::rosia
