// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "runtime/timekeeper.hpp"

#include <atomic>
#include <cstddef>

namespace caf::rosia::detail {

/// Counts the running nodes of this process. Without a coordinator, the exit of
/// the last one ends the run. May be called from any thread. Tests:
/// test/runtime/exit_count_test.cpp.
class exit_count {
public:
  /// @param time must outlive this object; its `finish` ends the run.
  explicit exit_count(timekeeper& time) noexcept : time_(&time) {
    // nop
  }

  /// Sets the number of nodes. Called before the first node starts.
  void begin(std::size_t nodes) noexcept {
    alive_ = nodes;
  }

  /// Notes the exit of a node, or the loss of its actor.
  void note_exit();

  /// Notes that no coordinator ends the run. @pre The run's status is set.
  void orphan() noexcept {
    orphaned_ = true;
  }

  bool is_orphaned() const noexcept {
    return orphaned_;
  }

  bool all_have_left() const noexcept {
    return alive_ == 0;
  }

  /// Ends the run if all nodes have left and no coordinator ends it.
  void finish_orphan();

private:
  timekeeper* time_;
  std::atomic<std::size_t> alive_{0};
  std::atomic<bool> orphaned_{false};
};

} // namespace caf::rosia::detail
