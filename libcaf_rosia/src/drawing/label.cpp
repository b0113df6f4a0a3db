// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "drawing/label.hpp"

#include <cstdint>

#include <spdlog/fmt/fmt.h>

namespace caf::rosia::detail {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd"; // U+FFFD
constexpr std::string_view ellipsis = "\xe2\x80\xa6";    // U+2026

/// A character, and its size in bytes.
struct decoded {
  char32_t character = 0;
  std::size_t size = 0; // 0: not UTF-8
};

/// Decodes the first character.
/// @pre The text is not empty.
decoded decode(std::string_view text) noexcept {
  auto byte
    = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  auto first = byte(0);
  if (first < 0x80)
    return {first, 1};
  auto size = first >= 0xf0 ? 4u : first >= 0xe0 ? 3u : 2u;
  if (first < 0xc2 || first > 0xf4 || text.size() < size)
    return {};
  char32_t result = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return {};
    result = result << 6 | (byte(i) & 0x3fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (result < least[size] || result > 0x10ffff
      || (result >= 0xd800 && result < 0xe000))
    return {};
  return {result, size};
}

/// Returns whether terminals and pages show the character without side effects.
/// Excludes control characters, line and paragraph ends, and characters that
/// change the direction of text. XML does not allow U+FFFE and U+FFFF.
bool can_be_shown(char32_t x) noexcept {
  auto is_within
    = [x](char32_t first, char32_t last) { return x >= first && x <= last; };
  return !(x < 0x20 || is_within(0x7f, 0x9f) || is_within(0x200e, 0x200f)
           || is_within(0x2028, 0x202e) || is_within(0x2066, 0x2069)
           || is_within(0xfffe, 0xffff));
}

std::string escaped(char32_t x) {
  switch (x) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return x < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(x))
                       : fmt::format("\\u{:04x}", static_cast<unsigned>(x));
  }
}

} // namespace

std::string label_of(std::string_view name, std::size_t limit) {
  if (name.empty())
    return " ";
  std::string result;
  for (std::size_t count = 0; !name.empty(); ++count) {
    if (count == limit)
      return result.append(ellipsis);
    auto [character, size] = decode(name);
    if (size == 0)
      result += replacement;
    else if (can_be_shown(character))
      result += name.substr(0, size);
    else
      result += escaped(character);
    name.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

} // namespace caf::rosia::detail
