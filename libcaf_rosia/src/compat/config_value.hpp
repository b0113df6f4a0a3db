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

/// The type of options that may be given without a value, which then is true.
constexpr std::string_view bool_type = "true|false";

/// Makes an option whose values are taken as they are, and checked by who reads
/// them: CAF takes an option for a flag without a value if its type is called
/// "boolean", ignores a wrong value in the config file, and has no type for
/// some of ours. On the command line each value is text.
/// @param type_name what the help text shows for its value.
caf::config_option make_unchecked_option(
  std::string_view group, std::string_view name, std::string_view description,
  std::string_view type_name);

/// Whether an option takes text from the command line.
bool takes_text(const caf::config_option& opt, const std::string& text);

/// Whether an option takes a value from the config file.
bool takes_value(const caf::config_option& opt, const caf::config_value& value);

/// Copies one of CAF's string views.
inline std::string to_text(text_view x) {
  return {x.begin(), x.end()};
}

// -- values -------------------------------------------------------------------

/// The command line hands over text, and text may be an atom in the file of
/// CAF 0.17.
std::optional<std::string> text_of(const caf::config_value& x);

// Convert a value of the command line or of the config file. They return false
// for one of another type.

bool read_value(const caf::config_value& from, bool& to);

bool read_value(const caf::config_value& from, std::chrono::nanoseconds& to);

/// What is longer than the longest one becomes that.
bool read_value(const caf::config_value& from, physical_time_span& to);

/// A number is text, too.
bool read_value(const caf::config_value& from, std::string& to);

bool read_value(const caf::config_value& from, signal_behavior& to);

/// A list of text.
bool read_value(const caf::config_value& from, std::vector<std::string>& to);

/// Puts text into quotes.
std::string quote(const std::string& x);

/// Renders a value as the config file has it.
std::string render_value(const caf::config_value& value);

} // namespace caf::rosia::detail
