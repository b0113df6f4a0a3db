// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/inspect.hpp"
#include "caf/rosia/report.hpp"
#include "runtime/messages.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/session.hpp"
#include "runtime/starting_point.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/fwd.hpp>
#include <caf/typed_actor.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia {

// The protocol between the processes of an application. Process 0 is the
// coordinator's.

// -- joining: to the coordinator's process ------------------------------------

/// Asks a process for its role.
struct greeting_request {
  std::string version;
  std::string token;
  std::string process; // the sender's name
};

/// The coordinator's answer to a greeting. Tests:
/// test/distributed/validation_test.cpp.
struct greeting_reply {
  /// Why the sender cannot join; empty if it can.
  std::string problem;

  /// The names of all processes of the application. Empty if it is too late to
  /// join; another application may follow.
  std::vector<std::string> processes;

  /// The coordinator's option.
  std::string placement;

  /// The monotonic clock and the system clock, in nanoseconds.
  std::int64_t steady = 0;
  std::int64_t date = 0;
};

struct process_address {
  std::string host;
  std::uint16_t port = 0;
};

/// Returns "host:port", or the name of a local socket.
std::string to_string(const process_address& x);

/// The number of an end of a connection, and the index of a port there. An end
/// with a channel has several ports. All processes number the ends in the order
/// of declaration, for each connection first the outputs.
using end_port = std::pair<std::uint32_t, std::uint32_t>;

/// A request to join, with the declarations of the process. Tests:
/// test/distributed/validation_test.cpp, test/distributed/joining_test.cpp.
struct join_request {
  std::string token;
  std::uint32_t process = 0;
  std::string build; // of its program; empty if unknown
  process_address address;

  /// The option that determined the placement of the nodes.
  std::string placement;

  /// The graph as all processes declare it, a line for each node and each
  /// connection.
  std::vector<std::string> graph;

  /// The declarations known only to the process that runs a node: its ports, by
  /// node, and the ports of the connections, by end.
  std::vector<std::pair<std::uint32_t, graph_description::node>> nodes;
  std::vector<end_port> ports;
};

/// The agreement of all processes. Tests: test/distributed/validation_test.cpp,
/// test/distributed/joining_test.cpp.
struct join_reply {
  /// Why there is none; empty if there is one.
  std::string problem;

  /// Whether the reason is a request to end the application.
  bool ended = false;

  std::uint64_t session = 0;
  std::vector<process_address> addresses; // by process
  std::vector<graph_description::node> nodes;

  /// The ports of all connections, by end.
  std::vector<end_port> ports;

  // The coordinator's options that apply to all processes.
  bool realtime = true;
  logical_time stop_after = never; // `never` if there is none
  std::uint64_t max_in_flight = 0;
  std::int64_t grace_period = 0; // in nanoseconds

  /// Whether checkpoints are enabled, and their interval in nanoseconds, or 0.
  bool checkpoints = false;
  std::int64_t checkpoint_every = 0;

  detail::starting_point start;

  /// Whether the coordinator has a live page. For this page, all processes
  /// count the activity of nodes, and keep the last lines of their logs.
  bool watched = false;
};

/// Notes that a process is ready to start.
struct ready_request {
  std::uint32_t process = 0;
};

/// The time of the start, by the coordinator's monotonic clock, in nanoseconds.
struct start_reply {
  std::string problem;
  bool ended = false; // as in `join_reply`
  std::int64_t at = 0;
};

/// The greeting between two processes other than the coordinator's.
struct hello {
  std::uint64_t session = 0;
  std::uint32_t process = 0;
  std::string token;
};

// -- running ------------------------------------------------------------------

/// Aborts all nodes of a process.
struct abort_process {
  std::string reason;
};

/// The reason for the end, for the log.
struct end_notice {
  std::string text;
};

/// Requests the progress of a process's nodes toward the final tag.
struct progress_request {
  logical_time final;
};

/// See `engine::progress_count`.
struct progress_reply {
  std::uint32_t process = 0;
  std::uint64_t progress = 0;
};

/// Requests the state of a process and its nodes.
struct process_report_request {
  /// The number of the last line of the process's log that the sender has. By
  /// default, no lines are requested.
  std::uint64_t log_since = std::numeric_limits<std::uint64_t>::max();
};

// The answer is `process_report_reply`.

/// Requests a report of the application from the coordinator's process. The
/// reply has no nodes if there is nothing to report.
struct application_report_request {};

/// The end of a process that was started from here. Within a process only.
struct child_ended {
  std::uint32_t process = 0;
  std::int32_t status = 0;
};

/// A function for the process's actor to call. Within a process only.
struct process_call {
  std::shared_ptr<std::function<void(process_actor&)>> fun;
};

/// The end of the application.
struct over_message {
  std::int32_t status = 0;
  logical_time final = forever; // `forever` if there is no final tag
};

/// The answer, with the sender's part of the report.
struct over_reply {
  process_report self;
};

// -- serialisation ------------------------------------------------------------

template <class Inspector>
auto inspect(Inspector& f, greeting_request& x) {
  return inspect_members(f, x, x.version, x.token, x.process);
}

template <class Inspector>
auto inspect(Inspector& f, greeting_reply& x) {
  return inspect_members(
    f, x, x.problem, x.processes, x.placement, x.steady, x.date);
}

