// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace localization {

// Conversion between numbers and text. It does not depend on the locale or the
// standard library, because the output files are compared byte for byte.

/// Writes `value` with `decimals` digits after the point; never as "-0".
std::string fixed(double value, int decimals);

/// Renders a time in seconds, exactly: with six decimals, or with nine if it
/// has a fraction of a microsecond.
std::string seconds_text(std::chrono::nanoseconds time);

/// Parses a whole text as a finite number.
std::optional<double> parse_number(std::string_view text);

/// Parses a whole text as an integer.
std::optional<int> parse_integer(std::string_view text);

/// Parses seconds such as `3857.053202` or `3.857053202e3` as nanoseconds. Does
/// not use a floating-point number, which would change the stamps of a clock
/// that counts from 1970 by hundreds of nanoseconds. Digits below a nanosecond
/// are rounded.
/// @returns nothing if the text is not a number or is beyond a hundred years.
std::optional<std::chrono::nanoseconds> parse_seconds(std::string_view text);

/// Removes blanks and a carriage return from both ends.
std::string_view trimmed(std::string_view text);

/// Quotes a piece of input for an error message: shortens it to a readable
/// length, and escapes control characters.
std::string in_quotes(std::string_view text);

} // namespace localization
