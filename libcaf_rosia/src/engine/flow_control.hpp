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

/// Bounds memory (section 4 of the semantics): back-pressure stops a sender
/// with too many messages in flight, and a receiver reports the messages that
/// it executed. This class does so for all connections of a node. Tests:
/// test/engine/flow_control_test.cpp.
class flow_control {
public:
  // -- at the sender ----------------------------------------------------------

  /// Counts a message that is about to be sent.
  void sent(const node_config& config, out_connection& connection,
            logical_time arrival) {
    auto& window = connection.window;
    if (window.full())
      update(config, connection);
    window.push(arrival);
    if (window.size() == config.max_in_flight)
      ++saturated_;
  }

  /// Stops counting, because the receiver joined the node's group, where its
  /// queue is visible.
  void fuse(const node_config& config, out_connection& connection);

  /// Counts again, because the receiver left the group.
  /// @param to the receiver's end of the connection.
  /// @param events the receiver's queued messages.
  void split(const node_config& config, out_connection& connection,
             const in_connection& to, const event_queue& events);

  /// Returns whether a receiver in the node's group must execute messages
  /// before this node may start `tag`.
  static bool holds_back_inside(const node_config& config, logical_time tag);

  /// Returns whether a receiver must execute messages before this node may
  /// start `tag`. If so, the receiver will wake this node.
  bool holds_back(node_config& config, logical_time tag) {
    return saturated_ != 0 && wait_for_receivers(config, tag);
  }

  /// Returns whether a connection is saturated, as far as is known.
  bool saturated() const noexcept {
    return saturated_ != 0;
  }

  /// Returns a connection whose receiver blocks `tag`; null if there is none.
  static const out_connection* blocking(
    const node_config& config, logical_time tag) noexcept;

  /// Returns whether it is time to request an ack from the receiver, which is
  /// in another process and may have executed enough messages.
  static bool needs_ack(const node_config& config,
                        const out_connection& connection) noexcept;

  /// Decides about requesting an ack.
  /// @param executed_below messages that arrive earlier are known to be
  ///   executed.
  /// @returns whether the last message must carry a request.
  bool request_ack(const node_config& config, out_connection& connection,
                   logical_time executed_below);

  // -- at the receiver --------------------------------------------------------

  /// Counts a message on an incoming connection as executed.
  static void executed(scratch& memory, in_connection& from,
                       std::uint32_t connection) {
    if (from.fused == nullptr && from.window.execute())
      memory.unreported.push_back(connection);
  }

  /// Publishes the executed messages to their senders, and wakes those that
  /// wait [4.20].
  static void report_executed(node_context& context);

private:
  bool wait_for_receivers(node_config& config, logical_time tag);

  void update(const node_config& config, out_connection& connection,
              logical_time executed_below = never);

  std::uint32_t saturated_ = 0; // the number of saturated connections
};

} // namespace caf::rosia::engine
