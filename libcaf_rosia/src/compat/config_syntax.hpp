// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <map>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Says what is wrong with a line of a file.
/// @throws std::invalid_argument always.
[[noreturn]] void refuse_line(
  const std::string& file_name, int line, const std::string& problem);

/// A section as the file has it.
std::string section_text(std::string_view path);

/// What to write in place of sections that replace each other.
std::string one_section_example();

/// Follows CAF's parser through the text of a config file. CAF's own reader
/// keeps the values, but not their places; takes what sets a name twice; and
/// overflows on what is nested, or counts, too much.
/// @returns the line of each name, by its path, such as `rosia.trace`.
/// @throws std::invalid_argument about the first mistake in the syntax, with
///         file and line.
std::map<std::string, int> parse_config_syntax(
  const std::string& file_name, const std::string& text);

} // namespace caf::rosia::detail
