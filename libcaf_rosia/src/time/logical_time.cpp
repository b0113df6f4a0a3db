// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/logical_time.hpp"

#include "base/duration.hpp"

#include <stdexcept>

namespace caf::rosia {

namespace {

[[noreturn, gnu::cold]] void throw_overflow(logical_time t) {
  throw std::overflow_error(
    "the microstep overflows after tag " + to_string(t));
}

} // namespace

std::string to_string(logical_time x) {
  if (x == never)
    return "never";
  if (x == forever)
    return "forever";
  auto result = detail::time_text(std::chrono::nanoseconds{x.ns});
  if (x.microstep != 0) {
    result += '+';
    result += std::to_string(x.microstep);
  }
  return result;
}

std::string to_string(const delay& x) {
  auto steps = [&] {
    return std::to_string(x.steps())
           + (x.steps() == 1 ? " microstep" : " microsteps");
  };
  if (x.is_zero())
    return "none";
  if (x.ns() == 0)
    return steps();
  auto result = detail::time_text(std::chrono::nanoseconds{x.ns()});
  return x.steps() == 0 ? result : result + " and " + steps();
}

logical_time operator+(logical_time t, const delay& d) {
  constexpr auto max = std::numeric_limits<std::uint32_t>::max();
  if (t != never && t != forever && d.ns() == 0
      && t.microstep > max - d.steps())
    throw_overflow(t);
  return saturating_add(t, d);
}

logical_time next_microstep(logical_time t) {
  return t + delay{microsteps(1)};
}

} // namespace caf::rosia
