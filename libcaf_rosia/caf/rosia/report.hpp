// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/has_text.hpp"
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
  /// `run()` has not begun, or has not started the nodes yet.
  not_started,
  /// No end was requested.
  running,
  /// The nodes are asked for the final tag.
  asking,
  /// The nodes execute up to the final tag.
  executing,
  /// The application is aborted: the nodes have to leave at once.
  forced,
  /// All nodes have left.
  over,
};

std::string to_string(application_stage x);

template <>
inline constexpr bool detail::has_text<application_stage> = true;

/// The stage of a node in the protocol of the application's end.
enum class node_stage : std::uint8_t {
  /// Its application does not run yet.
  not_started,
  /// It was not asked for a tag yet.
  running,
  /// It owes an answer to the question for the final tag.
  asked,
  /// It has answered.
  answered,
  /// It knows the final tag, and executes up to it.
  executing,
  /// It has failed, which aborts the application.
  failed,
  /// It was aborted: it has to leave at once.
  forced,
  /// It has left.
  left,
  /// Another part of the program ended its actor.
  vanished,
  /// Its process is gone.
  lost,
};

std::string to_string(node_stage x);

template <>
inline constexpr bool detail::has_text<node_stage> = true;

/// What keeps a node from executing its next tag or, if it has none, from
/// leaving.
enum class blocker : std::uint8_t {
  /// Unknown, because the node was busy.
  unknown,
  /// Nothing: it has events to handle, or has left.
  none,
  /// Its `start()` has not run yet.
  start,
  /// It has failed.
  failure,
  /// An upstream port may still send something at `bound`.
  input,
  /// A member of its loop may still cause something at `bound`.
  loop,
  /// It has answered `bound`, and waits for the final tag.
  agreement,
  /// Physical time has to pass `bound`.
  clock,
  /// A receiver has as many messages as its connection may hold.
  receiver,
  /// Its triggers or physical inputs may be called.
  outside,
  /// The sender of a physical connection has not ended.
  sender,
};

std::string to_string(blocker x);

template <>
inline constexpr bool detail::has_text<blocker> = true;

/// The state of a node.
struct node_report {
  std::string name;

  /// Its process; empty if there is only one.
  std::string process = {};

  /// The first of the nodes that it is executed with, as one, even if that has
  /// left; empty if it is executed on its own.
  std::string group = {};

  node_stage stage = node_stage::not_started;

  /// Whether it has left by now. In a report on an abort, `stage` is the stage
  /// before the abort.
  bool has_left = false;

  /// The piece of its code that ran last: a reaction's name, "start" or
  /// "shutdown"; empty if none has run.
  std::string code = {};

  /// Whether that code has not returned yet.
  bool running = false;

  /// The tag at which that code runs or ran.
  logical_time code_tag{};

  /// How long it has been running; zero if it has returned.
  std::chrono::nanoseconds running_for{0};

  /// Whether the rest is known. It is not if the node was busy.
  bool complete = false;

  /// The last tag that was executed; (0, 0) before the first.
  logical_time logical{};

  /// Safe to advance to: nothing arrives below this tag any more.
  logical_time stat{};

  /// The earliest tag that is queued; `forever` if there is none.
  logical_time next = forever;

  /// What blocks the node.
  blocker held_back_by = blocker::unknown;

  /// The name, within the node, of the port that it waits at. May be empty.
  std::string port = {};

  /// What it waits for: "node.output" of a sender, "node.input" of a receiver,
  /// "node" of a member of its loop. May be empty.
  std::string waits_for = {};

  /// The bound that has to be passed, see `blocker`.
  logical_time bound = never;

  /// The inputs with queued messages, and the number of these.
  std::vector<std::pair<std::string, std::size_t>> queues = {};

  /// Values of triggers and physical inputs that wait for their tag.
  std::size_t outside = 0;

  /// The number of reactions that have yielded.
  std::size_t yielded = 0;

  /// The number of events that the node has scheduled for itself.
  std::size_t scheduled = 0;

  /// The number of messages that the node has not taken yet. Always known.
  std::size_t inbox = 0;
};

/// Renders it as one line of text, without the node's name.
std::string to_string(const node_report& x);

/// The state of a process, of an application that runs over several.
struct process_report {
  std::string name;

  /// Why the following is unknown or old; empty if it is not.
  std::string problem = {};

  /// Messages that its nodes have sent to nodes of other processes.
  std::uint64_t messages = 0;

  /// Frames that carried these: all messages from one activation of a node to
  /// one other node travel in one frame.
  std::uint64_t frames = 0;

  /// Frames without messages: null messages, acknowledgements, and remote
  /// entries of loops, when no message was there to take them along.
  std::uint64_t control_frames = 0;
};

/// Renders it as one line of text, without the process's name.
std::string to_string(const process_report& x);

/// The state of an application and each of its nodes.
struct report {
  application_stage stage = application_stage::not_started;

  /// Physical time since the common start.
  std::chrono::nanoseconds elapsed{0};

  /// The final tag, the same in every process; `forever` while there is none,
  /// also if the application ends by itself, or is aborted before there is an
  /// agreement.
  logical_time final = forever;

  /// The status, as far as it is decided.
  int status = 0;

  /// Why the application is aborted; empty if it is not.
  std::string reason = {};

  std::vector<node_report> nodes = {};

  /// The coordinator's first; empty if there is but one process.
  std::vector<process_report> processes = {};
};

/// Renders it as text: a line on the application; a line on each node that has
/// not left, beginning with those that others may wait for; and a line on each
/// process.
/// @param max_nodes limits the nodes.
std::string to_string(const report& x, std::size_t max_nodes = SIZE_MAX);

/// Renders it as JSON: all nodes, in the order in which they were created.
/// Tags are `[nanoseconds, microstep]`, or `null` for `never` and `forever`.
std::string to_json(const report& x);

/// Writes the JSON to a file. The file is complete at any time: the JSON is
/// written beside it, and renamed.
/// @throws std::system_error if that fails.
void write_report(const std::string& file, const report& x);

namespace detail {

/// The first line on a node in `to_string`; empty if all have left.
std::string first_blocker(const report& x);

/// Like `to_string`, but only with the nodes that caused an abort, the number
/// of the others, and the processes with a problem.
std::string short_text(const report& x, std::size_t max_nodes);

/// The node that is farthest behind of those that wait for no other node:
/// "'detector' is at 1.2s, 344 queued". Empty if all have left.
std::string backlog_text(const report& x);

/// @throws std::system_error if a report could not be written to `file`, or
///         something else is there.
void check_report_file(const std::string& file);

} // namespace detail

} // namespace caf::rosia
