// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

#include <optional>
#include <vector>

namespace rosia_trace {

/// Checks what nodes send: arrival tags, promises, and that no message is late.
class traffic {
public:
  explicit traffic(run& state) : run_{state} {
    // nop
  }

  void send(index node, const event& x);

  void promise(index node, const event& x);

private:
  void require_declared(index node, index output);

  void require_instant(index node, index connection);

  /// Returns whether the sender of a connection executes the last tag.
  bool sent_last(index connection) const;

  void write(index node, index output, index connection, const event& x);

  void send_logical(index connection, const event& x);

  void require_arrival(index connection, const event& x);

  void require_receivable(index connection, const event& x);

  run& run_;
};

/// Returns when a message sent at `tag` arrives: after the connection's delay,
/// or one microstep after the previous message if that is later.
logical_time expected_arrival(const declared_connection& declared,
                              const connection_state& state, logical_time tag);

/// Adds a message to a node's queue.
void push_pending(std::vector<pending_message>& queue, pending_message x);

/// Removes the message with the least arrival. @pre `!queue.empty()`.
pending_message pop_pending(std::vector<pending_message>& queue);

/// Returns the message of `connection` with the least arrival.
std::optional<pending_message> oldest_pending(
  const std::vector<pending_message>& queue, index connection);

} // namespace rosia_trace
