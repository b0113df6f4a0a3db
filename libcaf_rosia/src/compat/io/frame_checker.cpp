// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/frame_checker.hpp"

#include "compat/io/frame_message.hpp"
#include "compat/io/frame_reader.hpp"

#include <caf/io/basp/header.hpp>
#include <caf/message_id.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace caf::rosia::detail {

namespace {

using caf::io::basp::message_type;

static_assert(caf::io::basp::header_size == frame_checker::header_size);
static_assert(static_cast<int>(message_type::heartbeat) == 6);

/// Maximum size of a handshake, which has the names of a process and of
/// applications.
constexpr std::size_t most_in_handshake = 4096;

/// Returns whether a message is for the actor of a process, see
/// `process_handle`, or a reply to a message of this actor.
bool is_for_process(std::string_view type, bool is_reply) {
  constexpr std::string_view messages[] = {
    "rosia::greeting_request",
    "rosia::join_request",
    "rosia::ready_request",
    "rosia::hello",
    "rosia::abort_process",
    "rosia::end_notice",
    "rosia::end_request",
    "rosia::end_answer",
    "rosia::done_message",
    "rosia::exit_message",
    "rosia::node_abort_request",
    "rosia::request_from_outside",
    "rosia::abort_application",
    "rosia::connection_lost",
    "rosia::transport_error",
    "rosia::progress_request",
    "rosia::progress_reply",
    "rosia::process_report_request",
    "rosia::application_report_request",
    "rosia::checkpoint_command",
    "rosia::checkpoint_reply",
    "rosia::over_message"};
  constexpr std::string_view replies[] = {
    "rosia::join_reply",
    "rosia::start_reply",
    "rosia::hello",
    "rosia::application_report",
    "rosia::process_report_reply",
    "rosia::over_reply",
    error_type};
  // These follow the number of a node.
  constexpr std::string_view messages_to_nodes[]
    = {"rosia::end_proposal", "rosia::final_tag_message"};
  auto contains = [&](auto& all) {
    return std::find(std::begin(all), std::end(all), type) != std::end(all);
  };
  if (is_reply)
    return contains(replies);
  if (!type.starts_with(number_type))
    return contains(messages);
  type.remove_prefix(std::min(number_type.size() + 1, type.size()));
  return contains(messages_to_nodes);
}

} // namespace

frame_checker::frame_checker(environment env) : env_(std::move(env)) {
  // nop
}

// -- headers ------------------------------------------------------------------

std::string frame_checker::check_header(std::string_view bytes) {
  frame_reader from{bytes};
  auto kind = from.number<std::uint8_t>();
  from.bytes(2);
  header_.flags = from.number<std::uint8_t>();
  header_.payload_size = from.number<std::uint32_t>();
  header_.data = from.number<std::uint64_t>();
  header_.source = from.number<std::uint64_t>();
  header_.target = from.number<std::uint64_t>();
  if (!from.ok())
    return "it sent an incomplete header";
  if (kind > static_cast<std::uint8_t>(operation::heartbeat))
    return "it sent a frame of an unknown kind (" + std::to_string(kind) + ')';
  header_.kind = static_cast<operation>(kind);
  auto problem = check_size(header_.payload_size);
  return problem.empty() ? check_fields() : problem;
}

std::string frame_checker::check_size(std::size_t size) const {
  if (size > env_.max_payload)
    return "it announced a message of " + std::to_string(size)
           + " bytes; the limit is " + std::to_string(env_.max_payload)
           + " (rosia.network.max_message)";
  return {};
}

std::string frame_checker::check_frame(std::size_t size) const {
  if (peer_.empty())
    return "it sent a frame before its handshake";
  return check_size(size);
}

