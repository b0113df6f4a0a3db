// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/text.hpp"

#include "caf/rosia/detail/has_text.hpp"

#include <rapidjson/encodings.h>
#include <rapidjson/memorystream.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <stdexcept>

namespace caf::rosia::detail {

namespace {

std::string escaped_byte(char c) {
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

/// Returns the number of bytes of the first character; 0 if it is not UTF-8, or
/// a control character.
/// @pre The text is not empty.
std::size_t plain_character(std::string_view x) noexcept {
  rapidjson::MemoryStream from{x.data(), x.size()};
  unsigned character = 0;
  return !rapidjson::UTF8<>::Decode(from, &character) || character < 0x20
             || (character >= 0x7f && character < 0xa0)
           ? 0
           : from.Tell();
}

} // namespace

std::ostream& print(std::ostream& out, const std::string& text) {
  return out << text;
}

std::string plural(std::size_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string quoted_list(const std::vector<std::string>& xs) {
  std::string result;
  for (auto& x : xs)
    result += (result.empty() ? "'" : ", '") + x + "'";
  return result;
}

std::string_view trim(std::string_view x) {
  constexpr std::string_view blank = " \t";
  auto first = x.find_first_not_of(blank);
  if (first == std::string_view::npos)
    return {};
  return x.substr(first, x.find_last_not_of(blank) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at <= text.size();) {
    auto end = std::min(text.find(separator, at), text.size());
    result.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

std::string escaped(std::string_view x) {
  std::string result;
  for (auto c : x)
    if (is_printable(c))
      result += c;
    else
      result += escaped_byte(c);
  return result;
}

std::string printable_text(std::string_view x) {
  std::string result;
  for (std::size_t i = 0; i < x.size();) {
    auto n = x[i] == '\n' || x[i] == '\t' ? 1 : plain_character(x.substr(i));
    if (n > 0)
      result += x.substr(i, n);
    else
      result += escaped_byte(x[i]);
    i += std::max<std::size_t>(n, 1);
  }
  return result;
}

std::string markup_text(std::string_view x) {
  std::string result;
  for (auto c : x)
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  return result;
}

bool is_plain_text(std::string_view x) noexcept {
  while (!x.empty()) {
    auto n = plain_character(x);
    if (n == 0)
      return false;
    x.remove_prefix(n);
  }
  return true;
}

std::string problem_of_name(std::string_view kind, std::string_view name) {
  return is_plain_text(name)
           ? std::string{}
           : fmt::format("invalid {} name '{}': a name must be UTF-8, without "
                         "control characters",
                         kind, escaped(name));
}

void require_name(std::string_view kind, std::string_view name) {
  if (auto problem = problem_of_name(kind, name); !problem.empty())
    throw std::invalid_argument(problem);
}

void require_exit_status(std::string_view call, int x) {
  if (!is_exit_status(x))
    throw std::invalid_argument(fmt::format(
      "{} with the status {}: a process ends with a status from 0 to 255", call,
      x));
}

void short_list::add(std::string_view line) {
  if (++count_ <= lines_in_log)
    text_ += fmt::format("\n  {}", line);
}

std::string short_list::text() const {
  return count_ <= lines_in_log
           ? text_
           : fmt::format("{}\n  and {} more", text_, count_ - lines_in_log);
}

} // namespace caf::rosia::detail
