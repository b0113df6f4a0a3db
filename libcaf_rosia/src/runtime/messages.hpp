// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_handle.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/inspect.hpp"
#include "caf/rosia/logical_time.hpp"
#include "compat/message_ids.hpp"
#include "engine/tracer.hpp"

#include <caf/typed_actor.hpp>

#include <cstdint>
#include <string>

namespace caf::rosia {

// Messages to the coordinator: sections 5 and 6 of the semantics. Its messages
// to nodes are in `node_handle.hpp`.

// -- node to coordinator ------------------------------------------------------

/// A node's request to end the application.
struct end_request {
  std::uint32_t node = 0;
  logical_time proposal;
  std::int32_t status = 0;
};

/// A node's answer to `end_proposal`: the tag at which it stops.
struct end_answer {
  std::uint32_t node = 0;
  logical_time tag;
};

/// The report of a node that is done, and waits for the final tag [10.6.4].
struct done_message {
  std::uint32_t node = 0;
  logical_time last;
};

/// The exit of a node, with the last tag that it executed.
struct exit_message {
  std::uint32_t node = 0;
  engine::ending ending = engine::ending::done;
  logical_time last;
};

/// The failure of a node [6.1].
struct node_abort_request {
  std::uint32_t node = 0;
  std::int32_t status = 1;
  std::string error;
};

// -- application to coordinator -----------------------------------------------

/// A request from outside of the nodes to end the application.
struct request_from_outside {
  logical_time proposal;
  std::int32_t signal = 0;   // if a signal caused it
  std::uint32_t process = 0; // that received it
};

/// The deadline of a stage of the end passed.
struct stage_overdue {
  std::uint64_t deadline = 0;
};

/// Checks whether the nodes make progress in a stage of the end.
struct look_at_progress {
  std::uint64_t deadline = 0;
};

/// Aborts the application with this status.
struct abort_application {
  std::int32_t status = 0;
  std::string reason; // for the report
  std::string text;   // for the log
};

/// Checks whether the final checkpoint is written. Within a process only.
struct look_at_checkpoint {};

/// Requests a sign of life: the coordinator answers with `watchdog::pong`.
struct ping {
  std::uint64_t number = 0;
};

/// The loss of a process that runs nodes. Within a process only.
struct process_lost {
  std::uint32_t process = 0;
  std::string cause; // if known
};

/// The loss of a connection between two processes.
struct connection_lost {
  std::uint32_t process = 0;
  std::uint32_t other = 0;
};

/// The time to explain a lost connection is up. Within a process only.
struct connection_overdue {
  connection_lost connection;
};

/// Invalid data that a process received from another process.
struct transport_error {
  std::uint32_t process = 0;
  std::uint32_t other = 0;
  std::string problem;
};

struct report_request {};

/// Checks for nodes of this process that lag and cannot warn themselves.
struct look_at_lag {};

// -- checkpoints: between the coordinator and processes, section 8.4 ----------

/// A command of the coordinator to a process. Tests:
/// test/runtime/checkpoint_coordination_test.cpp.
struct checkpoint_command {
  enum class kind : std::uint8_t {
    ask,      // asks where nodes can stop for a checkpoint that is not planned
    periodic, // writes the planned one at `tag`
    agreed,   // writes the one at the agreed `tag`; stopped nodes continue
    final,    // writes the last one, at the final tag
    release,  // lets stopped nodes continue: `tag` is complete, or too late
    mark,     // marks it as complete: all its parts are written
    complete, // it is marked as complete
    failed,   // it failed
  };

  kind type = kind::ask;
  logical_time tag;
};

/// A message of a process to the coordinator. Tests:
/// test/runtime/checkpoint_coordination_test.cpp.
struct checkpoint_reply {
  enum class kind : std::uint8_t {
    ready,         // its nodes have started
    demand,        // a checkpoint is requested now
    answer,        // `tag` is the last one that a node executed
    written,       // its part is durable
    final_written, // its part of the final one is durable
    passed,        // nodes are past it, at `reached`
    failed,        // it could not be written
    marked,        // the mark that it is complete is durable
  };