std::string frame_checker::check_fields() const {
  auto& x = header_;
  auto is_handshake
    = x.kind == operation::server_handshake
      || x.kind == operation::client_handshake;
  if (peer_.empty() && !is_handshake)
    return "it sent a frame before its handshake";
  if (x.kind == operation::heartbeat) {
    if (x.payload_size != 0 || x.data != 0 || x.source != 0 || x.target != 0)
      return "it sent a heartbeat with a payload";
    return {};
  }
  if (x.payload_size == 0)
    return "it sent a frame without a payload";
  switch (x.kind) {
    case operation::server_handshake:
      if (!peer_.empty() || x.data == 0)
        return "it sent the answer to a handshake at the wrong time";
      break;
    case operation::client_handshake:
      // A process that connected sends it twice.
      if (handshake_ == operation::server_handshake || x.source != 0
          || x.target != 0)
        return "it sent a handshake at the wrong time";
      break;
    case operation::monitor:
      if (x.data != 0)
        return "it sent a malformed request to monitor an actor";
      break;
    case operation::down:
      if (x.data != 0 || x.source == 0 || x.target != 0)
        return "it sent a malformed down message";
      break;
    default:
      if (x.target == 0)
        return "it sent a message without a receiver";
  }
  if (is_handshake && x.payload_size > most_in_handshake)
    return "it sent a handshake of " + std::to_string(x.payload_size)
           + " bytes";
  return {};
}

// -- payloads -----------------------------------------------------------------

std::string frame_checker::check_payload(std::string_view bytes) {
  frame_reader from{bytes};
  switch (header_.kind) {
    case operation::server_handshake:
    case operation::client_handshake:
      return check_handshake(bytes);
    case operation::direct_message:
      return check_message(bytes);
    case operation::routed_message: {
      auto source = from.node();
      auto target = from.node();
      if (!from.ok())
        return "it sent a message that names neither sender nor receiver";
      if (auto problem = check_source(source); !problem.empty())
        return problem;
      if (header_.target == env_.actor())
        return "it forwarded a message that processes send each other directly";
      // A message for another process is checked there.
      return target == env_.self ? check_message(from.rest()) : std::string{};
    }
    case operation::monitor:
    case operation::down: {
      auto source = from.node();
      from.node(); // the receiver
      if (!from.ok())
        return "it sent a monitor request or down message that names neither "
               "sender nor receiver";
      if (auto problem = check_source(source);
          !problem.empty() || header_.kind != operation::down)
        return problem;
      return check_error(from.rest(), env_.system);
    }
    default:
      return {};
  }
}

std::string frame_checker::check_handshake(std::string_view bytes) {
  frame_reader from{bytes};
  auto name = from.node();
  if (!from.ok() || name.size() != node_size)
    return "its handshake has no valid name";
  if (name == env_.self)
    return "its handshake has the name of this process";
  if (!peer_.empty() && name != peer_)
    return "its handshakes have different names";
  if (peer_.empty() && !env_.claim(name))
    return "its handshake has the name of another connected process";
  peer_ = name;
  handshake_ = header_.kind;
  if (header_.kind == operation::client_handshake)
    return from.rest().empty()
             ? std::string{}
             : "its handshake is longer than its name";
  // The names of CAF's applications, an actor, and its interface.
  auto read_texts = [&] {
    for (auto n = from.size(); n > 0 && from.ok(); --n)
      from.bytes(from.size());
  };
  read_texts();
  from.number<std::uint64_t>();
  read_texts();
  return from.ok() ? std::string{}
                   : "its answer to the handshake is incomplete";
}

std::string frame_checker::check_source(std::string_view source) const {
  // The sender may be an actor of the program in a process outside of the
  // application.
  if (source == peer_
      || (source.size() == node_size && source != env_.self
          && !env_.is_known(source)))
    return {};
  return "it sent a message in the name of another process";
}

std::string frame_checker::check_message(std::string_view bytes) const {
  frame_message message;
  if (auto problem = read_message(bytes, message); !problem.empty())
    return problem;
  auto is_named
    = (header_.flags & caf::io::basp::header::named_receiver_flag) != 0;
  message_origin from{
    caf::message_id{header_.data}, header_.source != 0, env_.self, env_.system};
  if (!is_named && header_.target == env_.actor())
    return check_for_process(message, from);
  auto problem = check_trusted(message, from);
  return problem.empty() ? check_values(message, from) : problem;
}

std::string frame_checker::check_for_process(
  const frame_message& x, const message_origin& from) const {
  auto category = from.id.category();
  if (x.has_stages
      || (category != caf::message_id::normal_message_category
          && category != caf::message_id::urgent_message_category)
      || !is_for_process(x.types, from.id.is_response()))
    return "it sent a message " + quoted_types(x.types)
           + " that processes do not send each other";
  // The other types contain no messages.
  if (x.types == error_type || !from.has_sender)
    return check_values(x, from);
  return {};
}

} // namespace caf::rosia::detail
