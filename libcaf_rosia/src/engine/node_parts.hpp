// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/bounds.hpp"
#include "engine/flow_control.hpp"
#include "engine/node_clock.hpp"
#include "engine/node_context.hpp"
#include "engine/outbox.hpp"

namespace caf::rosia::engine {

/// The parts of a node, except for those that act on them. The parts do not
/// know each other: each call passes what it needs. An application may have
/// very many nodes, and pointers would make up a fifth of an idle node. Tests:
/// test/engine.
struct node_parts : node_context {
  node_clock clock;
  engine::bounds bounds;
  [[no_unique_address]] engine::outbox outbox; // `flow` uses its padding
  flow_control flow;

  /// Notes that a watchdog was started or stopped, or that the final tag is
  /// another one.
  /// @pre There are watchdogs.
  void note_watchdogs() noexcept;

  /// Tells the recording, if there is one, before which tag it knows all stamps
  /// of the node. Called for a node with spacings, watchdogs or maximal waits.
  /// @pre The stamp log's mutex is locked.
  void await_stamps();
};

} // namespace caf::rosia::engine
