// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/event.hpp"
#include "rosia_trace/graph.hpp"
#include "rosia_trace/judge.hpp"
#include "rosia_trace/logical_time.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rosia_trace {

/// What the trace says of a value: its digest, unless it cannot be digested.
struct value_digest {
  std::uint64_t digest = 0;
  bool known = false;

  friend bool operator==(const value_digest&, const value_digest&) = default;
};

/// The digest in an event.
value_digest digest_of(const event& x);

/// As the trace writes it: 16 hex digits in quotes, or `null`.
std::string to_string(value_digest x);

/// How a node ended.
enum class ending : std::uint8_t { none, done, final, forced };

/// A message on a logical connection that its receiver has not executed.
struct pending_message {
  logical_time arrival;
  std::size_t line = 0;
  index connection = 0;
  value_digest value;
};

/// An event that its node has scheduled, and that is not present yet.
struct scheduled_event {
  index action = 0;
  value_digest value;
  std::size_t line = 0;
};

/// What the checks know of a node. Each kind of check has a section of its own;
/// they are one object, with more than 20 members, because an event is looked
/// up once for all of them.
struct node_state {
  // -- its life ---------------------------------------------------------------
  /// Whether it has what a checkpoint has of it, and whether it had ended by
  /// itself there.
  bool restored = false;
  bool had_left = false;
  bool started = false;
  /// Whether it had an error: what it was executing may be incomplete.
  bool failed = false;
  bool exited = false;
  ending ended = ending::none;
  std::size_t ended_line = 0;

  // -- the tag that it executes, or executed last -----------------------------
  /// Its logical time: `origin` until it executes.
  logical_time now = origin;
  bool executed = false;
  std::size_t execute_line = 0;
  /// Different for every execution of every node.
  std::uint64_t execution = 0;
  /// The greatest STAT that allowed an execution.
  logical_time stat = never;
  std::size_t stat_line = 0;
  /// Messages that arrive now and were not set yet.
  std::size_t due = 0;
  /// Reactions that have to run now and have not yet.
  std::size_t awaited = 0;
  bool has_event = false;
  bool has_input = false;
  bool has_physical = false;
  /// Whether a reaction ran, or resumed.
  bool active = false;
  /// The last reaction that ran, if one did.
  std::optional<index> reacted;
  bool start_resumed = false;
  /// The outputs that were written now.
  std::vector<index> written;

  // -- what is to come --------------------------------------------------------
  /// A heap: the least arrival is in front.
  std::vector<pending_message> queue;
  /// By tag, and then in the order of scheduling.
  std::multimap<logical_time, scheduled_event> scheduled;

  // -- the shutdown -----------------------------------------------------------
  /// What it must not execute beyond.
  logical_time barrier = forever;
  /// The same, because it has asked for it, until that is decided.
  logical_time own_barrier = forever;
  /// The round of the negotiation in which it was asked last; 0: in none.
  std::size_t asked_in = 0;
  std::size_t answered_in = 0;
  logical_time proposal;
  logical_time answer;
  /// How many of the final tags it has passed by or taken.
  std::size_t finals_seen = 0;
  std::optional<logical_time> final_taken;
};

struct input_state {
  /// The execution in which it was set last.
  std::uint64_t set_in = 0;
  /// The last connection that set it in that execution, if one did.
  std::optional<index> set_by;
};

struct output_state {
  /// The tag of the last write.
  std::optional<logical_time> written_at;
  /// Its connections that this write reached.
  std::size_t reached = 0;
};

struct reaction_state {
  /// The executions in which it was last triggered, and in which it ran.
  std::uint64_t awaited_in = 0;
  std::uint64_t ran_in = 0;
  /// Whether an instance may have yielded at an earlier tag.
  bool has_instance = false;
  std::uint64_t resumed_in = 0;
};

struct connection_state {
  std::optional<logical_time> sent_at;
  logical_time last_arrival = never;
  std::size_t sent_line = 0;
  logical_time promised = never;
  std::size_t promised_line = 0;
  /// The execution of its receiver in which `due` has to be set.
  std::uint64_t due_in = 0;
  value_digest due;
  std::size_t due_line = 0;
  /// Physical connections: values that may still be taken, from `taken` on.
  std::vector<value_digest> physical;
  std::size_t taken = 0;
};

/// What the trace has told up to its current line.
struct run {
  graph declared;
  judge rules;
  std::vector<node_state> nodes;
  std::vector<input_state> inputs;
  std::vector<output_state> outputs;
  std::vector<reaction_state> reactions;
  std::vector<connection_state> connections;
  std::size_t line = 0;
  /// The number of executions so far.
  std::uint64_t executions = 0;
  bool forced = false;
  /// Whether that was before it had started, anywhere.
  bool unstarted = false;
  bool any_error = false;
  /// The tag of the checkpoint that the run continues.
  std::optional<logical_time> resumed;

  /// Ends the declarations.
  void seal();
};

/// `line 5`
std::string at_line(std::size_t line);

} // namespace rosia_trace
