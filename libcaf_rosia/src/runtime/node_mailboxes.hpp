// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_handle.hpp"
#include "caf/rosia/detail/node_id.hpp"

#include <mutex>
#include <unordered_map>

namespace caf::rosia::detail {

class run_context;

/// The actors of a run's nodes: most nodes never need one, so each is made when
/// somebody asks for it. From any thread.
class node_mailboxes {
public:
  node_mailboxes();

  ~node_mailboxes();

  /// The nodes have executors: from here on there are actors.
  void open(run_context& run);

  /// The actor of a node, which has ended if the node has left; invalid if
  /// another process runs the node, and before and after the run.
  node_handle get(engine::node_id id);

  /// The actor of a node if there is one. Null else.
  node_handle find(engine::node_id id) const;

  /// Lets go of all of them, which keep the run.
  void close();

private:
  mutable std::mutex mutex_;   // of what follows
  run_context* run_ = nullptr; // while it is open
  std::unordered_map<engine::node_id, node_handle> handles_;
};

} // namespace caf::rosia::detail
