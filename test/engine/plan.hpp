// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "random.hpp"
#include "record.hpp"

#include "engine/connection.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace engine_test {

using caf::rosia::engine::node_id;

// What a random application consists of: plain data, from which the simulator
// makes an application of engine nodes, and the oracle one of its own.

/// What a made-up reaction does.
enum class action : std::uint8_t {
  nothing,
  relay,       // writes
  filter,      // writes sometimes
  yield,       // yields, then writes
  yield_twice, // yields, writes, yields, writes
  both,        // writes, sometimes yields and writes again
  schedule,    // schedules an action, and writes if it is triggered by one
  repeat,      // writes, and schedules an action twice
  tick,        // is the timer's
};

struct reaction_plan {
  std::vector<std::uint32_t> triggers; // inputs
  bool outside = false;                // is a trigger for values from outside
  bool eager = false;
  action what = action::nothing;
  delay pause;                     // how long it yields
  std::uint32_t outputs = 0;       // a mask of the outputs that it writes
  std::vector<std::uint32_t> acts; // actions that trigger it
  std::uint32_t scheduled = 0;     // the action that it schedules
};

struct timer_plan {
  std::optional<delay> offset; // none: the first tick is in `start()` itself
  delay period;
  std::uint64_t ticks = 0;
  std::uint32_t outputs = 0;           // a mask
  std::optional<std::uint32_t> action; // schedules it, else it yields
};

struct request_plan {
  std::uint32_t at = 0; // the number of the node's execution; 0: `start()`
  std::optional<delay> after;
  int status = 0;
};

struct node_plan {
  std::uint64_t seed = 0;
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
  std::uint32_t actions = 0;
  std::vector<std::uint32_t> physical_inputs; // values may be injected
  std::vector<reaction_plan> reactions;
  std::optional<timer_plan> timer;
  std::uint32_t start_outputs = 0; // a mask of those that `start()` writes

  /// Promises with every write that the next one comes this much later; a timer
  /// promises its next tick.
  bool promises = false;
  std::optional<delay> promised_gap;

  /// Writes nothing after so many executions, so that loops come to an end.
  std::uint32_t limit = 40;

  bool realtime = false;
  std::vector<request_plan> requests;
  std::optional<std::uint32_t> fails_at; // the number of an execution, as above
  bool shutdown_fails = false;

  bool external() const noexcept;
};

struct connection_plan {
  node_id source = 0;
  std::uint32_t output = 0;
  node_id target = 0;
  std::uint32_t input = 0;
  delay distance; // as declared, without the microstep of `eager`
  bool physical = false;
};

/// A value from outside of the application.
struct call_plan {
  std::int64_t at = 0; // physical time
  node_id node = 0;
  bool trigger = true; // else it is injected
  std::uint32_t index = 0;
  std::uint64_t value = 0;
};

/// What somebody outside of the nodes does: at a step of the simulation, or at
/// a physical time.
struct outside_request {
  std::optional<std::uint64_t> at_step;
  std::int64_t at = 0;
  logical_time proposal = never;
};

/// A node that handles nothing between two steps of the simulation.
struct pause_plan {
  node_id node = 0;
  std::uint64_t from = 0;
  std::uint64_t until = 0;
};

struct plan {
  std::vector<node_plan> nodes;
  std::vector<connection_plan> connections;
  std::vector<call_plan> calls; // by time
  std::vector<outside_request> outside_requests;
  std::optional<logical_time> stop_after;
  std::uint32_t max_in_flight = 1024;

  /// The step at which a node vanishes without a word.
  std::optional<std::pair<std::uint64_t, node_id>> vanishes;

  std::vector<pause_plan> pauses;

  /// The step at which a node gets stuck in its code for good.
  std::optional<std::pair<std::uint64_t, node_id>> sticks;

  /// Steps at which the stage that the application's end has come to takes too
  /// long.
  std::vector<std::uint64_t> overdue;

  /// The step at which somebody forces the end.
  std::optional<std::uint64_t> second_signal;

  /// Loop time tables search for distances instead of keeping a matrix.
  bool searching_loop_time_tables = false;

  /// Per node: the process that runs it. Empty for one process.
  std::vector<std::uint32_t> processes;
};

/// A random application that ends.
plan make_plan(random_source& rng);

/// Lets some of its nodes schedule events.
void add_actions(plan& x, random_source& rng);

/// Lets no node yield: a checkpoint can be taken at any tag.
void make_resumable(plan& x);

/// The same application when it is resumed at `tag`: over other processes, with
/// no other faults than those of nodes. What came from outside is repeated.
plan make_resumed_plan(const plan& x, logical_time tag, random_source& rng);

/// The connections' delays with the microsteps that `eager` adds: the rule of
/// section 2, written down a second time. Physical connections have none.
std::vector<delay> effective_delays(const plan& x);

/// reach[i][j]: tells whether a path of the given connections leads from i to
/// j.
std::vector<std::vector<bool>> reachability(
  std::size_t nodes, const std::vector<std::pair<node_id, node_id>>& edges);

/// For a person who looks at a failure.
std::string to_string(const plan& x);

} // namespace engine_test
