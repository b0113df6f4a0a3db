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

// The values of the options about processes.

namespace caf::rosia::detail {

/// Splits "left, right" at its commas, without the spaces around.
std::vector<std::string> split_list(std::string_view text);

/// Returns whether `x` is not empty and has only letters, digits, '-' and '_'.
bool is_process_name(std::string_view x) noexcept;

/// Returns whether all are valid names of processes, and differ.
bool are_process_names(std::vector<std::string> names);

/// The maximal number of processes that an application starts.
inline constexpr std::size_t most_processes = 256;

/// Parses a number of processes.
std::optional<std::size_t> process_count(std::string_view text);

/// Splits "host:port", or "[::1]:port", at its last colon.
std::optional<std::pair<std::string, std::uint16_t>> parse_address(
  std::string_view text);

/// Returns whether only programs of this machine can reach a host: `localhost`,
/// or an address of the loopback device.
bool is_loopback_host(const std::string& host) noexcept;

/// A rule of the placement: the nodes, by name or by a pattern with * and ?,
/// and their process.
struct placement_rule {
  std::string nodes;
  std::string process;
};

/// Parses "camera=left, det*=right".
std::optional<std::vector<placement_rule>> parse_placement(
  std::string_view text);

/// Returns the process of the first rule that matches a node; empty if none
/// does.
/// @param placement a text that `parse_placement` accepts.
std::string process_of(std::string_view placement, std::string_view node);

/// Returns whether a name matches a pattern, or equals it.
bool matches(std::string_view pattern, std::string_view name) noexcept;

/// Returns whether the name of a node, or that of a composite around it,
/// matches a pattern [10.9.1].
bool matches_node(std::string_view pattern, std::string_view node) noexcept;

} // namespace caf::rosia::detail
