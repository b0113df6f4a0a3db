// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "distributed/process_messages.hpp"
#include "runtime/messages.hpp"
#include "runtime/node_directory.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace caf::rosia::detail {

/// Describes a process whose message has this problem.
std::string impossible(const std::string& problem);

/// Sender and receiver of a message.
struct correspondence {
  engine::process_id from = 0;
  engine::process_id to = 0;

  std::size_t processes = 0;

  /// Null before the start, when there are no messages about nodes.
  const node_directory* nodes = nullptr;
};

// Functions that check a message of another process before it is used: whether
// each field is valid, and whether the sender may send it to this receiver.
// They return the problem, such as "exit_message.node is 7, but there are 4
// nodes"; empty if there is none.

// -- joining ------------------------------------------------------------------

/// @param x from a sender that knows the token; nothing else is known about it.
/// @param processes the number of processes.
std::string problem_of(const join_request& x, std::size_t processes);

std::string problem_of(const greeting_reply& x);

std::string problem_of(const join_reply& x, const correspondence& way);

std::string problem_of(const ready_request& x, const correspondence& way);

/// @param now time by the sender's clock, in nanoseconds.
std::string problem_of(const start_reply& x, std::int64_t now);

std::string problem_of(const hello& x, const correspondence& way);

// -- running ------------------------------------------------------------------

/// @param node the receiver.
std::string problem_of(std::uint32_t node, const end_proposal& x,
                       const correspondence& way);

std::string problem_of(std::uint32_t node, const final_tag_message& x,
                       const correspondence& way);

std::string problem_of(const abort_process& x, const correspondence& way);

std::string problem_of(const end_notice& x, const correspondence& way);

std::string problem_of(const end_request& x, const correspondence& way);

std::string problem_of(const end_answer& x, const correspondence& way);

std::string problem_of(const done_message& x, const correspondence& way);

std::string problem_of(const exit_message& x, const correspondence& way);

std::string problem_of(const node_abort_request& x, const correspondence& way);

std::string problem_of(const request_from_outside& x,
                       const correspondence& way);

std::string problem_of(const abort_application& x, const correspondence& way);

std::string problem_of(const connection_lost& x, const correspondence& way);

std::string problem_of(const transport_error& x, const correspondence& way);

std::string problem_of(const progress_request& x, const correspondence& way);

std::string problem_of(const progress_reply& x, const correspondence& way);

std::string problem_of(const checkpoint_command& x, const correspondence& way);

std::string problem_of(const checkpoint_reply& x, const correspondence& way);

std::string problem_of(const over_message& x, const correspondence& way);

// -- reports ------------------------------------------------------------------

std::string problem_of(const process_report_request& x,
                       const correspondence& way);

std::string problem_of(const process_report_reply& x,
                       const correspondence& way);

std::string problem_of(const application_report_request& x,
                       const correspondence& way);

std::string problem_of(const application_report& x, const correspondence& way);

} // namespace caf::rosia::detail
