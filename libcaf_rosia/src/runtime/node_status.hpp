// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/report.hpp"
#include "engine/snapshot.hpp"
#include "runtime/run_context.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// Returns the reactions of a node that have deadlines, and how often they
/// missed them [10.3.4].
std::vector<std::pair<std::string, std::uint64_t>> count_missed_deadlines(
  node& owner);

/// Returns the physical actions of a node that have a spacing, and the number
/// of values that it dropped [10.5.2].
std::vector<std::pair<std::string, std::uint64_t>> count_dropped_by_spacing(
  node& owner);

/// Returns the input ports of a node with a maximal wait, and the number of
/// their tardy values [10.10.1]. From any thread, after the node was wired.
std::vector<std::pair<std::string, std::uint64_t>> count_tardy_values(
  node& owner);

/// Returns the state of the watchdogs of a node. From any thread, at any time.
std::vector<watchdog_report> describe_watchdogs(node& owner);

/// Returns the modes of a node [10.7.7]. From any thread, at any time.
std::vector<mode_report> describe_modes(node& owner);

/// Describes a node of this process for a report. From any thread.
/// @param state null if it is not known.
node_report describe_node(const run_context& run, engine::node_id id,
                          node_stage stage, const engine::snapshot* state);

} // namespace caf::rosia::detail
