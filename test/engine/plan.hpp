// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "random.hpp"
#include "record.hpp"

#include "caf/rosia/spacing.hpp"
#include "engine/connection.hpp"
#include "engine/stamped_queue.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace engine_test {

using caf::rosia::engine::node_id;

// The plan of a random application: plain data, from which the simulator makes
// an application of engine nodes, and the oracle its own.

/// The action of a made-up reaction.
enum class action : std::uint8_t {
  nothing,
  relay,       // writes
  filter,      // writes sometimes
  yield,       // yields, then writes
  yield_twice, // yields, writes, yields, writes
  both,        // writes, sometimes yields and writes again
  schedule,    // schedules an action, and writes when triggered by one
  repeat,      // writes, and schedules an action twice
  tick,        // the timer's reaction
};

struct reaction_plan {
  std::vector<std::uint32_t> triggers; // inputs
  bool eager = false;
  action effect = action::nothing;
  delay pause;                           // duration of its yields
  std::uint32_t outputs = 0;             // a mask of the outputs that it writes
  std::vector<std::uint32_t> acts;       // actions that trigger it
  std::uint32_t scheduled = 0;           // the action that it schedules
  bool at_shutdown = false;              // whether the last tag triggers it
  bool declares = false;                 // whether it declares its ports
  std::vector<std::uint32_t> reads = {}; // besides its triggers, if it does
  std::uint32_t mode = no_mode;
  std::vector<std::uint32_t> on_modes; // modes that trigger it

  bool may_read(std::uint32_t input) const noexcept;
};

struct timer_plan {
  std::optional<delay> offset; // none: the first tick is in `start()`
  delay period;
  std::uint64_t ticks = 0;
  std::uint32_t outputs = 0;           // a mask
  std::optional<std::uint32_t> action; // schedules it; otherwise yields
};

struct request_plan {
  std::uint32_t at = 0; // number of the node's execution; 0: `start()`
  std::optional<delay> after;
  int status = 0;
};

struct node_plan {
  std::uint64_t seed = 0;
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
  std::uint32_t actions = 0;
  std::vector<std::optional<caf::rosia::spacing>> spacings; // of the first ones
  std::vector<std::uint32_t> physical_actions;              // inputs
  std::vector<caf::rosia::engine::stamped_queue::action_options>
    spaced; // some of them

  std::uint32_t modes = 0;
  std::vector<std::uint32_t> action_modes; // of the first actions

  /// The least `after` of the physical actions.
  delay lead;

  std::vector<reaction_plan> reactions;
  std::optional<timer_plan> timer;
  std::uint32_t start_outputs = 0; // a mask of those that `start()` writes

  /// Whether to promise with every write that the next one is this much later.
  /// A timer promises its next tick.
  bool promises = false;
  std::optional<delay> promised_gap;

  /// Number of executions after which it writes nothing, so that loops end.
  std::uint32_t limit = 40;

  bool realtime = false;
  std::vector<request_plan> requests;
  std::optional<std::uint32_t> fails_at; // number of an execution, as above
  bool shutdown_fails = false;

  bool external() const noexcept {
    return !physical_actions.empty();
  }

  /// Returns the outputs that a reaction writes, as a mask: before it yields,
  /// and afterwards.
  std::uint32_t writes(const reaction_plan& x) const noexcept;

  static std::uint32_t writes_later(const reaction_plan& x) noexcept;

  /// Returns whether the reaction may write the output before it yields.
  bool may_write(const reaction_plan& x, std::uint32_t output) const noexcept {
    return !x.declares || (writes(x) >> output & 1) != 0;
  }
};

struct connection_plan {
  node_id source = 0;
  std::uint32_t output = 0;
  node_id target = 0;
  std::uint32_t input = 0;
  delay distance; // as declared, without the microstep of `eager`
  bool physical = false;
  bool waits = false; // has a maximal wait that never ends
};

/// A value for a physical action.
struct call_plan {
  std::int64_t at = 0; // physical time
  node_id node = 0;
  std::uint32_t input = 0;
  std::uint64_t value = 0;
};

/// An action from outside: at a step of the simulation, or at a physical time.
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

  /// The step at which a node vanishes without a report.
  std::optional<std::pair<std::uint64_t, node_id>> vanishes;

  std::vector<pause_plan> pauses;

  /// The step at which a node hangs in its code permanently.
  std::optional<std::pair<std::uint64_t, node_id>> sticks;

  /// Steps at which the current stage of the end exceeds its deadline.
  std::vector<std::uint64_t> overdue;

  /// The step of a second signal, which aborts.
  std::optional<std::uint64_t> second_signal;

  /// Whether loop time tables search for distances instead of storing a matrix.
  bool searching_loop_time_tables = false;

  /// Per node, the process that runs it. Empty for one process.
  std::vector<std::uint32_t> processes;

  /// Returns whether any reaction declares its ports.
  bool declares() const noexcept;

  /// Whether the nodes are traced. If not, a history has only the states that
  /// the nodes' code computed.
  bool traced = true;
};

/// Returns a random application that ends.
plan make_plan(random_source& rng);

/// Adds scheduled events to some nodes.
void add_actions(plan& x, random_source& rng);

/// Gives spacings to actions, and options to physical actions.
void add_spacings(plan& x, random_source& rng);

/// Gives maximal waits to some connections that are in no loop.
void add_max_waits(plan& x, random_source& rng);

/// Adds reactions to the last tag.
void add_last_tags(plan& x, random_source& rng);

/// Adds modes to some nodes. Called after the functions that add actions or
/// reactions.
void add_modes(plan& x, random_source& rng);

/// Gives declarations to reactions, and removes delays as long as no reaction
/// depends on itself.
void add_declarations(plan& x, random_source& rng);

/// Removes delays as long as no reaction depends on itself.
void remove_delays(plan& x, random_source& rng);

/// Moves the nodes of each loop that contains a loop without delay to one
/// process.
void join_processes(plan& x);

/// The reactions of a plan, each after those that it depends on at the same
/// tag.
struct reaction_order {
  struct place {
    node_id node;
    std::uint32_t reaction;
  };

  std::vector<place> sorted;

  /// Whether there is a cycle. If so, `sorted` is incomplete.
  bool is_cyclic = false;
};

/// @param delays the effective ones.
reaction_order order_reactions(const plan& x, const std::vector<delay>& delays);

/// Removes yields, so that a checkpoint can be taken at any tag.
void make_resumable(plan& x);

/// Returns the application as resumed at `tag`: in different processes, and
/// only with faults of nodes. Values from outside are repeated.
plan make_resumed_plan(const plan& x, logical_time tag, random_source& rng);

/// Returns the connections' delays with the microsteps of `eager`: the
/// rules 2.5 and 10.1.4, implemented a second time. Physical connections have
/// none.
std::vector<delay> effective_delays(const plan& x);

/// Returns reach[i][j]: whether a path of the given connections leads from i to
/// j.
std::vector<std::vector<bool>> reachability(
  std::size_t nodes, const std::vector<std::pair<node_id, node_id>>& edges);

/// Describes a plan for analyzing a failure.
std::string to_string(const plan& x);

} // namespace engine_test
