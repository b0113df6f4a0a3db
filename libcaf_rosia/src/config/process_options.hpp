// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What the options about processes have for values.

namespace caf::rosia::detail {

/// Without the blanks at both ends.
std::string_view trim(std::string_view x);

/// Splits "left, right" at its commas, without the spaces around.
std::vector<std::string> split_list(std::string_view text);

/// Letters, digits, '-' and '_', one at least.
bool is_process_name(std::string_view x) noexcept;

/// Tells whether all are names, and no two the same.
bool are_process_names(std::vector<std::string> names);

/// How many processes an application may be told to start.
inline constexpr std::size_t most_processes = 256;

/// Reads a number of processes.
std::optional<std::size_t> process_count(std::string_view text);

/// Splits "host:port", or "[::1]:port", at its last colon.
std::optional<std::pair<std::string, std::uint16_t>> parse_address(
  std::string_view text);

/// Tells whether only programs of this machine reach a host: `localhost`, or an
/// address of the loopback device.
bool is_loopback_host(const std::string& host) noexcept;

/// Which nodes, by name or by a pattern with * and ?, run in which process.
struct placement_rule {
  std::string nodes;
  std::string process;
};

/// Parses "camera=left, det*=right".
std::optional<std::vector<placement_rule>> parse_placement(
  std::string_view text);

/// The process that the first rule that fits gives a node; empty if none does.
/// @param placement as `parse_placement` accepts it.
std::string process_of(std::string_view placement, std::string_view node);

/// Tells whether a name is, or fits, a pattern.
bool matches(std::string_view pattern, std::string_view name) noexcept;

} // namespace caf::rosia::detail
