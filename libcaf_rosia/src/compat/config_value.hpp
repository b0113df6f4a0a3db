// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/config_base.hpp"
#include "caf/rosia/signal_behavior.hpp"
#include "caf/rosia/time_span.hpp"

#include <caf/config_option.hpp>
#include <caf/config_value.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

// -- options ------------------------------------------------------------------

/// The type of options whose value may be omitted; the value is then true.
constexpr std::string_view bool_type = "true|false";

/// Makes an option whose values are not checked by CAF, but by their reader.
/// CAF takes an option of type "boolean" for a flag without a value, ignores a
/// wrong value in the config file, and lacks some types of Rosia's options. On
/// the command line, each value is text.
/// @param type_name the name of its type in the help text.
caf::config_option make_unchecked_option(
  std::string_view group, std::string_view name, std::string_view description,
  std::string_view type_name);

/// Returns how CAF handles the values of an option without checking them.
/// @param name must outlive the result.
caf::config_option::meta_state make_unchecked_type(std::string_view name);

/// Returns the name of an option that no environment variable sets.
std::string without_variable(std::string_view name);

/// Returns whether an option accepts a text from the command line.
bool takes_text(const caf::config_option& opt, const std::string& text);

/// Returns whether an option accepts a value from the config file.
bool takes_value(const caf::config_option& opt, const caf::config_value& value);

/// Copies one of CAF's string views.
inline std::string to_text(text_view x) {
  return {x.begin(), x.end()};
}

// -- values -------------------------------------------------------------------

/// Returns the text of a value. Values of the command line are text. Text in
/// the config file may be an atom in CAF 0.17.
std::optional<std::string> text_of(const caf::config_value& x);

// Convert a value of the command line or of the config file. They return false
// for a value of another type.

bool read_value(const caf::config_value& from, bool& to);

bool read_value(const caf::config_value& from, std::chrono::nanoseconds& to);

/// Longer spans become the longest one.
bool read_value(const caf::config_value& from, physical_time_span& to);

/// Also accepts numbers.
bool read_value(const caf::config_value& from, std::string& to);

bool read_value(const caf::config_value& from, signal_behavior& to);

/// Accepts a list of text.
bool read_value(const caf::config_value& from, std::vector<std::string>& to);

std::string quote(const std::string& x);

/// Renders a value in the syntax of the config file.
std::string render_value(const caf::config_value& value);

} // namespace caf::rosia::detail
