// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// Returns "1 part", "2 parts".
std::string plural(std::size_t n, std::string_view one, std::string_view many);

/// Returns "'a', 'b', 'c'".
std::string quoted_list(const std::vector<std::string>& xs);

/// Returns `x` without the blanks at both ends.
std::string_view trim(std::string_view x);

/// Returns the parts between the separators, of which there is at least one.
std::vector<std::string> split(std::string_view text, char separator);

/// Returns whether `c` is printable ASCII.
constexpr bool is_printable(char c) noexcept {
  return c >= ' ' && c <= '~';
}

/// Returns `x` with `\xNN` for each byte that is not printable ASCII.
std::string escaped(std::string_view x);

/// Returns `x` for a terminal or a log, which may have text from files, options
/// and other processes: `\xNN` instead of each byte that is not UTF-8 or
/// belongs to a control character, except for line ends and tabs.
std::string printable_text(std::string_view x);

/// Returns `x` as text or an attribute in XML and HTML. They cannot represent
/// control characters, which become question marks, except for line ends.
std::string markup_text(std::string_view x);

/// Returns whether `x` is UTF-8 without control characters.
bool is_plain_text(std::string_view x) noexcept;

/// Returns the reason why a name cannot be used in files, pages and messages;
/// empty if it can.
/// @param kind the kind of the named thing.
std::string problem_of_name(std::string_view kind, std::string_view name);

/// @throws std::invalid_argument with that reason.
void require_name(std::string_view kind, std::string_view name);

/// Returns whether a process can end with this status.
constexpr bool is_exit_status(int x) noexcept {
  return x >= 0 && x <= 255;
}

/// @param call the function that received the status.
/// @throws std::invalid_argument if no process can end with it: the system
/// would keep only the lowest byte, and 256 would become 0.
void require_exit_status(std::string_view call, int x);

/// The maximal number of lines in a message.
constexpr std::size_t lines_in_log = 20;

/// Renders the first of several lines, each on a separate indented line.
class short_list {
public:
  void add(std::string_view line);

  /// Returns the text; empty if there are no lines.
  std::string text() const;

private:
  std::size_t count_ = 0;
  std::string text_;
};

} // namespace caf::rosia::detail
