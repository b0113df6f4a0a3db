// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/config_option_set.hpp>

#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Checks all of a config file that CAF would ignore without a word: that it
/// can be parsed, that no name is set twice, that declared options have values
/// of their type, that every name in a section with declared options is one of
/// them, and that Rosia's own options have the right values. Deep
/// nesting is refused before anything recurses that deep.
/// @returns warnings, each with file and line: of sections and of options
///          outside of any that nobody has declared. Those that resemble a
///          declared one are refused.
/// @throws std::invalid_argument naming file and line.
std::vector<std::string> check_config_file(
  const std::string& file_name, const std::string& text,
  const caf::config_option_set& declared);

} // namespace caf::rosia::detail
