// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/has_text.hpp"
#include "caf/rosia/graph_description.hpp"
#include "caf/rosia/logical_time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia {

/// The stage of an application, from its start to its end.
enum class application_stage : std::uint8_t {
  /// `run()` was not called, or has not started the nodes yet.
  not_started,
  /// No end was requested.
  running,
  /// The coordinator is asking the nodes for the final tag.
  asking,
  /// The nodes execute up to the final tag.
  executing,
  /// The application was aborted: the nodes must leave at once.
  aborted,
  /// All nodes have left.
  over,
};

std::string to_string(application_stage x);

template <>
inline constexpr bool detail::has_text<application_stage> = true;

/// The stage of a node in the protocol for the application's end.
enum class node_stage : std::uint8_t {
  /// Its application does not run yet.
  not_started,
  /// Its answer was not requested yet.
  running,
  /// It was asked for the final tag, and has not answered yet.
  asked,
  /// It has answered.
  answered,
  /// It knows the final tag, and executes up to it.
  executing,
  /// It failed, which aborts the application.
  failed,
  /// It was aborted, and must leave at once.
  aborted,
  /// It has left.
  left,
  /// Another part of the program ended its actor.
  vanished,
  /// Its process was lost.
  lost,
};

std::string to_string(node_stage x);

template <>
inline constexpr bool detail::has_text<node_stage> = true;

/// The reason why a node cannot execute its next tag or, if there is none,
/// cannot leave.
enum class blocker : std::uint8_t {
  /// Unknown, because the node was busy.
  unknown,
  /// None: it has events to handle, or has left.
  none,
  /// Its `start()` was not called yet.
  start,
  /// It failed.
  failure,
  /// An upstream port may still send a message at `bound`.
  input,
  /// A member of its loop may still cause a message at `bound`.
  loop,
  /// It answered `bound`, and waits for the final tag.
  agreement,
  /// It waits until physical time exceeds `bound`.
  clock,
  /// The connection to a receiver holds as many messages as allowed.
  receiver,
  /// Its physical actions may still get values.
  outside,
  /// The sender of a physical connection has not ended.
  sender,
  /// An upstream port may still send a value at the last tag, `bound`.
  last_tag,
  /// It has nothing left to do, and waits for the final tag.
  end,
};

std::string to_string(blocker x);

template <>
inline constexpr bool detail::has_text<blocker> = true;

/// The state of a watchdog.
struct watchdog_report {
  std::string name;

  /// Whether it was started, and neither stopped nor expired since.
  bool runs = false;

  /// The physical time since the common start at which it expires, if it runs.
  std::chrono::nanoseconds expiry{0};

  /// How often it has expired.
  std::uint64_t expiries = 0;

  friend bool operator==(const watchdog_report&, const watchdog_report&)
    = default;
};

/// A mode of a node.
struct mode_report {
  std::string name;

  /// Whether it is the active one.
  bool is_active = false;

  /// How often it was entered. The start counts for the first mode.
  std::uint64_t entries = 0;

  friend bool operator==(const mode_report&, const mode_report&) = default;
};

/// The state of a node.
struct node_report {
  std::string name;

  /// The node's process; empty if there is only one.
  std::string process = {};

  /// The first node of the node's group, even if that node has left; empty if
  /// the node is in no group.
  std::string group = {};

  node_stage stage = node_stage::not_started;

  /// Whether it has left. In a report on an abort, `stage` is the stage before
  /// the abort.
  bool has_left = false;

  /// The code that ran last: a reaction's name, "start", "shutdown", or
  /// "handler of dog" for a watchdog's; empty if none ran.
  std::string code = {};

  /// Whether that code has not returned yet.
  bool running = false;

  /// The tag at which that code runs or ran.
  logical_time code_tag{};

  /// The time since that code started; zero if it has returned.
  std::chrono::nanoseconds running_for{0};

  /// Whether the members below are known. False if the node was busy.
  bool complete = false;

  /// The last tag that was executed; (0, 0) before the first.
  logical_time logical{};

  /// Safe to advance to: no message below this tag can still arrive.
  logical_time stat{};

  /// The earliest queued tag; `forever` if there is none.
  logical_time next = forever;

  /// The reason why the node waits.
  blocker held_back_by = blocker::unknown;

  /// The name, within the node, of the port at which it waits. May be empty.
  std::string port = {};

