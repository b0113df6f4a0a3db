// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/duration.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

namespace caf::rosia::detail {

namespace {

std::optional<std::int64_t> unit_size(std::string_view name) {
  using unit = std::pair<std::string_view, std::int64_t>;
  constexpr std::array<unit, 6> units{
    {{"ns", 1},
     {"us", 1'000},
     {"ms", 1'000'000},
     {"s", 1'000'000'000},
     {"min", 60'000'000'000},
     {"h", 3'600'000'000'000}}};
  for (auto [unit_name, size] : units)
    if (unit_name == name)
      return size;
  return std::nullopt;
}

// Removes the leading digits from `text` and returns them.
std::string_view take_digits(std::string_view& text) {
  auto n = text.find_first_not_of("0123456789");
  auto result = text.substr(0, n);
  text.remove_prefix(result.size());
  return result;
}

template <class T>
std::optional<T> to_number(std::string_view digits) {
  T result = 0;
  auto last = digits.data() + digits.size();
  auto [end, code] = std::from_chars(digits.data(), last, result);
  if (code != std::errc{} || end != last)
    return std::nullopt;
  return result;
}

// Adds `factor * unit` to `sum` unless the result does not fit.
bool add_product(std::int64_t& sum, std::int64_t factor, std::int64_t unit) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(factor, unit, &product)
         && !__builtin_add_overflow(sum, product, &sum);
}

// Adds the decimals after the point, each worth a tenth of the previous one.
// Fails if the last one is less than a nanosecond.
bool add_fraction(std::int64_t& sum, std::string_view digits,
                  std::int64_t unit) {
  for (auto digit : digits) {
    auto exact = unit % 10 == 0;
    unit /= 10;
    if (digit == '0')
      continue;
    if (!exact || !add_product(sum, digit - '0', unit))
      return false;
  }
  return true;
}

} // namespace

std::optional<std::chrono::nanoseconds> parse_timespan(std::string_view text) {
  auto negative = text.starts_with('-');
  if (negative)
    text.remove_prefix(1);
  auto whole = to_number<std::int64_t>(take_digits(text));
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
    if (fraction.empty())
      return std::nullopt;
  }
  auto unit = unit_size(text);
  std::int64_t ns = 0;
  if (!whole || !unit || !add_product(ns, *whole, *unit)
      || !add_fraction(ns, fraction, *unit))
    return std::nullopt;
  return std::chrono::nanoseconds{negative ? -ns : ns};
}

std::string time_text(std::chrono::nanoseconds x) {
  auto ns = std::int64_t{x.count()};
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

} // namespace caf::rosia::detail
