// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "runtime/timekeeper.hpp"

#include <atomic>
#include <cstddef>

namespace caf::rosia::detail {

/// Counts the nodes of this process that have not left. If there is no
/// coordinator to end the run, the last of them does. From any thread.
class exit_count {
public:
  /// @param time outlives it; its `finish` ends the run.
  explicit exit_count(timekeeper& time) noexcept : time_(&time) {
    // nop
  }

  /// Before the first node starts.
  void begin(std::size_t nodes) noexcept {
    alive_ = nodes;
  }

  /// A node has left, or its actor has vanished.
  void note_exit();

  /// No coordinator ends the run. @pre The run's status is set.
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