  /// The port or node that it waits for: "node.output" of a sender,
  /// "node.input" of a receiver, "node" in its loop. May be empty.
  std::string waits_for = {};

  /// The bound to be exceeded, see `blocker`.
  logical_time bound = never;

  /// The inputs with queued messages, and their numbers of messages.
  std::vector<std::pair<std::string, std::size_t>> queues = {};

  /// The number of physical values that were stamped, but not executed yet.
  std::size_t outside = 0;

  /// The number of reactions that are suspended by a yield.
  std::size_t yielded = 0;

  /// The number of events that the node scheduled for itself.
  std::size_t scheduled = 0;

  /// The number of events and yielded reactions of modes that are not active.
  std::size_t suspended = 0;

  /// Its parameters.
  std::vector<graph_description::parameter> parameters = {};

  /// The reactions with deadlines, and how often they missed them. Always
  /// known.
  std::vector<std::pair<std::string, std::uint64_t>> missed_deadlines = {};

  /// The physical actions with a spacing, and the number of values that it
  /// dropped. Always known.
  std::vector<std::pair<std::string, std::uint64_t>> dropped_by_spacing = {};

  /// The input ports with a maximal wait, and the number of their tardy values,
  /// with those that were dropped. Empty before the run.
  std::vector<std::pair<std::string, std::uint64_t>> tardy_values = {};

  /// Its watchdogs. Always known.
  std::vector<watchdog_report> watchdogs = {};

  /// Its modes. Always known.
  std::vector<mode_report> modes = {};

  /// The number of messages that the node has not fetched from its inbox yet.
  /// Always known.
  std::size_t inbox = 0;
};

/// Renders the report as one line of text, without the node's name.
std::string to_string(const node_report& x);

/// The state of one of an application's processes.
struct process_report {
  std::string name;

  /// The reason why the members below are unknown or old; empty if they are
  /// not.
  std::string problem = {};

  /// The number of messages that its nodes sent to nodes of other processes.
  std::uint64_t messages = 0;

  /// The number of frames that carried them. All messages from one activation
  /// of a node to one other node travel in one frame.
  std::uint64_t frames = 0;

  /// The number of frames without messages: null messages, acks, and entries of
  /// remote loop tables that were not sent with a message.
  std::uint64_t control_frames = 0;
};

/// Renders the report as one line of text, without the process's name.
std::string to_string(const process_report& x);

/// The state of an application and each of its nodes.
struct application_report {
  application_stage stage = application_stage::not_started;

  /// Physical time since the common start.
  std::chrono::nanoseconds elapsed{0};

  /// The final tag, the same in every process. `forever` while it is not
  /// agreed, which includes an application that ends by itself or is aborted
  /// before.
  logical_time final = forever;

  /// The status, as far as it is decided.
  int status = 0;

  /// The reason of an abort; empty if there is none.
  std::string reason = {};

  std::vector<node_report> nodes = {};

  /// The coordinator's is first. Empty if there is only one process.
  std::vector<process_report> processes = {};
};

/// Renders the report as text: a line on the application; a line on each node
/// that has not left, nodes that may block other nodes first; and a line on
/// each process.
/// @param max_nodes the maximal number of nodes.
std::string to_string(const application_report& x,
                      std::size_t max_nodes = SIZE_MAX);

/// Renders the report as JSON, with all nodes in the order of creation. Tags
/// are `[nanoseconds, microstep]`, or `null` for `never` and `forever`.
std::string to_json(const application_report& x);

/// Writes the JSON to a file. The file is complete at any time, because the
/// JSON is written to a second file, which then replaces it.
/// @throws std::system_error if that fails.
void write_report(const std::string& file, const application_report& x);

namespace detail {

/// Returns the first line on a node in `to_string`; empty if all have left.
std::string first_blocker(const application_report& x);

/// Renders the report like `to_string`, but only with the nodes that caused an
/// abort, the number of other nodes, and the processes with a problem.
std::string short_text(const application_report& x, std::size_t max_nodes);

/// Describes the node that is farthest behind among those that wait for no
/// other node: "'detector' is at 1.2s, 344 queued". Empty if all have left.
std::string backlog_text(const application_report& x);

/// @throws std::system_error if a report could not be written to `file`, or if
/// the file is not a report.
void check_report_file(const std::string& file);

} // namespace detail

} // namespace caf::rosia
