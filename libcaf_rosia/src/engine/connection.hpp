// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/channel_clock.hpp"
#include "engine/fifo.hpp"
#include "engine/latest_values.hpp"
#include "engine/link.hpp"
#include "engine/receive_window.hpp"
#include "engine/send_window.hpp"
#include "engine/unsent_messages.hpp"

#include <cstdint>

namespace caf::rosia::engine {

class node;

/// A queued value.
struct event {
  logical_time tag = never;
  value content;
};

/// The receiver's end of a connection: its wiring, and the state that the parts
/// of the node keep for it. Both are together because each message needs both.
/// Tests: test/engine/flow_control_test.cpp.
struct in_connection {
  std::uint32_t number = 0;       // in the order of declaration
  std::uint32_t input = 0;        // the port's index
  node_id source = 0;             // the sender
  std::uint32_t source_index = 0; // the sender's outgoing connection
  engine::link* shared = nullptr;
  // There may be very many connections: the flags use the window's padding.
  [[no_unique_address]] receive_window window;
  bool physical = false;
  bool intra_loop = false;     // joins two members of one loop
  bool needs_requests = false; // the sender may need bound requests
  bool no_more = false;
  bool done = false;    // the sender is done; it may still send at the last tag
  bool instant = false; // logical, without delay
  bool has_tag = false; // whether a value of `latest` has a tag and was not
                        // executed yet
  latest_values* latest = nullptr; // null if it does not keep the latest values
  node* fused = nullptr; // the sender, if its messages are queued here at once
  fifo<event> queue;     // the other messages
};

/// The sender's end of a connection. Tests: test/engine/flow_control_test.cpp.
struct out_connection {
  // The members that a message within a group needs are in one cache line.
  node* fused = nullptr; // the receiver, if messages are queued there at once
  input* port = nullptr; // the receiver's port, if `fused` is
                         // not null
  [[no_unique_address]] delay distance; // the next member uses its padding
  std::uint32_t target_index = 0;       // the receiver's incoming connection
  bool physical = false;
  bool intra_loop = false;
  bool remote = false;             // the receiver is in another process
  std::uint32_t number = 0;        // in the order of declaration
  channel_clock clock;             // starts with the last arrival
  std::uint32_t output = 0;        // the port's index
  std::uint32_t peer = 0;          // index into the sender's peers
  std::uint32_t target_input = 0;  // the receiver's port
  std::uint32_t target_member = 0; // inside a loop: the receiver's
  engine::link* shared = nullptr;
  latest_values* latest = nullptr; // see `in_connection`
  unsent_messages unsent;
  send_window window;
};

} // namespace caf::rosia::engine
