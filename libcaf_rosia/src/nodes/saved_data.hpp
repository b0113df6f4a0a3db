// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/node.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The value of a state, as it was.
struct saved_state {
  std::string name;
  std::uint32_t version = 1;
  engine::value content;
};

/// An event that a node had scheduled.
struct saved_event {
  std::string action;
  logical_time tag;
  engine::value content;
};

/// What a node keeps as data from one tag to the next: copies, which any thread
/// may turn into bytes while the node goes on.
struct saved_data {
  std::vector<saved_state> states; // in the order of declaration
  std::vector<saved_event> events; // in the order in which they come
};

/// Copies it. From the thread that runs the node, between two tags.
saved_data copy_data(node& x);

/// Writes a value as its type's `inspect` does. From any thread.
/// @throws std::runtime_error if CAF cannot; `name` is for the message.
std::vector<char> to_bytes(const std::string& name, const engine::value& x);

/// Reads a value that `to_bytes` has written. From any thread.
/// @param what is for the message: "the value of ...".
/// @throws std::runtime_error if CAF cannot, or the bytes are no such value.
engine::value from_bytes(
  const std::string& what, const std::vector<char>& bytes,
  const engine::payload_type& type);

/// Gives a state of a node, which has not started yet, the value that was
/// saved, also by an older version.
/// @throws std::runtime_error if the node has no such state, if the version is
///         newer than the node's, or is not read any more, and if the bytes are
///         no such value.
void restore_state(node& x, const std::string& name, std::uint32_t version,
                   const std::vector<char>& bytes);

/// Schedules an event again. Called for a node that has not started yet, in the
/// order of `saved_data::events`.
/// @returns its value.
/// @throws std::runtime_error if the node has no such action, and if the bytes
///         are no such value.
engine::value restore_event(node& x, const std::string& action,
                            logical_time tag, const std::vector<char>& bytes);

} // namespace caf::rosia::detail
