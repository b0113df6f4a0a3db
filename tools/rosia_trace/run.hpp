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
#include <set>
#include <string>
#include <vector>

namespace rosia_trace {

/// The digest of a value in a trace, unless the value has none.
struct value_digest {
  std::uint64_t digest = 0;
  bool known = false;

  friend bool operator==(const value_digest&, const value_digest&) = default;
};

/// Returns the digest in an event.
value_digest digest_of(const event& x);

/// Formats a digest as in a trace: 16 hexadecimal digits in quotes, or `null`.
std::string to_string(value_digest x);

/// The way in which a node ended.
enum class ending : std::uint8_t { none, done, final, aborted };

/// A message on a logical connection that is not executed yet.
struct pending_message {
  logical_time arrival;
  std::size_t line = 0;
  index connection = 0;
  value_digest value;
  /// Whether it was sent at the last tag.
  bool last = false;
};

/// An event scheduled by its node that is not present yet.
struct scheduled_event {
  index action = 0;
  value_digest value;
  std::size_t line = 0;
};

/// An event of a mode that is not active.
struct suspended_event {
  time_delay distance;
  scheduled_event pending;
};

/// A value of a connection with a maximal wait that is not set yet.
struct sent_value {
  index connection = 0;
  value_digest value;
  std::size_t line = 0;
};

/// The state of a node. Each kind of check has its section. It is one object
/// with more than 20 members, because an event is looked up once for all
/// checks.
struct node_state {
  // -- life -------------------------------------------------------------------
  /// Whether the node was restored from a checkpoint, and whether it had ended
  /// by itself before.
  bool restored = false;
  bool had_left = false;
  bool started = false;
  /// Whether the node is done, and waits for the final tag.
  bool done = false;
  /// Whether the node executes, or has executed, the last tag.
  bool last = false;
  /// Whether the node had an error, so that its execution may be incomplete.
  bool failed = false;
  bool exited = false;
  ending ended = ending::none;
  std::size_t ended_line = 0;

  // -- the current or last tag ------------------------------------------------
  /// Logical time: `origin` until the first execution.
  logical_time now = origin;
  bool executed = false;
  std::size_t execute_line = 0;
  /// Unique for every execution of every node.
  std::uint64_t execution = 0;
  /// The greatest STAT that allowed an execution.
  logical_time stat = never;
  std::size_t stat_line = 0;
  /// Number of messages that arrive at this tag and were not set yet.
  std::size_t due = 0;
  /// Number of reactions that must still run at this tag.
  std::size_t awaited = 0;
  bool has_event = false;
  bool has_input = false;
  bool has_physical = false;
  /// Whether a reaction ran, or resumed.
  bool active = false;
  /// The last reaction that ran, if any.
  std::optional<index> reacted;
  /// The reaction whose code runs, or ran last; none if it is `start()`.
  std::optional<index> running;
  /// Whether that code was resumed.
  bool resumed = false;
  bool start_resumed = false;
  /// The outputs written at this tag.
  std::vector<index> written;

  // -- pending events ---------------------------------------------------------
  /// A heap with the least arrival in front.
  std::vector<pending_message> queue;
  /// Ordered by tag, and then in the order of scheduling.
  std::multimap<logical_time, scheduled_event> scheduled;
  /// The watchdogs that have expired.
  std::map<logical_time, scheduled_event> expired;
  /// The tardy values that are not set yet, by their tags.
  std::map<logical_time, sent_value> tardy;

  // -- modes ------------------------------------------------------------------
  /// The active mode, an action; none if there are no modes.
  std::optional<index> mode;
  /// The modes that were active.
  std::set<index> visited;
  /// The mode that the node enters next, and the tag.
  std::optional<std::pair<index, logical_time>> wanted;
  /// The last execution in which a mode was entered.
  std::uint64_t switched_in = 0;
  /// By mode, in the order of their distances.
  std::map<index, std::vector<suspended_event>> suspended;

  // -- the shutdown -----------------------------------------------------------
  /// The last tag that the node may execute.
  logical_time barrier = forever;
  /// The barrier of the node's own request, until the final tag is fixed.
  logical_time own_barrier = forever;
  /// The last round of the negotiation in which the node was asked; 0: none.
  std::size_t asked_in = 0;
  std::size_t answered_in = 0;
  logical_time proposal;
  logical_time answer;
  /// Number of final tags that the node skipped or took.
  std::size_t finals_seen = 0;
  std::optional<logical_time> final_taken;

  /// Returns the last tag that it executed, up to the final tag.
  logical_time last_before_end() const {
    return last ? *final_taken : now;
  }
};

/// The tags of the last event of an action with a spacing, and of the one
/// before it; none if they are unknown.
struct spacing_state {
  std::optional<logical_time> last;
  std::optional<logical_time> previous;
};

struct input_state {
  /// The events of a physical action.
  spacing_state spacing;
  /// The execution in which the input was last set.
  std::uint64_t set_in = 0;
  /// The last connection that set it in that execution, if any.
  std::optional<index> set_by;
};

struct output_state {
  /// The tag of the last write.
  std::optional<logical_time> written_at;
  /// Number of its connections that this write reached.
  std::size_t reached = 0;
};

struct reaction_state {
  /// The last executions in which it was triggered, and in which it ran.
  std::uint64_t awaited_in = 0;
  std::uint64_t ran_in = 0;
  /// Whether an instance may have yielded at an earlier tag.
  bool has_instance = false;
  std::uint64_t resumed_in = 0;
  /// The last execution in which it missed its deadline, and the deadline.
  std::uint64_t missed_in = 0;
  std::int64_t deadline = 0;
};

struct watchdog_state {
  /// The expiry while it runs, and the line that says so.
  std::optional<std::int64_t> expiry;
  std::size_t line = 0;
};

struct connection_state {
  std::optional<logical_time> sent_at;
  logical_time last_arrival = never;
  std::size_t sent_line = 0;
  logical_time promised = never;
  std::size_t promised_line = 0;
  /// The execution of the receiver in which `due` must be set.
  std::uint64_t due_in = 0;
  value_digest due;
  std::size_t due_line = 0;
  /// Values of a physical connection that may still be accepted, from `taken`
  /// on.
  std::vector<value_digest> physical;
  std::size_t taken = 0;
  /// Values of a connection with a maximal wait, by their arrival.
  std::map<logical_time, sent_value> on_the_way;
};

/// The state after the current line of the trace.
struct run {
  graph declared;
  judge rules;
  std::vector<node_state> nodes;
  std::vector<input_state> inputs;
  std::vector<output_state> outputs;
  std::vector<reaction_state> reactions;
  std::vector<spacing_state> actions;
  std::vector<watchdog_state> watchdogs; // by action
  std::vector<connection_state> connections;
  std::size_t line = 0;
  /// Number of executions so far.
  std::uint64_t executions = 0;
  bool aborted = false;
  /// Whether the abort preceded the start in all processes.
  bool unstarted = false;
  bool any_error = false;
  /// Whether the run took its external events from a recording.
  bool replay = false;
  /// The tag of the checkpoint from which the run resumes.
  std::optional<logical_time> resumed;

  /// Ends the declarations.
  void seal();

  /// Returns `node "b"`, for messages.
  std::string name_of(index node) const;

  /// Returns `node "b" at [5,0]`.
  std::string here(index node) const;

  /// Checks that an event of a node has the tag that the node executes.
  void require_tag(rule which, index node, const event& x);
};

/// Returns `line 5`.
std::string at_line(std::size_t line);

} // namespace rosia_trace
