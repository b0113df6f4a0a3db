// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rosia_drill {

/// Something in a drill file is wrong. Says what, and what would be right.
class mistake : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Splits a line at blanks; what is in double quotes stays together, without
/// them.
/// @throws mistake if a quotation mark is not closed.
std::vector<std::string> split_words(std::string_view line);

/// Splits a list at commas, and drops blanks around its members.
std::vector<std::string> split_list(std::string_view text);

/// "; did you mean 'x'?", or nothing if no candidate resembles it.
std::string suggestion(std::string_view name,
                       const std::vector<std::string>& candidates);

/// "unknown KIND 'name'; known are 'a', 'b'", and a suggestion.
std::string unknown(std::string_view kind, std::string_view name,
                    const std::vector<std::string>& known);

/// Tells whether a name fits a pattern, in which `*` stands for any text.
bool fits(std::string_view pattern, std::string_view name);

// -- numbers and times --------------------------------------------------------

/// @throws mistake which names `key`.
std::chrono::nanoseconds to_time(
  const std::string& text, const std::string& key);

/// @throws mistake which names `key`.
std::uint64_t to_number(const std::string& text, const std::string& key,
                        std::uint64_t least, std::uint64_t most);

/// A range such as `1..4`, or one value, which is a range of itself.
struct range {
  std::int64_t first = 0;
  std::int64_t last = 0;

  /// A number within it; the same for the same number in.
  std::int64_t pick(std::uint64_t random) const;
};

/// In nanoseconds. @throws mistake which names `key`.
range to_time_range(const std::string& text, const std::string& key);

/// @throws mistake which names `key`.
range to_number_range(const std::string& text, const std::string& key);

} // namespace rosia_drill
