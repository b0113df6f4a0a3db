// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace localization {

namespace {

/// A decimal number in scientific form: 0.DIGITS * 10^exponent.
struct decimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Removes a leading plus, which `std::from_chars` does not accept.
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);
  return text;
}

template <class Number>
std::optional<Number> parse_all(std::string_view text) {
  text = without_plus(text);
  Number result{};
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, result);
  if (error != std::errc{} || stop != end)
    return std::nullopt;
  return result;
}

std::optional<decimal> parse_decimal(std::string_view text) {
  decimal result;
  text = without_plus(text);
  if (!text.empty() && text[0] == '-') {
    result.negative = true;
    text.remove_prefix(1);
  }
  const auto mantissa = text.substr(0, text.find_first_of("eE"));
  auto seen_point = false;
  for (const auto c : mantissa) {
    if (c == '.' && !seen_point) {
      seen_point = true;
    } else if (is_digit(c)) {
      result.digits += c;
      if (!seen_point)
        ++result.exponent;
    } else {
      return std::nullopt;
    }
  }
  if (result.digits.empty())
    return std::nullopt;
  if (mantissa.size() < text.size()) {
    const auto power = parse_integer(text.substr(mantissa.size() + 1));
    if (!power || std::abs(*power) > 1000)
      return std::nullopt;
    result.exponent += *power;
  }
  return result;
}

} // namespace

std::string fixed(double value, int decimals) {
  // Large enough for the largest double and any number of decimals used here.
  std::array<char, 512> buffer;
  const auto written = std::to_chars(
    buffer.data(), buffer.data() + buffer.size(), value,
    std::chars_format::fixed, decimals);
  std::string result{buffer.data(), written.ptr};
  if (result.find_first_not_of("-0.") == std::string::npos
      && result.front() == '-')
    result.erase(0, 1);
  return result;
}

std::string seconds_text(std::chrono::nanoseconds time) {
  constexpr std::uint64_t billion = 1'000'000'000;
  const auto negative = time.count() < 0;
  auto count = static_cast<std::uint64_t>(time.count());
  if (negative)
    count = 0 - count;
  const auto fraction = std::to_string(billion + count % billion).substr(1);
  const auto decimals = count % 1000 == 0 ? 6u : 9u;
  return (negative ? "-" : "") + std::to_string(count / billion) + "."
         + fraction.substr(0, decimals);
}

std::optional<double> parse_number(std::string_view text) {
  const auto result = parse_all<double>(text);
  return result && std::isfinite(*result) ? result : std::nullopt;
}

std::optional<int> parse_integer(std::string_view text) {
  return parse_all<int>(text);
}

std::optional<std::chrono::nanoseconds> parse_seconds(std::string_view text) {
  constexpr std::int64_t limit = 3'155'760'000'000'000'000; // a hundred years
  const auto number = parse_decimal(text);
  if (!number)
    return std::nullopt;
  std::int64_t count = 0;
  const auto whole = number->exponent + 9;
  for (auto i = 0; i < whole; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto digit
      = at < number->digits.size() ? number->digits[at] - '0' : 0;
    if (count > (limit - digit) / 10)
      return std::nullopt;
    count = count * 10 + digit;
    if (count == 0 && at >= number->digits.size())
      break;
  }
  const auto next = static_cast<std::size_t>(std::max(whole, 0));
  if (whole >= 0 && next < number->digits.size() && number->digits[next] >= '5')
    ++count;
  return std::chrono::nanoseconds{number->negative ? -count : count};
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  constexpr std::string_view hex = "0123456789abcdef";
  std::string result = "'";
  for (const auto c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += "\\x";
      result += hex[byte >> 4];
      result += hex[byte & 15];
    } else {
      result += c;
    }
  }
  result += text.size() > longest ? "...'" : "'";
  return result;
}

} // namespace localization
