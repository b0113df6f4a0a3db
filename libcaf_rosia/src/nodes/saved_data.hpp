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

/// The saved value of a state.
struct saved_state {
  std::string name;
  std::uint32_t version = 1;
  engine::value content;
};

/// A scheduled event of a node, or a watchdog that runs, with its expiry.
struct saved_event {
  std::string action;
  logical_time tag;
  engine::value content;
};

/// The last event of an action with a spacing that is not pending [10.5.3].
struct saved_last_event {
  std::string action;
  bool physical = false;
  logical_time tag;
};

/// A mode.
struct saved_mode {
  std::string name;
  bool is_active = false;
  bool was_active = false;
  bool by_history = false;
  std::uint64_t entries = 0;
};

/// An event of a mode that is not active, with its distance [10.7.5].
struct saved_suspended {
  std::string action;
  delay distance;
  engine::value content;
};

/// Copies of a node's states and events between two tags. Any thread may
/// serialise them while the node continues.
struct saved_data {
  std::vector<saved_state> states; // in the order of declaration
  std::vector<saved_event> events; // in the order of their tags; then watchdogs
  std::vector<saved_last_event> last_events;
  std::vector<saved_mode> modes;          // in the order of declaration
  std::vector<saved_suspended> suspended; // in the order of their distances
};

/// Returns whether the content of a saved event is that of a watchdog that
/// runs.
bool is_running_watchdog(const engine::value& event);

/// Copies the data. Called by the thread that runs the node, between two tags.
saved_data copy_data(node& x);

/// Serialises a value with its type's `inspect`. Any thread may call this.
/// @throws std::runtime_error if CAF cannot; `name` is for the message.
std::vector<char> to_bytes(const std::string& name, const engine::value& x);

/// Deserialises a value of `to_bytes`. Any thread may call this.
/// @param subject is for the message: "the value of ...".
/// @throws std::runtime_error if CAF cannot, or the bytes are invalid.
engine::value from_bytes(
  const std::string& subject, const std::vector<char>& bytes,
  const engine::payload_type& type);

/// Restores a state of a node, which has not started yet, from a value of this
/// or an older version.
/// @throws std::runtime_error if the node has no such state, if the version is
/// newer than the node's or no longer supported, or if the bytes are invalid.
void restore_state(node& x, const std::string& name, std::uint32_t version,
                   const std::vector<char>& bytes);

/// Lets the spacing of an action begin at its last event. Called for a node
/// that has not started yet. Has no effect if the action has no spacing any
/// longer.
void restore_last_event(node& x, const saved_last_event& last);

/// Restores a mode. Called for a node that has not started yet.
/// @throws std::runtime_error if the node has no such mode.
void restore_mode(node& x, const saved_mode& mode);

/// Restores an event of a mode that is not active. Called for a node that has
/// not started yet, in the order of `saved_data::suspended`.
/// @returns its value.
/// @throws std::runtime_error if the node has no such action, if the action has
/// no mode or its mode is active, or if the bytes are invalid.
engine::value restore_suspended(
  node& x, const std::string& action, const delay& distance,
  const std::vector<char>& bytes);

/// Schedules a saved event, or lets a watchdog run. Called for a node that has
/// not started yet, in the order of `saved_data::events`.
/// @returns its value.
/// @throws std::runtime_error if the node has no such action, or if the bytes
/// are invalid.
engine::value restore_event(node& x, const std::string& action,
                            logical_time tag, const std::vector<char>& bytes);

} // namespace caf::rosia::detail
