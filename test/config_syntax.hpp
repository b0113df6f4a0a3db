// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Config files for tests of their content, not of their syntax.

#pragma once

#include "caf_version.hpp"

#include <sstream>
#include <string>

namespace test {

/// Converts a config file from the syntax of CAF 0.17 to that of this version
/// of CAF, line by line.
inline std::string in_syntax(const std::string& text) {
  if (!caf_is_1)
    return text;
  std::string result;
  std::istringstream lines{text};
  auto in_section = false;
  for (std::string line; std::getline(lines, line); result += '\n') {
    if (line.starts_with('[')) {
      result += in_section ? "}, " : "";
      result += line.substr(1, line.find(']') - 1) + " {";
      in_section = true;
    } else {
      result += line.starts_with(';') ? '#' + line.substr(1) : line;
    }
  }
  return in_section ? result + "}\n" : result;
}

} // namespace test
