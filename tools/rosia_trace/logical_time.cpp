// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/logical_time.hpp"

#include <array>
#include <charconv>

namespace rosia_trace {

namespace {

struct unit {
  std::string_view name;
  std::int64_t ns;
};

constexpr std::array units{
  unit{"s", 1'000'000'000},
  unit{"ms", 1'000'000},
  unit{"us", 1'000},
  unit{"ns", 1},
};

/// Formats `ns` in the largest unit that fits, with all digits.
std::string readable_ns(std::int64_t ns) {
  for (auto [name, length] : units) {
    if (ns / length == 0)
      continue;
    auto result = std::to_string(ns / length);
    if (auto rest = ns % length; rest != 0) {
      auto digits = std::to_string((rest < 0 ? -rest : rest) + length);
      digits.front() = '.';
      digits.erase(digits.find_last_not_of('0') + 1);
      result += digits;
    }
    return result.append(name);
  }
  return "0s";
}

template <class T>
bool parse_integer(std::string_view text, T& result) {
  auto last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, result);
  return error == std::errc{} && end == last;
}

} // namespace

std::string to_string(logical_time x) {
  if (x == never)
    return "never";
  if (x == forever)
    return "forever";
  return '[' + std::to_string(x.ns) + ',' + std::to_string(x.microstep) + ']';
}

std::string to_readable(logical_time x) {
  if (!is_tag(x))
    return to_string(x);
  auto result = readable_ns(x.ns);
  if (x.microstep > 0)
    result += '+' + std::to_string(x.microstep);
  return result;
}

std::optional<logical_time> parse_logical_time(std::string_view text) {
  auto colon = text.find(':');
  logical_time result;
  if (!parse_integer(text.substr(0, colon), result.ns))
    return std::nullopt;
  if (colon == std::string_view::npos)
    return result;
  std::uint32_t microstep = 0;
  if (!parse_integer(text.substr(colon + 1), microstep))
    return std::nullopt;
  result.microstep = microstep;
  return result;
}

} // namespace rosia_trace
