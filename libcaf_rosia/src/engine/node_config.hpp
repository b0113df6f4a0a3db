// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/port_state.hpp"
#include "engine/code_counts.hpp"
#include "engine/connection.hpp"
#include "engine/loop_time_table.hpp"
#include "engine/port_log.hpp"
#include "engine/stamp_log.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

class instant_loop;

/// The value of `lag_warn` with which a node does not report its lag.
inline constexpr auto no_lag_warning = std::numeric_limits<std::int64_t>::max();

/// The wiring and settings of a node. The members that each message needs are
/// first, so that they are in as few cache lines as possible. Tests:
/// test/engine.
struct node_config {
  /// Records the values that pass the ports. Null if the run is not recorded.
  port_log* log = nullptr;

  /// Counts the activity of the node's code. Null if nothing is counted.
  code_counts* counts = nullptr;

  std::vector<out_connection> out; // by output, then by declaration
  std::vector<in_connection> in;   // in the order of declaration

  node_id id = 0;

  /// The node's place in the order of execution at one tag.
  std::uint32_t rank = 0;

  /// The number of messages in flight on a connection at which back-pressure
  /// stops its sender.
  std::uint32_t max_in_flight = 1024;

  /// The node's entry in the table of its loop.
  engine::loop_time_table::member member = 0;

  /// The table of the node's loop. Null if the node is in no loop.
  engine::loop_time_table* loop_time_table = nullptr;

  /// The node's loop without delay; null if it is in none. If not null, all
  /// members of the node's loop have to be in one group before they start, and
  /// to stay in it.
  engine::instant_loop* instant_loop = nullptr;

  /// Whether a tag runs no earlier than this much physical time after the start
  /// [3.18]. Otherwise, the node runs as fast as its STAT allows [3.19].
  bool realtime = false;

  /// Whether there is a physical action.
  bool external = false;

  /// Whether there is a watchdog; the node sets it.
  bool watched = false;

  /// Whether there is a connection with a maximal wait.
  bool has_waits = false;

  /// Whether there are modes; the node sets it.
  bool has_modes = false;

  /// Whether the physical values are those of an earlier run, with their tags.
  /// If so, no other values are accepted, and requests of an end are not made.
  bool replayed = false;

  /// Whether the node has a reaction to `at_shutdown`, or such a reaction
  /// reaches it without delay [10.6.3].
  bool executes_last_tag = false;

  /// Whether there is something to note when a physical value is stamped or
  /// present.
  bool notes_values = false;

  /// Whether all stamps of values from outside are a distance later than
  /// elapsed time, see `stamped_queue::lead`.
  bool has_lead = false;

  /// The maximal lag that is not reported, in nanoseconds.
  std::int64_t lag_warn = no_lag_warning;

  /// Records the tags of physical values. Null if the run is not recorded.
  stamp_log* stamps = nullptr;

  // The ports of the node, which must exist while it runs.
  std::span<input* const> inputs;
  std::span<output* const> outputs;

  /// Returns whether physical time can influence the node.
  bool follows_clock() const noexcept;

  /// Returns whether the sender of a connection is in the node's loop without
  /// delay.
  bool shares_instant_loop(const in_connection& x) const noexcept;
};

/// A configuration with what a node takes over when it is wired.
struct initial_config : node_config {
  std::vector<node_id> peers; // the receivers, ascending

  /// The maximal waits of incoming connections, in nanoseconds.
  std::vector<std::pair<std::uint32_t, std::int64_t>> max_waits;
};

} // namespace caf::rosia::engine
