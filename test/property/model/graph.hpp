// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/spacing.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Made-up applications and their expected behavior. Uses only the library's
/// logical time, and the options of actions.
namespace model {

using caf::rosia::delay;
using caf::rosia::forever;
using caf::rosia::logical_time;
using caf::rosia::microsteps;
using caf::rosia::never;

// -- the code of a node -------------------------------------------------------

enum class action : std::uint8_t {
  /// Writes output `port`, unless it was written at this tag, or a promise
  /// forbids it. With `distance`, it promises when the next write follows.
  write,
  /// Writes output `port` with the last value of input `other`, if there is
  /// one.
  forward,
  /// Promises that output `port` is not written before now + `distance`.
  promise,
  /// Yields for `distance`.
  yield,
  /// Requests a shutdown, optionally with `distance`.
  request,
  /// Schedules action `port` for now + `distance`.
  schedule,
  /// Schedules the physical action that is input `other` of node `port`.
  call,
  /// Reads all inputs again.
  recall,
  /// Asks whether the reaction misses its deadline.
  ask,
  /// Enters mode `port`, by its history if `other` is not 0.
  enter,
  /// Starts watchdog `port`, optionally with `distance` in addition.
  start_watchdog,
  /// Stops watchdog `port`.
  stop_watchdog,
  /// Ends the reaction early.
  end,
  /// Causes an error of the kind `other`.
  fail,
};

/// One step of a reaction.
struct step {
  action kind = action::write;
  std::uint32_t port = 0;
  std::uint32_t other = 0;

  /// The step is executed in one of this many cases, depending on the node's
  /// state.
  std::uint32_t one_in = 1;

  /// The number of the node's tag at which the step is executed, once. 0: any.
  std::uint32_t at_tag = 0;

  std::optional<delay> distance = std::nullopt;
  std::int32_t status = 0;
};

/// The code of a reaction, or of `start()`.
struct script {
  std::vector<step> steps;

  /// The number of repetitions. @pre If more than one, the steps contain a
  /// yield.
  std::uint32_t rounds = 1;

  /// Whether the steps after the first yield are a separate task that is
  /// awaited.
  bool nested = false;

  bool yields() const;

  /// Returns the outputs that it writes, or makes promises for.
  /// @param after_yield whether by steps that certainly follow a yield, or by
  ///   all other ones.
  std::set<std::uint32_t> outputs(bool after_yield) const;
};

// -- the graph ----------------------------------------------------------------

struct input_spec {
  /// Whether it is a physical action.
  bool physical = false;

  /// The options of a physical action.
  std::optional<caf::rosia::spacing> spacing = std::nullopt;
  std::optional<delay> after = std::nullopt;

  bool has_options() const noexcept {
    return spacing || after;
  }
};

/// The number of a mode; none for a member without one.
using mode_number = std::optional<std::uint32_t>;

/// Times in nanoseconds; the period is 0 if the tick is present once.
struct tick_spec {
  std::int64_t offset = 0;
  std::int64_t period = 0;
  mode_number mode = std::nullopt;
};

struct watchdog_spec {
  std::int64_t timeout = 0; // in nanoseconds
  bool has_handler = false;
};

struct reaction_spec {
  std::vector<std::uint32_t> triggers;
  bool eager = false;
  script code;
  std::vector<std::uint32_t> acts = {};  // actions that trigger it as well
  std::vector<std::uint32_t> ticks = {}; // ticks that trigger it as well
  bool at_shutdown = false; // whether the last tag triggers it as well

  /// In nanoseconds.
  std::optional<std::int64_t> deadline = std::nullopt;

  /// The handler of the deadline; nothing if the reaction runs anyway.
  std::optional<script> handler = std::nullopt;

  /// Whether it declares the ports that it accesses. If not, it may access all
  /// of them.
  bool declares = false;

  /// The inputs that it declares to read besides its triggers.
  std::vector<std::uint32_t> reads = {};

  mode_number mode = std::nullopt;
  std::vector<std::uint32_t> on_modes = {}; // modes that trigger it as well
  std::vector<std::uint32_t> on_watchdogs = {};

  bool may_read(std::uint32_t input) const;

  /// Returns the outputs that it may write, or make promises for, before it
  /// yields. It declares them.
  std::set<std::uint32_t> writes() const;

  /// Returns the outputs that it may write only after it has yielded.
  std::set<std::uint32_t> writes_later() const;

  bool may_write(std::uint32_t output) const {
    return !declares || writes().count(output) > 0;
  }
};

/// A node. Names are made of indices: node "n3", "b0[1]" or
/// "c2.n3", input "i0" or
/// "i[0]", output "o1", reaction "r2", action "a0", tick "t1", mode "m0",
/// watchdog "w0".
struct node_spec {
  std::uint64_t seed = 0;
  std::vector<input_spec> inputs;
  std::uint32_t outputs = 0;
  std::uint32_t actions = 0;

  /// The spacings of the first actions; the rest has none.
  std::vector<std::optional<caf::rosia::spacing>> spacings = {};

  /// The number of modes.
  std::uint32_t modes = 0;

  /// The modes of the first actions; the rest has none.
  std::vector<mode_number> action_modes = {};

  std::vector<tick_spec> ticks = {};
  std::vector<watchdog_spec> watchdogs = {};
  std::vector<reaction_spec> reactions;
  std::optional<script> start;
  std::optional<bool> realtime;

  /// Whether the inputs are a channel, except for physical actions, which
  /// follow.
  bool channel = false;

