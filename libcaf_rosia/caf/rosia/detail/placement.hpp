// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/engine/loop_view.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

// -- parsing ------------------------------------------------------------------

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

// -- placing ------------------------------------------------------------------

/// A connection between two nodes.
struct node_pair {
  engine::node_id from;
  engine::node_id to;
};

/// Places the nodes that nobody has placed.
///
/// First each node that has to be where another one is. Then connected nodes
/// together: those that are connected with placed ones join the process with
/// which they have the most connections; other connected components go, as
/// wholes, largest first, to the process that has the fewest nodes, but one
/// that is larger than a fair share is cut into stretches of neighbours. The
/// same input leads to the same result everywhere.
///
/// @param homes per node; `unplaced` for those to be placed.
/// @param first, last the processes that may run them: first to last - 1.
void place(std::vector<engine::process_id>& homes,
           const std::vector<node_pair>& connections, engine::process_id first,
           engine::process_id last);

inline constexpr engine::process_id unplaced = ~engine::process_id{0};

} // namespace caf::rosia::detail
