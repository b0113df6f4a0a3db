// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/fifo.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace caf::rosia::engine {

/// The state that both ends of a connection within one process share. One end
/// writes, the other reads; each field except `paused` has one writer.
struct alignas(64) link {
  /// How many messages the receiver has executed, or taken in and dropped.
  std::atomic<std::uint64_t> executed{0};

  /// Physical connections: how many values wait to be executed.
  std::atomic<std::uint32_t> waiting{0};

  /// Back-pressure holds the sender until `executed` grows. The thread that
  /// resets the flag wakes the sender.
  std::atomic<bool> paused{false};

  /// The receiver has left: further messages have no effect.
  std::atomic<bool> gone{false};
};

/// A message on a connection, or against its direction (`bound_request`).
struct envelope {
  enum class kind : std::uint8_t {
    /// A value that arrives at `tag`; `promise` travels with it.
    data,
    /// A null message: nothing arrives before `promise`.
    promise,
    /// The sender will send nothing more.
    no_more,
    /// A value of a physical connection: its receiver stamps it.
    physical,
    /// A value from outside of the application for a physical input; the
    /// receiver stamps it. `connection` is the input's index.
    injected,
    /// A value for a trigger; `connection` is the reaction's index.
    trigger,
    /// A bound request: the receiver of a connection needs a promise greater
    /// than `tag`. `connection` is the index of the sender's outgoing
    /// connection.
    bound_request,
  };

  kind what = kind::data;
  std::uint32_t connection = 0; // the receiver's index of the connection
  logical_time tag = never;
  logical_time promise = never;
  value_ptr content;

  /// The sender in another process requests an ack once the messages up to this
  /// one are executed.
  bool ack_request = false;
};

/// A queued value.
struct event {
  logical_time tag = never;
  value_ptr content;
};

/// The receiver's end of a connection.
struct in_connection {
  std::uint32_t number = 0;       // in the order of declaration
  std::uint32_t input = 0;        // the port's index
  node_id source = 0;             // the sender
  std::uint32_t source_index = 0; // the sender's outgoing connection
  engine::link* shared = nullptr;
  bool physical = false;
  bool intra_loop = false;     // joins two members of one loop
  bool needs_requests = false; // the sender may need bound requests
  bool no_more = false;
  bool reported = true;       // `shared->executed` is up to date
  logical_time asked = never; // the pending bound request, if any
  std::uint64_t executed = 0;
  fifo<event> queue;
};

/// The sender's end of a connection.
struct out_connection {
  std::uint32_t number = 0;        // in the order of declaration
  std::uint32_t output = 0;        // the port's index
  std::uint32_t peer = 0;          // index into the sender's peers
  std::uint32_t target_index = 0;  // the receiver's incoming connection
  std::uint32_t target_input = 0;  // the receiver's port
  std::uint32_t target_member = 0; // inside a loop: the receiver's
  delay distance;
  engine::link* shared = nullptr;
  bool physical = false;
  bool intra_loop = false;
  bool remote = false;                // the receiver is in another process
  logical_time last = never;          // the last arrival tag
  logical_time announced{};           // the last promise
  logical_time base = never;          // what that promise was computed from
  logical_time asked = forever;       // the receiver waits for more than this
  std::uint32_t pending = 0;          // 1 + index of its last unsent envelope
  logical_time first_pending = never; // the arrival of its first unsent one
  std::uint64_t executed = 0;         // as last seen
  fifo<logical_time> in_flight;       // arrivals that were not executed then
  std::uint64_t ack_requests = 0;     // the last message with one
};

/// The number of messages after which the sender of a connection to another
/// process requests an ack, at least, and its receiver sends one. With a
/// greater distance at the receiver, a saturated sender would wait in vain.
constexpr std::uint32_t ack_distance(std::uint32_t max_in_flight) noexcept {
  return std::max(max_in_flight / 4, 1u);
}

} // namespace caf::rosia::engine
