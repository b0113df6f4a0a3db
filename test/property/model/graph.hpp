// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Made-up applications, what they have to do, and nothing of the library but
/// its logical time.
namespace model {

using caf::rosia::delay;
using caf::rosia::forever;
using caf::rosia::logical_time;
using caf::rosia::microsteps;
using caf::rosia::never;

// -- what a node's code does --------------------------------------------------

enum class action : std::uint8_t {
  /// Writes output `port`, unless it was written at this tag, or the node has
  /// promised not to. With `distance` it promises when the next write comes.
  write,
  /// The same with the last value of input `other`, if there is one.
  forward,
  /// Promises that output `port` is not written before now + `distance`.
  promise,
  /// Yields for `distance`.
  yield,
  /// Requests a shutdown, with `distance` or without.
  request,
  /// Schedules action `port` for now + `distance`.
  schedule,
  /// Calls trigger `other` of node `port`.
  call,
  /// Looks at the value that the reaction was triggered with.
  recall,
  /// Ends the reaction early.
  end,
  /// Makes an error, of the kind `other`.
  fail,
};

/// One step of a reaction.
struct step {
  action what = action::write;
  std::uint32_t port = 0;
  std::uint32_t other = 0;

  /// The node's state decides whether the step is done: in one of so many
  /// cases.
  std::uint32_t one_in = 1;

  /// The step is done at the node's tag of this number only, and once. 0: at
  /// any.
  std::uint32_t at_tag = 0;

  std::optional<delay> distance = std::nullopt;
  std::int32_t status = 0;
};

/// What a reaction, or `start()`, does.
struct script {
  std::vector<step> steps;

  /// How often they are done. @pre They contain a yield, if more than once.
  std::uint32_t rounds = 1;

  /// The rest after the first yield is a task of its own that is awaited.
  bool nested = false;

  bool yields() const;
};

// -- the graph ----------------------------------------------------------------

struct input_spec {
  /// Takes values from outside of the application. Then it is its node's last
  /// input, and triggers the node's last reaction, and nothing else.
  bool physical = false;
};

struct reaction_spec {
  std::vector<std::uint32_t> triggers;
  bool is_trigger = false;
  bool eager = false;
  script code;
  std::vector<std::uint32_t> acts = {}; // actions that trigger it, too
};

/// Names are made of indices: node "n3", input "i0", output "o1", reaction
/// "r2", action "a0".
struct node_spec {
  std::uint64_t seed = 0;
  std::vector<input_spec> inputs;
  std::uint32_t outputs = 0;
  std::uint32_t actions = 0;
  std::vector<reaction_spec> reactions;
  std::optional<script> start;
  std::optional<bool> realtime;

  /// After so many tags the node does nothing any more, so that every graph
  /// gets quiet.
  std::uint32_t limit = 10;

  /// Whether values can come from outside of the application.
  bool external() const;

  /// Whether the last input takes values from outside.
  bool injected() const {
    return !inputs.empty() && inputs.back().physical;
  }
};

struct connection_spec {
  std::uint32_t source = 0;
  std::uint32_t output = 0;
  std::uint32_t target = 0;
  std::uint32_t input = 0;

  /// As declared; "none" is default-constructed.
  delay declared;

  /// With the microstep that `eager` adds.
  delay effective;
  bool physical = false;
};

/// A call from outside: of a trigger, or a value for a physical input.
struct call_spec {
  std::uint32_t node = 0;
  bool is_trigger = true;
  std::uint32_t index = 0; // of the reaction, or the input
  std::uint64_t value = 0;

  /// How long to dally before it; the unit is the caller's.
  std::uint32_t gap = 0;

  /// Whether it may be made before the application runs.
  bool early = false;
};

struct graph_spec {
  std::uint64_t seed = 0;
  std::vector<node_spec> nodes;
  std::vector<connection_spec> connections; // in the order of declaration
  std::uint32_t max_in_flight = 1024;
  bool realtime = false;
  std::optional<logical_time> stop_after;

  /// Calls from outside, each list by a thread of its own. The last one of the
  /// first list is repeated until it is taken, if `stopped_by_call`.
  std::vector<std::vector<call_spec>> calls;
  bool stopped_by_call = false;

  /// Values come from outside, or over physical connections: a run is repeated
  /// only with the same stamps.
  bool physical = false;

  /// A node makes an error, if it gets that far.
  bool fails = false;

  /// A node may request a shutdown.
  bool requests = false;

  std::string name_of(std::uint32_t node) const;
};

/// A fingerprint of where a value comes from, see `message`.
constexpr std::uint64_t origin_of(
  std::uint32_t node, std::uint32_t output) noexcept {
  return std::uint64_t{node} * 16 + output + 1;
}

/// What graphs to make.
struct graph_options {
  /// So many nodes, and one more where a graph needs somebody to stop it.
  std::uint32_t least_nodes = 1;
  std::uint32_t nodes = 40;

  /// In percent of the graphs.
  std::uint32_t physical = 20;
  std::uint32_t realtime = 10;
  std::uint32_t fails = 4;
  std::uint32_t schedules = 30;
};

/// Makes a random graph that the library has to accept.
graph_spec make_graph(std::uint64_t seed, const graph_options& opts = {});

/// Has nodes schedule events where they yield: what waits in a coroutine cannot
/// be saved. The graph does something else then.
void schedule_instead_of_yielding(graph_spec& graph);

/// Sets `effective`. @returns a connection that lies on a loop of zero delay
/// for which no reaction is eager, or nothing.
std::optional<std::size_t> resolve_delays(graph_spec& graph);

/// Nodes in an order in which values without delay travel.
/// @pre `resolve_delays` found nothing.
std::vector<std::uint32_t> zero_delay_order(const graph_spec& graph);

/// A description for people.
std::string to_string(const graph_spec& graph);

} // namespace model
