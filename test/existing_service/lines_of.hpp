// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <fstream>
#include <string>
#include <vector>

/// Returns the lines of a file.
inline std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in{file};
  std::vector<std::string> result;
  for (std::string line; std::getline(in, line);)
    result.push_back(line);
  return result;
}
