// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/report.hpp"
#include "engine/snapshot.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace caf::rosia::detail {

/// The state of an application's nodes at one moment, as far as it can be
/// obtained. The thread that may run a node adds the node's state. All members
/// may be called from any thread. Tests: test/runtime/status_service_test.cpp.
class observation {
public:
  /// @param stages the stages of all nodes.
  explicit observation(std::vector<node_stage> stages);

  /// Stores the state of a node, unless there is one already.
  void put(engine::node_id node, engine::snapshot&& x);

  /// Returns whether the state of a node is known.
  bool knows(engine::node_id node) const;

  /// Waits until all nodes are known, but no longer than `limit`.
  void wait(std::chrono::milliseconds limit);

  /// Calls `fun(id, stage, state)` for each node. The state is null if it is
  /// not known.
  template <class Fun>
  void each(Fun&& fun) const {
    std::lock_guard guard{mutex_};
    for (engine::node_id i = 0; i < stages_.size(); ++i)
      fun(i, stages_[i], states_[i].get());
  }

private:
  std::vector<node_stage> stages_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<engine::snapshot>> states_;
  std::size_t known_ = 0;
};

} // namespace caf::rosia::detail
