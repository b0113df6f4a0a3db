// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// What the reports are written with.
using json_writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

/// Returns `x`, where what is not UTF-8 became U+FFFD.
std::string utf8_text(std::string_view x);

/// Writes a string. Values and the texts of exceptions may be in any encoding,
/// JSON may not: what is not UTF-8 becomes U+FFFD.
void put(json_writer& to, std::string_view x);

/// Writes a key that may be any text.
void put_key(json_writer& to, std::string_view key);

/// Writes a member that is a string.
void put(json_writer& to, const char* key, std::string_view value);

} // namespace caf::rosia::detail