template <class Inspector>
auto inspect(Inspector& f, process_address& x) {
  return inspect_members(f, x, x.host, x.port);
}

template <class Inspector>
auto inspect(Inspector& f, join_request& x) {
  return inspect_members(
    f, x, x.token, x.process, x.build, x.address, x.placement, x.graph, x.nodes,
    x.ports);
}

template <class Inspector>
auto inspect(Inspector& f, join_reply& x) {
  return inspect_members(
    f, x, x.problem, x.ended, x.session, x.addresses, x.nodes, x.ports,
    x.realtime, x.stop_after, x.max_in_flight, x.grace_period, x.checkpoints,
    x.checkpoint_every, x.start, x.watched);
}

template <class Inspector>
auto inspect(Inspector& f, ready_request& x) {
  return inspect_members(f, x, x.process);
}

template <class Inspector>
auto inspect(Inspector& f, start_reply& x) {
  return inspect_members(f, x, x.problem, x.ended, x.at);
}

template <class Inspector>
auto inspect(Inspector& f, hello& x) {
  return inspect_members(f, x, x.session, x.process, x.token);
}

template <class Inspector>
auto inspect(Inspector& f, abort_process& x) {
  return inspect_members(f, x, x.reason);
}

template <class Inspector>
auto inspect(Inspector& f, end_notice& x) {
  return inspect_members(f, x, x.text);
}

template <class Inspector>
auto inspect(Inspector& f, progress_request& x) {
  return inspect_members(f, x, x.final);
}

template <class Inspector>
auto inspect(Inspector& f, progress_reply& x) {
  return inspect_members(f, x, x.process, x.progress);
}

template <class Inspector>
auto inspect(Inspector& f, process_report_request& x) {
  return inspect_members(f, x, x.log_since);
}

template <class Inspector>
auto inspect(Inspector& f, watchdog_report& x) {
  return inspect_members(f, x, x.name, x.runs, x.expiry, x.expiries);
}

template <class Inspector>
auto inspect(Inspector& f, mode_report& x) {
  return inspect_members(f, x, x.name, x.is_active, x.entries);
}

template <class Inspector>
auto inspect(Inspector& f, node_report& x) {
  return inspect_members(
    f, x, x.name, x.process, x.stage, x.has_left, x.code, x.running, x.code_tag,
    x.running_for, x.complete, x.logical, x.stat, x.next, x.held_back_by,
    x.port, x.waits_for, x.bound, x.queues, x.outside, x.yielded, x.scheduled,
    x.inbox, x.group, x.parameters, x.missed_deadlines, x.dropped_by_spacing,
    x.tardy_values, x.watchdogs, x.modes, x.suspended);
}

namespace detail {

template <class Inspector>
auto inspect(Inspector& f, node_counts& x) {
  return inspect_members(
    f, x, x.at, x.pieces, x.busy, x.late, x.dropped, x.written, x.lags,
    x.lag_sum, x.lag_max);
}

} // namespace detail

template <class Inspector>
auto inspect(Inspector& f, process_report& x) {
  return inspect_members(
    f, x, x.name, x.problem, x.messages, x.frames, x.control_frames);
}

template <class Inspector>
auto inspect(Inspector& f, process_report_reply& x) {
  return inspect_members(f, x, x.self, x.nodes, x.counts, x.log);
}

template <class Inspector>
auto inspect(Inspector& f, application_report_request& x) {
  return inspect_members(f, x);
}

template <class Inspector>
auto inspect(Inspector& f, application_report& x) {
  return inspect_members(
    f, x, x.stage, x.elapsed, x.final, x.status, x.reason, x.nodes,
    x.processes);
}

template <class Inspector>
auto inspect(Inspector& f, over_message& x) {
  return inspect_members(f, x, x.status, x.final);
}

template <class Inspector>
auto inspect(Inspector& f, over_reply& x) {
  return inspect_members(f, x, x.self);
}

// -- interface ----------------------------------------------------------------

/// The handle of a process's actor. In messages for a node, the node's number
/// goes first.
using process_handle = caf::typed_actor<
  detail::signature<greeting_reply, greeting_request>,
  detail::signature<join_reply, join_request>,
  detail::signature<start_reply, ready_request>,
  detail::signature<hello, hello>,
  detail::signature<void, std::uint32_t, end_proposal>,
  detail::signature<void, std::uint32_t, final_tag_message>,
  detail::signature<void, abort_process>, detail::signature<void, end_notice>,
  detail::signature<void, end_request>, detail::signature<void, end_answer>,
  detail::signature<void, done_message>, detail::signature<void, exit_message>,
  detail::signature<void, node_abort_request>,
  detail::signature<void, request_from_outside>,
  detail::signature<void, abort_application>,
  detail::signature<void, connection_lost>,
  detail::signature<void, transport_error>,
  detail::signature<void, progress_request>,
  detail::signature<void, progress_reply>,
  detail::signature<process_report_reply, process_report_request>,
  detail::signature<application_report, application_report_request>,
  detail::signature<over_reply, over_message>,
  detail::signature<void, checkpoint_command>,
  detail::signature<void, checkpoint_reply>,
  detail::signature<void, child_ended>, detail::signature<void, process_call>>;

/// Registers the messages of this protocol with a config.
void add_process_messages(caf::actor_system_config& cfg);

} // namespace caf::rosia

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf::rosia::child_ended)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf::rosia::process_call)
