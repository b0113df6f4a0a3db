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
#include <vector>

namespace caf::rosia::engine {

/// A node does not report how much it lags.
inline constexpr auto no_lag_warning = std::numeric_limits<std::int64_t>::max();

/// How a node is wired and set. What it needs for each message comes first, so
/// that it is in as few cache lines as possible.
struct node_config {
  /// Learns of the values that pass the ports. Null if nobody wants to.
  port_log* log = nullptr;

  /// What the node's code does is counted there. Null if nobody wants to know.
  code_counts* counts = nullptr;

  std::vector<out_connection> out; // by output, each's in that order
  std::vector<in_connection> in;   // in the order of declaration

  node_id id = 0;

  /// Its place in the order in which nodes are executed at one tag.
  std::uint32_t rank = 0;

  /// Messages that a connection holds before back-pressure stops its sender.
  std::uint32_t max_in_flight = 1024;

  /// The loop that the node is in, if any.
  engine::loop_time_table* loop_time_table = nullptr;
  loop_time_table::member member = 0;

  /// A tag runs no earlier than this much physical time after the start [3.18].
  /// If not set, the node runs as fast as its STAT allows [3.19].
  bool realtime = false;

  /// Whether there is a physical action.
  bool external = false;

  /// Whether there is a watchdog; the node sets it.
  bool watched = false;

  /// The physical values are those of an earlier run, with their tags: no
  /// others are taken, and requests of an end are not made.
  bool replayed = false;

  /// Whether there is something to note when a physical value is stamped or
  /// present.
  bool notes_values = false;

  /// Whether all stamps of values from outside are a distance later than
  /// elapsed time, see `stamped_queue::lead`.
  bool has_lead = false;

  /// Report a lag of more than this many nanoseconds.
  std::int64_t lag_warn = no_lag_warning;

  /// Learns of the tags that physical values get. Null if nobody wants to.
  stamp_log* stamps = nullptr;

  // The ports of the node, which have to stay while it runs.
  std::span<input* const> inputs;
  std::span<output* const> outputs;

  /// Tells whether what the node does can depend on physical time.
  bool follows_clock() const noexcept;
};

/// The same with what a node takes over when it is wired.
struct initial_config : node_config {
  std::vector<node_id> peers; // the receivers, ascending
};

} // namespace caf::rosia::engine
