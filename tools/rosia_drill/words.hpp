// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/text.hpp"

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rosia_drill {

/// An error in a drill file. The text describes the error and the correct form.
class mistake : public std::runtime_error {
public:
  /// @param text may have any byte of the file, such as one of value 0.
  explicit mistake(const std::string& text)
    : std::runtime_error{caf::rosia::detail::printable_text(text)} {
    // nop
  }
};

/// Splits a line at blanks. Text in double quotes stays together and loses the
/// quotes.
/// @throws mistake if a quotation mark is not closed.
std::vector<std::string> split_words(std::string_view line);

/// Splits a list at commas, and removes blanks around its elements.
std::vector<std::string> split_list(std::string_view text);

/// Returns "; did you mean 'x'?", or an empty text if no candidate is similar.
std::string suggestion(std::string_view name,
                       const std::vector<std::string>& candidates);

/// Returns "unknown KIND 'name'; known are 'a', 'b'", and a suggestion.
std::string unknown(std::string_view kind, std::string_view name,
                    const std::vector<std::string>& known);

/// Returns whether a name matches a pattern, in which `*` stands for any text.
bool fits(std::string_view pattern, std::string_view name);

// -- numbers and times --------------------------------------------------------

/// @throws mistake which names `key`.
std::chrono::nanoseconds to_time(
  const std::string& text, const std::string& key);

/// @throws mistake which names `key`.
std::uint64_t to_number(const std::string& text, const std::string& key,
                        std::uint64_t least, std::uint64_t most);

/// A range such as `1..4`; a single value is a range of one.
struct range {
  std::int64_t first = 0;
  std::int64_t last = 0;

  /// Maps a number to the range, always in the same way.
  std::int64_t pick(std::uint64_t random) const;
};

/// Parses a range in nanoseconds. @throws mistake which names `key`.
range to_time_range(const std::string& text, const std::string& key);

/// @throws mistake which names `key`.
range to_number_range(const std::string& text, const std::string& key);

} // namespace rosia_drill
