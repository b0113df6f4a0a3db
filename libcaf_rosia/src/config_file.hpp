// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/config_option_set.hpp>

#include <string>

namespace caf::rosia::detail {

/// Checks all of a config file that CAF would ignore without a word: that it
/// can be parsed, that no name is set twice, that declared options have values
/// of their type, and Rosia's own options the right names and values.
/// @throws std::invalid_argument naming file and line.
void check_config_file(const std::string& file_name, const std::string& text,
                       const caf::config_option_set& declared);

} // namespace caf::rosia::detail
