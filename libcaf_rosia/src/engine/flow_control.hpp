// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/connection.hpp"
#include "engine/event_queue.hpp"
#include "engine/node_config.hpp"
#include "engine/node_context.hpp"

#include <cstdint>

namespace caf::rosia::engine {

/// Bounded memory, in section 4 of the semantics: back-pressure holds a sender
/// that has too many messages in flight, and a receiver tells what it has
/// executed. This is what a node does about it for all of its connections.
class flow_control {
public:
  // -- at the sender ----------------------------------------------------------

  /// Counts a message that is about to leave.
  void sent(const node_config& config, out_connection& connection,
            logical_time arrival) {
    auto& window = connection.window;
    if (window.full())
      update(config, connection);
    window.push(arrival);
    if (window.size() == config.max_in_flight)
      ++saturated_;
  }

  /// The receiver of a connection has joined the node's group, where it can be
  /// seen what it has queued.
  void fuse(const node_config& config, out_connection& connection);

  /// It has left the group. @param to its end of the connection. @param events
  ///        what it has still to execute.
  void split(const node_config& config, out_connection& connection,
             const in_connection& to, const event_queue& events);

  /// Tells whether a receiver in the node's group has to execute something
  /// before this node may start `tag`.
  static bool holds_back_inside(const node_config& config, logical_time tag);

  /// Tells whether a receiver has to execute something before this node may
  /// start `tag`. The receiver wakes this node then.
  bool holds_back(node_config& config, logical_time tag) {
    return saturated_ != 0 && wait_for_receivers(config, tag);
  }

  /// Tells whether a connection holds as much as it may, as far as is known.
  bool saturated() const noexcept {
    return saturated_ != 0;
  }

  /// A connection whose receiver holds back `tag`; null if there is none.
  static const out_connection* blocking(
    const node_config& config, logical_time tag) noexcept;

  /// Tells whether the receiver in another process may have executed so much
  /// that it is time to request an ack.
  static bool needs_ack(const node_config& config,
                        const out_connection& connection) noexcept;

  /// Requests one, if that is not known. @param executed_below what arrives
  ///        earlier is known to be executed.
  /// @returns whether the last message has to carry a request.
  bool request_ack(const node_config& config, out_connection& connection,
                   logical_time executed_below);

  // -- at the receiver --------------------------------------------------------

  /// Counts a message on an incoming connection as executed.
  static void executed(scratch& memory, in_connection& from,
                       std::uint32_t connection) {
    if (from.fused == nullptr && from.window.execute())
      memory.unreported.push_back(connection);
  }

  /// Lets the senders see what was executed, and wakes those that wait for it.
  static void report_executed(node_context& context);

private:
  bool wait_for_receivers(node_config& config, logical_time tag);

  void update(const node_config& config, out_connection& connection,
              logical_time executed_below = never);

  std::uint32_t saturated_ = 0; // connections that hold as much as they may
};

} // namespace caf::rosia::engine
