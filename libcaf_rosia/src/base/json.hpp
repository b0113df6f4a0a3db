// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// The writer of reports.
using json_writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

/// Returns `x` with U+FFFD instead of bytes that are not UTF-8.
std::string utf8_text(std::string_view x);

/// Returns JSON for the script of a page, where text that looks like a tag or a
/// comment could end the script, or hide its end.
std::string json_in_page(std::string_view json);

/// Writes a string. Values and texts of exceptions may have any encoding, but
/// JSON must be UTF-8: other bytes become U+FFFD.
void put(json_writer& to, std::string_view x);

/// Writes a key, which may be any text.
void put_key(json_writer& to, std::string_view key);

/// Writes a member that is a string.
void put(json_writer& to, const char* key, std::string_view value);

} // namespace caf::rosia::detail
