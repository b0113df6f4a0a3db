// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/config_option_set.hpp>

#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Checks a config file for mistakes that CAF ignores silently: that it can be
/// parsed, that no name is set twice, that declared options have values of
/// their type, that all names in a section with declared options are declared,
/// and that Rosia's options have valid values. Refuses deep nesting before any
/// recursion.
/// @returns warnings, with file and line, for undeclared sections, and for
///   undeclared options outside of sections. Those that resemble a declared one
///   are refused.
/// @throws std::invalid_argument that names file and line.
std::vector<std::string> check_config_file(
  const std::string& file_name, const std::string& text,
  const caf::config_option_set& declared);

} // namespace caf::rosia::detail
