// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/logical_time.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace caf::rosia {

namespace {

std::string render_ns(std::int64_t ns) {
  using unit = std::pair<std::int64_t, const char*>;
  constexpr std::array<unit, 4> units{
    {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}}};
  if (ns == 0)
    return "0s";
  // The largest unit that leaves at most nine decimals, without rounding.
  for (auto [size, name] : units) {
    if (ns / size == 0)
      continue;
    auto result = std::to_string(ns / size);
    auto rest = ns % size;
    if (rest < 0)
      rest = -rest;
    if (rest != 0) {
      auto digits = std::to_string(size + rest).substr(1);
      digits.erase(digits.find_last_not_of('0') + 1);
      result += '.';
      result += digits;
    }
    return result + name;
  }
  return std::to_string(ns) + "ns";
}

[[noreturn]] void throw_overflow(logical_time t) {
  throw std::overflow_error(
    "the microstep overflows after tag " + to_string(t));
}

} // namespace

std::string to_string(logical_time x) {
  if (x == never)
    return "never";
  if (x == forever)
    return "forever";
  auto result = render_ns(x.ns);
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
  auto result = render_ns(x.ns());
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
