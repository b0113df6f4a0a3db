// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The values of the option `set`, each of the form "node.parameter=value".

namespace caf::rosia::detail {

/// The parts of a value. They refer to its text.
struct parameter_setting {
  std::string_view nodes; // a name, or a pattern with * and ?
  std::string_view parameter;
  std::string_view value;
};

/// Returns none if the text has another form.
std::optional<parameter_setting> parse_setting(std::string_view text);

/// Returns whether the value is "help": the parameters are listed, and nothing
/// runs.
bool lists_parameters(const std::vector<std::string>& xs) noexcept;

/// Returns whether these are valid values of the option.
bool are_settings(const std::vector<std::string>& xs);

/// Returns the parameters of a node that are set, in the order of the settings.
std::vector<std::pair<std::string, std::string>> settings_of(
  const std::vector<std::string>& all, std::string_view node);

/// Refuses settings of unknown nodes and parameters.
/// @throws std::invalid_argument with the closest name.
void check_settings(const std::vector<std::string>& all,
                    const std::vector<graph_description::node>& nodes);

/// Lists all parameters in the form in which they are set, with their values in
/// the code. Equal ones of a bank are one line.
std::string describe_parameters(
  const std::vector<graph_description::node>& nodes);

} // namespace caf::rosia::detail
