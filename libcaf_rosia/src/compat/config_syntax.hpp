// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <map>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Reports a problem with a line of a file.
/// @throws std::invalid_argument always.
[[noreturn]] void refuse_line(
  const std::string& file_name, int line, const std::string& problem);

/// Returns a section in the syntax of the file.
std::string section_text(std::string_view path);

/// Returns an example of one section in place of sections that replace each
/// other.
std::string one_section_example();

/// Checks the syntax of a config file with CAF's parser. CAF's own consumer of
/// the parser's events keeps the values, but not their lines. It also accepts
/// duplicate names, and overflows for deep nesting and large numbers.
/// @returns the line of each name, by its path, such as `rosia.trace`.
/// @throws std::invalid_argument about the first error in the syntax, with file
///         and line.
std::map<std::string, int> parse_config_syntax(
  const std::string& file_name, const std::string& text);

} // namespace caf::rosia::detail
