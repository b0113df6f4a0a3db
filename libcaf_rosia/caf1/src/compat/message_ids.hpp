// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/compat.hpp"

// CAF 1 needs the type ids of messages wherever a message is made or handled.

namespace caf::rosia {

struct start_message;
struct end_proposal;
struct final_tag_message;
struct abort_message;
struct observation_request;
struct end_request;
struct end_answer;
struct done_message;
struct exit_message;
struct node_abort_request;
struct request_from_outside;
struct stage_overdue;
struct look_at_progress;
struct abort_application;
struct look_at_checkpoint;
struct ping;
struct process_lost;
struct connection_lost;
struct connection_overdue;
struct transport_error;
struct report_request;
struct look_at_lag;
struct checkpoint_command;
struct checkpoint_reply;
struct greeting_request;
struct greeting_reply;
struct join_request;
struct join_reply;
struct ready_request;
struct start_reply;
struct hello;
struct abort_process;
struct end_notice;
struct progress_request;
struct progress_reply;
struct process_report_request;
struct process_report_reply;
struct application_report_request;
struct child_ended;
struct process_call;
struct over_message;
struct over_reply;
struct application_report;

} // namespace caf::rosia

// clang-format off
CAF_BEGIN_TYPE_ID_BLOCK(caf_rosia, caf::id_block::caf_rosia_values::end)
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::start_message), "rosia::start_message")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::end_proposal), "rosia::end_proposal")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::final_tag_message), "rosia::final_tag_message")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::abort_message), "rosia::abort_message")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::observation_request), "rosia::observation_request")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::end_request), "rosia::end_request")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::end_answer), "rosia::end_answer")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::done_message), "rosia::done_message")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::exit_message), "rosia::exit_message")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::node_abort_request), "rosia::node_abort_request")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::request_from_outside), "rosia::request_from_outside")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::stage_overdue), "rosia::stage_overdue")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::look_at_progress), "rosia::look_at_progress")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::abort_application), "rosia::abort_application")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::look_at_checkpoint), "rosia::look_at_checkpoint")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::ping), "rosia::ping")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::process_lost), "rosia::process_lost")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::connection_lost), "rosia::connection_lost")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::connection_overdue), "rosia::connection_overdue")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::transport_error), "rosia::transport_error")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::report_request), "rosia::report_request")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::look_at_lag), "rosia::look_at_lag")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::checkpoint_command), "rosia::checkpoint_command")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::checkpoint_reply), "rosia::checkpoint_reply")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::greeting_request), "rosia::greeting_request")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::greeting_reply), "rosia::greeting_reply")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::join_request), "rosia::join_request")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::join_reply), "rosia::join_reply")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::ready_request), "rosia::ready_request")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::start_reply), "rosia::start_reply")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::hello), "rosia::hello")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::abort_process), "rosia::abort_process")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::end_notice), "rosia::end_notice")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::progress_request), "rosia::progress_request")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::progress_reply), "rosia::progress_reply")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::process_report_request), "rosia::process_report_request")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::process_report_reply), "rosia::process_report_reply")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::application_report_request), "rosia::application_report_request")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::child_ended), "rosia::child_ended")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::process_call), "rosia::process_call")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::over_message), "rosia::over_message")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::over_reply), "rosia::over_reply")
CAF_ADD_TYPE_ID(caf_rosia, (caf::rosia::application_report), "rosia::application_report")
CAF_END_TYPE_ID_BLOCK(caf_rosia)
// clang-format on
