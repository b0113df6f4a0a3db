// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_handle.hpp"
#include "caf/rosia/detail/node_id.hpp"

#include <mutex>
#include <unordered_map>

namespace caf::rosia::detail {

class run_context;

/// The actors of a run's nodes. An actor is created on demand, because most
/// nodes never need one. May be called from any thread. Tests:
/// test/runtime/node_actor_test.cpp, test/application/interop_test.cpp.
class node_mailboxes {
public:
  node_mailboxes();

  ~node_mailboxes();

  /// Allows the creation of actors. Called when the nodes have executors.
  void open(run_context& run);

  /// Returns the actor of a node. After the node's exit, it is an actor that
  /// ended. Returns an invalid handle if another process runs the node, and
  /// before and after the run.
  node_handle get(engine::node_id id);

  /// Returns the actor of a node, or an invalid handle if there is none.
  node_handle find(engine::node_id id) const;

  /// Releases all actors, because they keep the run alive.
  void close();

private:
  mutable std::mutex mutex_;   // protects the members below
  run_context* run_ = nullptr; // while it is open
  std::unordered_map<engine::node_id, node_handle> handles_;
};

} // namespace caf::rosia::detail
