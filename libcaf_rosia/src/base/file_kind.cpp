// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/file_kind.hpp"

#include "base/enum_name.hpp"

#include <algorithm>
#include <initializer_list>

namespace caf::rosia::detail {

namespace {

using namespace std::string_view_literals;

constexpr auto elf = "\177ELF"sv;
constexpr auto gzip = "\x1f\x8b"sv;
constexpr auto zstd = "\x28\xb5\x2f\xfd"sv;
constexpr auto xz = "\3757zXZ"sv;
constexpr auto zip = "PK\3\4"sv;

bool begins(std::string_view x, std::initializer_list<std::string_view> with) {
  return std::any_of(with.begin(), with.end(), [&](auto prefix) {
    return x.starts_with(prefix);
  });
}

/// Returns whether a byte does not occur in texts. Bytes beyond ASCII may be
/// UTF-8.
bool is_control(char c) {
  constexpr auto allowed = "\t\n\v\f\r\x1b"sv;
  return (static_cast<unsigned char>(c) < 0x20
          && allowed.find(c) == std::string_view::npos)
         || c == '\x7f';
}

file_kind kind_of_json(std::string_view begin) {
  auto has = [&](std::string_view x) {
    return begin.find(x) != std::string_view::npos;
  };
  return has("\"event\"") ? file_kind::trace
         : has("\"rosia-report-") || has("\"rosia-shutdown-")
           ? file_kind::report
           : file_kind::json;
}

} // namespace

file_kind kind_of(std::string_view begin) {
  begin = begin.substr(0, bytes_of_kind);
  if (begin.empty())
    return file_kind::empty;
  if (begins(begin, {"SQLite format 3\0"sv}))
    return file_kind::database;
  if (begins(begin, {elf, "#!"sv}))
    return file_kind::program;
  if (begins(begin, {gzip, zstd, xz, zip}))
    return file_kind::compressed;
  if (std::any_of(begin.begin(), begin.end(), is_control))
    return file_kind::binary;
  auto first = begin.find_first_not_of(" \t\r\n"sv);
  if (first != std::string_view::npos
      && (begin[first] == '{' || begin[first] == '['))
    return kind_of_json(begin);
  return file_kind::text;
}

std::string_view to_string(file_kind x) {
  constexpr const char* names[]
    = {"an empty file",        "a trace", "a report",
       "a database of SQLite", "JSON",    "a program",
       "a compressed file",    "text",    "binary data"};
  return name_of(x, names);
}

} // namespace caf::rosia::detail
