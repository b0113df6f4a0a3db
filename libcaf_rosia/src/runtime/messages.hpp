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

// What nodes and others send to the coordinator: sections 5 and 6 of the
// semantics. What it sends to nodes is in `node_handle.hpp`.

// -- node to coordinator ------------------------------------------------------

/// A node requests the application's end.
struct node_request_shutdown {
  std::uint32_t node = 0;
  logical_time proposal;
  std::int32_t status = 0;
};

/// A node's answer.
struct application_shutdown_response {
  std::uint32_t node = 0;
  logical_time tag;
};

/// A node has left.
struct exit_message {
  std::uint32_t node = 0;
  engine::ending how = engine::ending::done;
  logical_time last;
};

/// A node has failed.
struct node_abort_request {
  std::uint32_t node = 0;
  std::int32_t status = 1;
  std::string error;
};

// -- application to coordinator -----------------------------------------------

/// The application's end is requested from outside of the nodes.
struct request_from_outside {
  logical_time proposal;
  std::int32_t signal = 0;   // if it was one
  std::uint32_t process = 0; // that it came to
};

/// A stage of the end takes too long.
struct stage_overdue {
  std::uint64_t deadline = 0;
};

/// Look whether the nodes get on with a stage of the end.
struct look_at_progress {
  std::uint64_t deadline = 0;
};

/// Abort the application with this status.
struct abort_application {
  std::int32_t status = 0;
  std::string reason; // for the report
  std::string text;   // for the log
};

/// Look whether the last checkpoint is written by now. Within a process only.
struct look_at_checkpoint {};

/// Requests a sign of life: the coordinator answers by `watchdog::pong`.
struct ping {
  std::uint64_t number = 0;
};

/// A process that runs nodes is gone. Within a process only.
struct process_lost {
  std::uint32_t process = 0;
  std::string how; // if it is known
};

/// A process has lost its connection to another one.
struct connection_lost {
  std::uint32_t process = 0;
  std::uint32_t other = 0;
};

/// Nobody has said in time why that connection was lost. Within a process only.
struct connection_overdue {
  connection_lost connection;
};

/// Something is wrong with what a process got from another one.
struct transport_error {
  std::uint32_t process = 0;
  std::uint32_t other = 0;
  std::string problem;
};

/// A report is requested.
struct report_request {};

/// Look whether nodes of this process are behind and cannot warn of it
/// themselves.
struct look_at_lag {};

// -- checkpoints: between the coordinator and processes, section 8.4 ----------

/// What the coordinator wants of a process.
struct checkpoint_command {
  enum class kind : std::uint8_t {
    ask,      // where nodes stop for a checkpoint that is not planned
    periodic, // write the one at `tag`
    agreed,   // the same, and nodes that have stopped go on
    final,    // the same, where the application ends: none is later
    release,  // nodes that have stopped go on: `tag` is complete, or too late
    mark,     // all parts of it are written: write that
    complete, // that is written
    failed,   // it will never be complete
  };

  kind what = kind::ask;
  logical_time tag;
};

/// What a process tells the coordinator.
struct checkpoint_reply {
  enum class kind : std::uint8_t {
    ready,         // its nodes have started
    demand,        // somebody wants a checkpoint now
    answer,        // `tag` is the last that a node has executed
    written,       // its part is durable
    final_written, // the same, as the one at the end
    passed,        // there are nodes that have gone on to `reached`
    failed,        // it could not be written
    marked,        // that it is complete is durable
  };

  std::uint32_t process = 0;
  kind what = kind::ready;
  logical_time tag;
  logical_time reached;
  std::string problem;
};

// -- serialisation ------------------------------------------------------------

template <class Inspector>
auto inspect(Inspector& f, node_request_shutdown& x) {
  return inspect_members(f, x, x.node, x.proposal, x.status);
}

template <class Inspector>
auto inspect(Inspector& f, application_shutdown_response& x) {
  return inspect_members(f, x, x.node, x.tag);
}

template <class Inspector>
auto inspect(Inspector& f, exit_message& x) {
  return inspect_members(f, x, x.node, x.how, x.last);
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
  return inspect_members(f, x, x.process, x.how);
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
  return inspect_members(f, x, x.what, x.tag);
}

template <class Inspector>
auto inspect(Inspector& f, checkpoint_reply& x) {
  return inspect_members(f, x, x.process, x.what, x.tag, x.reached, x.problem);
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
  detail::signature<void, node_request_shutdown>,
  detail::signature<void, application_shutdown_response>,
  detail::signature<void, exit_message>,
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
