// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"

#include <caf/config_value.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// The group within the group `rosia` that belongs to `rosia::shutdown`.
inline constexpr std::string_view shutdown_group = "shutdown";

/// The description of a member of `options`: the only place with its name and
/// its valid values. Tests: test/config/options_test.cpp.
struct option_entry {
  /// The name without the group `rosia`: "realtime", "checkpoint.every".
  std::string_view name;

  /// The type that the help text shows.
  std::string_view type_name;

  /// One line for the help text.
  std::string_view description;

  /// Completes "<value> is not ...".
  std::string_view expected;

  /// Converts a value. Returns false if it has another type.
  bool (*read)(options& target, const caf::config_value& value);

  /// Renders the value, in quotes if the config file needs them; empty if
  /// unset.
  std::string (*render)(const options& source);

  /// Returns whether the value, which has the right type, is valid.
  bool (*valid)(const options& source);

  /// Whether its name on the command line begins with "rosia.".
  bool in_group = true;
};

/// Returns all members of `options`, in the order of their declaration.
std::span<const option_entry> option_table();

/// Returns the names of all options, without the group `rosia`.
std::vector<std::string> option_names();

/// Returns the name of an option that had this name before options had groups;
/// empty if none had.
std::string_view renamed_option(std::string_view old_name);

/// Sets one option.
/// @param name the name without the group `rosia`.
/// @throws std::invalid_argument see `options_from`
void read_option(options& target, std::string_view name,
                 const caf::config_value& value);

} // namespace caf::rosia::detail
