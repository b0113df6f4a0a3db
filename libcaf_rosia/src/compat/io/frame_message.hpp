// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/config.hpp>
#include <caf/fwd.hpp>
#include <caf/message_id.hpp>

#include <cstddef>
#include <string>
#include <string_view>

// What differs from version to version of CAF in its protocol: how names of
// processes and messages are written, and what CAF trusts in them.

namespace caf::rosia::detail {

#if CAF_MAJOR_VERSION >= 1
constexpr std::size_t node_name_size = 25;
constexpr std::string_view number_type = "uint32_t";
constexpr std::string_view error_type = "caf::error";
#else
/// The name of a process, as it travels.
constexpr std::size_t node_name_size = 32;

/// What CAF calls a `std::uint32_t`.
constexpr std::string_view number_type = "@u32";

constexpr std::string_view error_type = "@error";
#endif

/// A message for an actor.
struct frame_message {
  /// All of its bytes.
  std::string_view whole;

  /// CAF's names of the types, with a '+' in between.
  std::string types;

  /// The values.
  std::string_view content;

  /// Whether other actors were to forward it.
  bool has_stages = false;
};

/// What else a frame says of a message.
struct message_origin {
  caf::message_id id;

  /// Whether it names the actor that has sent it.
  bool has_sender = false;

  /// The name of this process, as it travels.
  std::string_view self;

  /// May be null: then handles of actors cannot be read.
  caf::actor_system* system = nullptr;
};

// What follows returns why the connection has to be closed; empty if it need
// not.

std::string read_message(std::string_view bytes, frame_message& into);

/// Checks a message to an actor of CAF, or of a program, for what CAF trusts.
std::string check_trusted(const frame_message& x, const message_origin& from);

/// Checks whether CAF may read the values of a message.
std::string check_values(const frame_message& x, const message_origin& from);

/// Checks whether CAF may read an error that is not part of a message.
std::string check_error(std::string_view content, caf::actor_system* sys);

// -- what is said -------------------------------------------------------------

constexpr const char* not_a_message = "it sent bytes that are not a message";

constexpr const char* nested_too_deep = "it sent messages nested too deeply";

constexpr const char* links_own_actors
  = "it tried to link this process's actors to each other";

/// Types in quotes, for people.
std::string quoted_types(std::string_view types);

} // namespace caf::rosia::detail
