// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/remote_loop_table.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace caf::rosia::detail {

/// The last exchange of an application over several processes: the
/// coordinator's process waits until all others know that it is over, and each
/// of these waits for the coordinator's word.
class farewell {
public:
  using listener = std::function<void()>;

  /// @param processes how many there are.
  explicit farewell(std::size_t processes);

  // -- the coordinator's process ----------------------------------------------

  /// Whether a process knows that it is over, or is gone.
  bool is_over(engine::process_id process) const {
    return over_[process];
  }

  void note_over(engine::process_id process);

  /// Calls `then` once all of these know.
  void await_others(const std::vector<engine::process_id>& processes,
                    listener then);

  /// Calls what waits for the others, because they will not answer any more.
  void stop_waiting();

  // -- the others -------------------------------------------------------------

  /// The coordinator is through with this process, or gone.
  void note_coordinator_end();

  /// Calls `then` once the coordinator is through with this process.
  void await_coordinator(listener then);

private:
  std::vector<bool> over_;    // by process
  std::vector<bool> awaited_; // the same
  listener on_others_;
  bool coordinator_ended_ = false;
  listener on_coordinator_;
};

} // namespace caf::rosia::detail
