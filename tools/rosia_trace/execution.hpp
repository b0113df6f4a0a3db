// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

namespace rosia_trace {

/// Checks section 3 of the semantics, a node at a tag: which tags a node
/// executes, and in which order it resumes, sets its inputs and reacts.
class execution {
public:
  explicit execution(run& state) : run_{state} {
    // nop
  }

  void start(index node);

  void execute(index node, const event& x);

  /// Called when a node continues to execute a tag after other nodes of its
  /// loop without delay.
  void go_on(index node, const event& x);

  void resume(index node, const event& x);

  void input(index node, const event& x);

  void action(index node, const event& x);

  void reaction(index node, const event& x);

  /// Leaves the node's current tag, at which everything must be done.
  void leave_tag(index node);

private:
  void startup(index node, index reaction, const event& x);

  void require_startups(index node);

  void begin_tag(index node, logical_time tag);

  /// Checks that a node may execute the last tag now.
  void require_last(index node, logical_time tag);

  /// Moves messages of the last tag from the queue to the connections, and
  /// awaits the reactions to it.
  void collect_last(index node);

  /// Moves a message to its connection, where it must be set now.
  void set_due(const pending_message& x);

  /// Moves messages with this arrival tag from the queue to the connections.
  void collect_due(index node, logical_time tag);

  /// Moves messages that other nodes of the node's loop without delay sent at
  /// the current tag.
  void take_instant(index node);

  /// Checks that an input of a node in a loop without delay is not set after a
  /// reaction that reads it.
  void require_unread(index node, index input);

  /// Checks that the messages are set that a reaction of a node in a loop
  /// without delay reads.
  void require_read_set(index node, index reaction);

  void require_inputs_set(index node);

  void require_actions_present(index node);

  void require_writes_complete(index node);

  bool is_missing(index output, index connection) const;

  void take_physical(index node);

  void set_waiting(index node, index connection, const event& x);

  void set_physical(index node, index connection, const event& x);

  void set_logical(index node, index connection, const event& x);

  void require_declared_order(index node, index input, index connection);

  void set_present(index node, index input);

  void set_present_action(index node, index action);

  void await(index node, index reaction);

  run& run_;
};

} // namespace rosia_trace
