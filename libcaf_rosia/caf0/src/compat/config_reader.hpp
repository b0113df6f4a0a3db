// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/detail/parser/read_ini.hpp>
#include <caf/parser_state.hpp>

#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// The text around the name of a section.
constexpr std::string_view section_begin = "[";
constexpr std::string_view section_end = "]";

/// An example of one section in place of sections that replace each other.
constexpr auto one_section = "[a.b] c { d = 1 }";

/// Lets CAF's parser read a config file.
/// @param consumer receives the parser's events.
template <class Consumer>
void read_config(caf::string_parser_state& state, Consumer& consumer) {
  caf::detail::parser::read_ini(state, consumer);
}

/// Explains a character with a meaning in files of a different syntax. @returns
/// an empty text for other characters.
inline std::string describe_foreign_syntax(char x) {
  if (x == '#')
    return "unexpected '#' (comments begin with ;)";
  if (x == '\r')
    return "the line ends as on Windows (\\r\\n); it has to end with \\n";
  return {};
}

} // namespace caf::rosia::detail
