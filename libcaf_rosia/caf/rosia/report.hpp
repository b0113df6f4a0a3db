// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia {

/// How far the end of an application has come.
enum class application_stage : std::uint8_t {
  /// `run()` has not begun, or has not started the nodes yet.
  not_started,
  /// Nobody wants it to end.
  running,
  /// The nodes are asked for the final tag.
  asking,
  /// The nodes execute up to the final tag.
  executing,
  /// The nodes have to leave at once.
  forced,
  /// All nodes have left.
  over,
};

std::string to_string(application_stage x);

/// How far a node has come in the protocol of the application's end.
enum class node_stage : std::uint8_t {
  /// Its application does not run yet.
  not_started,
  /// It was not asked anything yet.
  running,
  /// It owes an answer to the question for the final tag.
  asked,
  /// It has answered.
  answered,
  /// It was told the final tag, and executes up to it.
  executing,
  /// It has failed, which ends the application by force.
  failed,
  /// It was told to leave at once.
  forced,
  /// It has left.
  left,
  /// Its actor was ended by somebody else.
  vanished,
};

std::string to_string(node_stage x);

/// What keeps a node from executing its next tag; or, if it has none, from
/// leaving.
enum class obstacle : std::uint8_t {
  /// Not known: the node was busy.
  unknown,
  /// Nothing: it has something to do, or has left.
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

std::string to_string(obstacle x);

/// What is known of a node.
struct node_report {
  std::string name;

  node_stage stage = node_stage::not_started;

  /// Whether it has left by now; `stage` tells what it was before a forced end.
  bool has_left = false;

  /// The piece of its code that ran last: a reaction's name, "start" or
  /// "shutdown"; empty if none has run.
  std::string code = {};

  /// Whether that code has not returned yet.
  bool running = false;

  /// The tag that it runs or ran at.
  logical_time code_tag{};

  /// How long it has been running; zero if it has returned.
  std::chrono::nanoseconds running_for{0};

  /// Whether the rest is known. It is not of a node that was busy.
  bool complete = false;

  /// The last tag that was executed; (0, 0) before the first.
  logical_time logical{};

  /// Safe to advance to: nothing arrives below it any more.
  logical_time stat{};

  /// The earliest tag that is queued; `forever` if there is none.
  logical_time next = forever;

  /// What keeps the node back.
  obstacle held_back_by = obstacle::unknown;

  /// The node's port that it waits at: `in` of the node. May be empty.
  std::string port = {};

  /// Whom it waits for: "node.output" of a sender, "node.input" of a receiver,
  /// "node" of a member of its loop. May be empty.
  std::string waits_for = {};

  /// What it waits to pass, see `obstacle`.
  logical_time bound = never;

  /// The inputs that have something queued, and how many messages.
  std::vector<std::pair<std::string, std::size_t>> queues = {};

  /// Values of triggers and physical inputs that wait for their tag.
  std::size_t outside = 0;

  /// Reactions that have yielded.
  std::size_t yielded = 0;

  /// What has arrived, and was not looked at yet. Always known.
  std::size_t inbox = 0;
};

/// Renders it as one line of text, without the node's name.
std::string to_string(const node_report& x);

/// What is known of a process of an application that runs over several.
struct process_report {
  std::string name;

  /// Why the following is not known, or not up to date; empty if it is.
  std::string problem = {};

  /// Messages that its nodes have sent to nodes of other processes.
  std::uint64_t messages = 0;

  /// Parcels that carried these: what one activation of a node sends to one
  /// other node travels together.
  std::uint64_t parcels = 0;

  /// Parcels without any: promises, how far receivers are, and views of loops,
  /// where no message was on its way that could have taken them along.
  std::uint64_t control_parcels = 0;
};

/// Renders it as one line of text, without the process's name.
std::string to_string(const process_report& x);

/// What an application is about, and each of its nodes.
struct report {
  application_stage stage = application_stage::not_started;

  /// Physical time since the common start.
  std::chrono::nanoseconds elapsed{0};

  /// `forever` until it is known.
  logical_time final = forever;

  /// The status, as far as it is decided.
  int status = 0;

  /// Why the application ends by force; empty if it does not.
  std::string reason = {};

  std::vector<node_report> nodes = {};

  /// The coordinator's first; empty if there is but one process.
  std::vector<process_report> processes = {};
};

/// Renders it as text: a line on the application, one on each node that has
/// not left, first those that others may wait for, and one on each process.
/// @param max_nodes limits the nodes.
std::string to_string(const report& x, std::size_t max_nodes = SIZE_MAX);

/// Renders it as JSON: all nodes, in the order in which they were created.
/// Tags are `[nanoseconds, microstep]`, or `null` for `never` and `forever`.
std::string to_json(const report& x);

/// Writes the JSON to a file, which is complete at any time: it is written
/// beside it and renamed.
/// @throws std::system_error if that fails.
void write_report(const std::string& file, const report& x);

namespace detail {

/// The first line on a node of `to_string`; empty if all have left.
std::string first_obstacle(const report& x);

/// @throws std::system_error if a report could not be written to `file`.
void check_report_file(const std::string& file);

} // namespace detail

} // namespace caf::rosia
