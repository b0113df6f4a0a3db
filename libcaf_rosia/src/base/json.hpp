// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace caf::rosia::detail {

/// The writer of reports.
using json_writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

/// Returns `x` with U+FFFD instead of bytes that are not UTF-8.
std::string utf8_text(std::string_view x);

/// Does so without a copy of valid text. @returns `x`, or a view of `storage`.
std::string_view valid_utf8(std::string_view x, std::string& storage);

/// Returns JSON for the script of a page, where text that looks like a tag or a
/// comment could end the script, or hide its end.
std::string json_in_page(std::string_view json);

/// Writes a number, a flag or a string. Values and texts of exceptions may have
/// any encoding, but JSON must be UTF-8: other bytes become U+FFFD.
template <class Writer, class T>
  requires std::is_arithmetic_v<T> || std::convertible_to<T, std::string_view>
void put(Writer& to, const T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    to.Bool(x);
  } else if constexpr (std::is_floating_point_v<T>) {
    to.Double(x);
  } else if constexpr (std::is_signed_v<T>) {
    to.Int64(x);
  } else if constexpr (std::is_unsigned_v<T>) {
    to.Uint64(x);
  } else {
    std::string storage;
    auto text = valid_utf8(x, storage);
    to.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
}

/// Writes a key, which may be any text.
void put_key(json_writer& to, std::string_view key);

/// Writes a member that is a number, a flag or a string.
template <class Writer, class T>
  requires std::is_arithmetic_v<T> || std::convertible_to<T, std::string_view>
void put(Writer& to, const char* key, const T& value) {
  to.Key(key);
  put(to, value);
}

/// Writes an object, whose members `members` writes.
template <class Writer, class Fun>
void put_object(Writer& to, Fun&& members) {
  to.StartObject();
  members();
  to.EndObject();
}

/// Returns an object as JSON. @param members writes its members.
template <class Fun>
std::string render_object(unsigned indent, Fun&& members) {
  rapidjson::StringBuffer buffer;
  json_writer to{buffer};
  to.SetIndent(' ', indent);
  put_object(to, [&] { members(to); });
  return {buffer.GetString(), buffer.GetSize()};
}

/// Writes a member that is a list. @param each writes an element.
template <class Writer, class Range, class Fun>
void put_list(Writer& to, const char* key, const Range& xs, Fun&& each) {
  to.Key(key);
  to.StartArray();
  for (auto& x : xs)
    each(x);
  to.EndArray();
}

/// Writes a list of numbers, flags or strings.
template <class Writer, class Range>
void put_list(Writer& to, const char* key, const Range& xs) {
  put_list(to, key, xs, [&to](auto& x) { put(to, x); });
}

} // namespace caf::rosia::detail
