// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "runtime/exit_count.hpp"
#include "runtime/lag_lines.hpp"
#include "runtime/node_stages.hpp"
#include "runtime/observation.hpp"
#include "runtime/timekeeper.hpp"
#include "runtime/unexecuted_values.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace caf::rosia::detail {

/// The progress of an application's nodes. Tests: test/application.
struct run_progress {
  run_progress(std::size_t nodes, timekeeper& time)
    : stages(nodes), exits(time) {
    // nop
  }

  node_stages stages;

  exit_count exits;

  /// The counts of values beyond the final tag, which are not executed.
  unexecuted_values unexecuted;

  /// The warnings of nodes that lag.
  lag_lines lags;

  /// Returns the state of the nodes before an abort; null if there was none.
  /// From any thread.
  std::shared_ptr<observation> last_look() const {
    std::lock_guard guard{mutex_};
    return last_look_;
  }

  /// Sets that state. Called before the nodes are aborted.
  void last_look(std::shared_ptr<observation> x) {
    std::lock_guard guard{mutex_};
    last_look_ = std::move(x);
  }

private:
  mutable std::mutex mutex_; // protects the member below
  std::shared_ptr<observation> last_look_;
};

} // namespace caf::rosia::detail