  /// The number of tags after which the node does nothing, so that every graph
  /// becomes idle.
  std::uint32_t limit = 10;

  /// Returns whether values can arrive from outside the application.
  bool external() const;

  /// Returns whether a reaction declares the ports that it accesses.
  bool declares() const;

  /// Returns the spacing of an action.
  std::optional<caf::rosia::spacing> spacing_of(std::uint32_t action) const {
    return action < spacings.size() ? spacings[action] : std::nullopt;
  }

  /// Returns the mode of an action.
  mode_number mode_of(std::uint32_t action) const {
    return action < action_modes.size() ? action_modes[action] : std::nullopt;
  }
};

struct connection_spec {
  std::uint32_t source = 0;
  std::uint32_t output = 0;
  std::uint32_t target = 0;
  std::uint32_t input = 0;

  /// As declared; default-constructed if none.
  delay declared;

  /// Includes the microstep of `eager`.
  delay effective;
  bool physical = false;

  /// The maximal wait.
  std::optional<std::chrono::nanoseconds> wait = std::nullopt;
};

/// Adjacent nodes that are a bank.
struct bank_spec {
  std::uint32_t first = 0;
  std::uint32_t size = 0;
};

/// Adjacent nodes that are in a composite, with all nodes of their banks.
struct composite_spec {
  std::uint32_t first = 0;
  std::uint32_t size = 0;
};

/// A value from outside for a physical action.
struct call_spec {
  std::uint32_t node = 0;
  std::uint32_t input = 0;
  std::uint64_t value = 0;

  /// The time to wait before it; the unit is the caller's.
  std::uint32_t gap = 0;

  /// Whether it may be made before the application runs.
  bool early = false;
};

struct graph_spec {
  std::uint64_t seed = 0;
  std::vector<node_spec> nodes;
  std::vector<bank_spec> banks;
  std::vector<composite_spec> composites;
  std::vector<connection_spec> connections; // in the order of declaration
  std::uint32_t max_in_flight = 1024;
  bool realtime = false;
  std::optional<logical_time> stop_after;

  /// Calls from outside, each list by a separate thread. If `stopped_by_call`,
  /// the last call of the first list is repeated until it is accepted.
  std::vector<std::vector<call_spec>> calls;
  bool stopped_by_call = false;

  /// Whether values arrive from outside, over physical connections, or too late
  /// over connections with a maximal wait. Then a run is repeatable only with
  /// the same tags of these values.
  bool physical = false;

  /// Whether a node may cause an error.
  bool fails = false;

  /// Whether a node may request a shutdown.
  bool requests = false;

  /// Returns whether a reaction is triggered by the last tag.
  bool reacts_to_last_tag() const;

  /// Returns whether a connection has a maximal wait.
  bool has_waits() const;

  std::string name_of(std::uint32_t node) const;

  /// Returns a node's name within its composite.
  std::string local_name_of(std::uint32_t node) const;

  /// Returns the index of a node's composite.
  std::optional<std::size_t> composite_of(std::uint32_t node) const;

  std::string name_of_input(std::uint32_t node, std::uint32_t input) const;
};

/// Returns a fingerprint of a value's origin, see `message`.
constexpr std::uint64_t origin_of(
  std::uint32_t node, std::uint32_t output) noexcept {
  return std::uint64_t{node} * 16 + output + 1;
}

/// The options of `make_graph`.
struct graph_options {
  /// The range of the number of nodes, plus one if the graph needs a node to
  /// stop it.
  std::uint32_t least_nodes = 1;
  std::uint32_t nodes = 40;

  /// In percent of the graphs.
  std::uint32_t physical = 20;
  std::uint32_t realtime = 10;
  std::uint32_t fails = 4;
  std::uint32_t schedules = 30;
  std::uint32_t spacings = 50;
  std::uint32_t ticks = 25;
  std::uint32_t last_tags = 25;
  std::uint32_t deadlines = 50;
  std::uint32_t banks = 30;
  std::uint32_t modes = 30;
  std::uint32_t declarations = 30;
  std::uint32_t composites = 25;
  std::uint32_t waits = 15;

  /// In percent of the graphs with physical values.
  std::uint32_t watchdogs = 40;
};

/// Makes a random graph that is valid.
graph_spec make_graph(std::uint64_t seed, const graph_options& opts = {});

/// Replaces yields by scheduled events, because a waiting coroutine cannot be
/// saved. This changes the behavior of the graph.
void schedule_instead_of_yielding(graph_spec& graph);

/// Sets `effective`. @returns a connection without delay by which a reaction
/// depends on itself, or nothing.
std::optional<std::size_t> resolve_delays(graph_spec& graph);

/// Gives delays to connections until no reaction depends on itself.
void forbid_cycles(graph_spec& graph);

/// Writes new values in place of forwarded ones.
void forget_forwards(script& code);

/// Returns for each node the number of its loop, if that contains a loop of
/// nodes without delay. Then its nodes are in one process.
std::vector<std::optional<std::uint32_t>> inseparable_loops(
  const graph_spec& graph);

/// Returns for each connection whether it is logical and in no loop of logical
/// connections.
std::vector<bool> outside_of_loops(const graph_spec& graph);

/// A reaction of a graph.
struct place {
  std::uint32_t node = 0;
  std::uint32_t reaction = 0;
};

/// Returns all reactions, each after those that it depends on at the same tag.
/// @pre `resolve_delays` found nothing.
std::vector<place> reaction_order(const graph_spec& graph);

/// Describes a graph.
std::string to_string(const graph_spec& graph);

} // namespace model
