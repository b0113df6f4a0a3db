// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "drawing/label.hpp"

#include <rapidjson/encodings.h>
#include <rapidjson/memorystream.h>
#include <spdlog/fmt/fmt.h>

#include <cstdint>

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
decoded decode(std::string_view text) {
  rapidjson::MemoryStream from{text.data(), text.size()};
  unsigned result = 0;
  if (!rapidjson::UTF8<>::Decode(from, &result))
    return {};
  return {result, from.Tell()};
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