  std::uint32_t process = 0;
  kind type = kind::ready;
  logical_time tag;
  logical_time reached;
  std::string problem;
};

// -- serialisation ------------------------------------------------------------

template <class Inspector>
auto inspect(Inspector& f, end_request& x) {
  return inspect_members(f, x, x.node, x.proposal, x.status);
}

template <class Inspector>
auto inspect(Inspector& f, end_answer& x) {
  return inspect_members(f, x, x.node, x.tag);
}

template <class Inspector>
auto inspect(Inspector& f, done_message& x) {
  return inspect_members(f, x, x.node, x.last);
}

template <class Inspector>
auto inspect(Inspector& f, exit_message& x) {
  return inspect_members(f, x, x.node, x.ending, x.last);
}

template <class Inspector>
auto inspect(Inspector& f, node_abort_request& x) {
  return inspect_members(f, x, x.node, x.status, x.error);
}

template <class Inspector>
auto inspect(Inspector& f, request_from_outside& x) {
  return inspect_members(f, x, x.proposal, x.signal, x.process);
}

template <class Inspector>
auto inspect(Inspector& f, ping& x) {
  return inspect_members(f, x, x.number);
}

template <class Inspector>
auto inspect(Inspector& f, stage_overdue& x) {
  return inspect_members(f, x, x.deadline);
}

template <class Inspector>
auto inspect(Inspector& f, look_at_progress& x) {
  return inspect_members(f, x, x.deadline);
}

template <class Inspector>
auto inspect(Inspector& f, abort_application& x) {
  return inspect_members(f, x, x.status, x.reason, x.text);
}

template <class Inspector>
auto inspect(Inspector& f, process_lost& x) {
  return inspect_members(f, x, x.process, x.cause);
}

template <class Inspector>
auto inspect(Inspector& f, connection_lost& x) {
  return inspect_members(f, x, x.process, x.other);
}

template <class Inspector>
auto inspect(Inspector& f, connection_overdue& x) {
  return inspect_members(f, x, x.connection);
}

template <class Inspector>
auto inspect(Inspector& f, transport_error& x) {
  return inspect_members(f, x, x.process, x.other, x.problem);
}

template <class Inspector>
auto inspect(Inspector& f, checkpoint_command& x) {
  return inspect_members(f, x, x.type, x.tag);
}

template <class Inspector>
auto inspect(Inspector& f, checkpoint_reply& x) {
  return inspect_members(f, x, x.process, x.type, x.tag, x.reached, x.problem);
}

template <class Inspector>
auto inspect(Inspector& f, report_request& x) {
  return inspect_members(f, x);
}

template <class Inspector>
auto inspect(Inspector& f, look_at_checkpoint& x) {
  return inspect_members(f, x);
}

template <class Inspector>
auto inspect(Inspector& f, look_at_lag& x) {
  return inspect_members(f, x);
}

// -- interface ----------------------------------------------------------------

/// The handle of an application's coordinator.
using coordinator_handle = caf::typed_actor<
  detail::signature<void, end_request>, detail::signature<void, end_answer>,
  detail::signature<void, done_message>, detail::signature<void, exit_message>,
  detail::signature<void, node_abort_request>,
  detail::signature<void, request_from_outside>,
  detail::signature<void, stage_overdue>,
  detail::signature<void, look_at_progress>,
  detail::signature<void, abort_application>,
  detail::signature<void, process_lost>,
  detail::signature<void, connection_lost>,
  detail::signature<void, connection_overdue>,
  detail::signature<void, transport_error>,
  detail::signature<void, report_request>, detail::signature<void, look_at_lag>,
  detail::signature<void, checkpoint_reply>,
  detail::signature<void, look_at_checkpoint>, detail::signature<void, ping>>;

} // namespace caf::rosia
