// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// "1 part", "2 parts".
std::string plural(std::size_t n, std::string_view one, std::string_view many);

/// "'a', 'b', 'c'".
std::string quoted_list(const std::vector<std::string>& xs);

/// Tells whether it is a character of ASCII that can be seen, or a space.
constexpr bool is_printable(char c) noexcept {
  return c >= ' ' && c <= '~';
}

/// Returns `x` with each byte that is not printable ASCII as `\xNN`.
std::string escaped(std::string_view x);

/// Returns whether `x` is UTF-8 without control characters.
bool is_plain_text(std::string_view x) noexcept;

/// Returns why a name cannot be in all files, pages and messages; empty if it
/// can. @param kind says what is named.
std::string problem_of_name(std::string_view kind, std::string_view name);

/// @throws std::invalid_argument with that problem.
void require_name(std::string_view kind, std::string_view name);

/// Tells whether a process can end with it.
constexpr bool is_exit_status(int x) noexcept {
  return x >= 0 && x <= 255;
}

/// @param call names the function that was given the status.
/// @throws std::invalid_argument if no process can end with it: the system
///         would keep the lowest byte, and 256 would be taken for 0.
void require_exit_status(std::string_view call, int x);

/// The most lines that a message lists.
constexpr std::size_t lines_in_log = 20;

/// Renders the first of some lines, each indented on a line of its own.
class short_list {
public:
  void add(std::string_view line);

  /// Empty if there are none.
  std::string text() const;

private:
  std::size_t count_ = 0;
  std::string text_;
};

} // namespace caf::rosia::detail
