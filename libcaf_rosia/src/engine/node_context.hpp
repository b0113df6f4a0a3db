// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/body.hpp"
#include "engine/checkpointing.hpp"
#include "engine/event_queue.hpp"
#include "engine/host.hpp"
#include "engine/node_config.hpp"
#include "engine/scratch.hpp"
#include "engine/tracer.hpp"

#include <cstdint>
#include <memory>

namespace caf::rosia::engine {

class group;

/// The common data of a node's parts, at an address that does not change. The
/// data for each message is first, so that it is in few cache lines. Tests:
/// test/engine.
struct node_context {
  engine::body* code = nullptr;
  engine::host* host = nullptr;
  engine::tracer* trace = nullptr; // null if there is no trace

  /// Null while the node is not called.
  engine::scratch* scratch = nullptr;

  /// The group of the node; null if the node is alone.
  engine::group* group = nullptr;

  /// The node's seat in the group.
  std::uint32_t seat = 0;

  /// Null if no checkpoints are taken.
  std::unique_ptr<checkpointing> checkpoints;

  event_queue events;

  node_config config;

  /// Tells the node's group that an event was withdrawn: the next one may be
  /// later than the group knows.
  void forget_next_tag();

  /// Wakes the other nodes in the scratch's list, which is empty then.
  void wake_listed() {
    // A wake may lead to calls that want to add to the list.
    for (auto id : scratch->wake)
      if (id != config.id)
        host->wake(id);
    scratch->wake.clear();
  }
};

} // namespace caf::rosia::engine
