// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/words.hpp"

#include "base/closest_name.hpp"
#include "base/duration.hpp"
#include "base/text.hpp"
#include "caf/rosia/time_span.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace rosia_drill {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

template <class Parse>
range to_range(const std::string& text, const std::string& key, Parse&& parse) {
  auto dots = text.find("..");
  range result;
  result.first = parse(text.substr(0, dots));
  result.last
    = dots == std::string::npos ? result.first : parse(text.substr(dots + 2));
  if (result.last < result.first)
    throw mistake{key + ": the range " + text + " ends before it begins"};
  return result;
}

} // namespace

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> result;
  auto in_word = false;
  auto quoted = false;
  for (auto c : line) {
    if (!quoted && is_blank(c)) {
      in_word = false;
      continue;
    }
    if (!in_word)
      result.emplace_back();
    in_word = true;
    if (c == '"')
      quoted = !quoted;
    else
      result.back() += c;
  }
  if (quoted)
    throw mistake{"a quotation mark (\") is not closed"};
  return result;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> result;
  for (auto& part : caf::rosia::detail::split(text, ','))
    if (auto word = caf::rosia::detail::trim(part); !word.empty())
      result.emplace_back(word);
  return result;
}

std::string suggestion(std::string_view name,
                       const std::vector<std::string>& candidates) {
  auto other = caf::rosia::detail::closest_name(name, candidates);
  return other.empty() ? other : "; did you mean '" + other + "'?";
}

std::string unknown(std::string_view kind, std::string_view name,
                    const std::vector<std::string>& known) {
  std::string result{"unknown "};
  ((result += kind) += " '") += name;
  return result + "'; known are " + caf::rosia::detail::quoted_list(known)
         + suggestion(name, known);
}

bool fits(std::string_view pattern, std::string_view name) {
  auto star = pattern.find('*');
  if (star == std::string_view::npos)
    return pattern == name;
  if (name.substr(0, star) != pattern.substr(0, star))
    return false;
  pattern.remove_prefix(star + 1);
  for (auto i = star; i <= name.size(); ++i)
    if (fits(pattern, name.substr(i)))
      return true;
  return false;
}

// -- numbers and times --------------------------------------------------------

std::chrono::nanoseconds to_time(
  const std::string& text, const std::string& key) {
  auto result = caf::rosia::detail::parse_timespan(text);
  if (!result)
    throw mistake{
      key + ": '" + text + "' is not a time; write 20ms, 1.5s or 1min"};
  // The sum of a few such values and the current time must not overflow.
  return caf::rosia::physical_time_span{*result};
}

std::uint64_t to_number(const std::string& text, const std::string& key,
                        std::uint64_t least, std::uint64_t most) {
  std::uint64_t result = 0;
  auto last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, result);
  if (text.empty() || error != std::errc{} || end != last || result < least
      || result > most)
    throw mistake{
      key + ": '" + text + "' is not a number from " + std::to_string(least)
      + (most == std::numeric_limits<std::uint64_t>::max()
           ? " on"
           : " to " + std::to_string(most))};
  return result;
}

std::int64_t range::pick(std::uint64_t random) const {
  auto size = static_cast<std::uint64_t>(last - first) + 1;
  return first + static_cast<std::int64_t>(size == 0 ? random : random % size);
}

range to_time_range(const std::string& text, const std::string& key) {
  return to_range(text, key, [&](const std::string& x) {
    auto result = to_time(x, key);
    if (result.count() < 0)
      throw mistake{key + ": '" + x + "' is negative"};
    return result.count();
  });
}

range to_number_range(const std::string& text, const std::string& key) {
  return to_range(text, key, [&](const std::string& x) {
    return static_cast<std::int64_t>(to_number(x, key, 1, 1'000'000));
  });
}

} // namespace rosia_drill
