// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/fwd.hpp>
#include <caf/message_id.hpp>

#include <string>
#include <string_view>

// Differences between the versions of CAF in their protocol: the format of
// messages, and the data that CAF trusts.

namespace caf::rosia::detail {

/// A message to an actor. Tests: test/caf0/compat/io, test/caf1/compat/io.
struct frame_message {
  /// All of its bytes.
  std::string_view whole;

  /// CAF's names of the types, separated by '+'.
  std::string types;

  /// The bytes of the values.
  std::string_view content;

  /// Whether other actors shall forward it.
  bool has_stages = false;
};

/// The data of a frame about the origin of its message. Tests:
/// test/caf0/compat/io, test/caf1/compat/io.
struct message_origin {
  caf::message_id id;

  /// Whether it names the sending actor.
  bool has_sender = false;

  /// The name of this process in CAF's protocol.
  std::string_view self;

  /// May be null if no handles of actors need be read.
  caf::actor_system* system = nullptr;
};

// The following functions return why the connection must be closed; empty if
// there is no reason.

std::string read_message(std::string_view bytes, frame_message& into);

/// Checks a message to an actor of CAF or of the program, for data that CAF
/// trusts.
std::string check_trusted(const frame_message& x, const message_origin& from);

/// Checks whether CAF may read the values of a message.
std::string check_values(const frame_message& x, const message_origin& from);

/// Checks whether CAF may read an error that is not part of a message.
std::string check_error(std::string_view content, caf::actor_system* sys);

// -- texts --------------------------------------------------------------------

constexpr const char* not_a_message = "it sent bytes that are not a message";

constexpr const char* nested_too_deep = "it sent messages nested too deeply";

constexpr const char* links_own_actors
  = "it tried to link this process's actors to each other";

/// Returns the types in quotes, shortened, for messages.
std::string quoted_types(std::string_view types);

} // namespace caf::rosia::detail
