// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/remote_loop_table.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace caf::rosia::detail {

/// The last exchange of a distributed application. The coordinator's process
/// waits until all other processes know about the end. Each of these waits
/// until the coordinator releases it. Tests:
/// test/distributed/farewell_test.cpp.
class farewell {
public:
  using listener = std::function<void()>;

  /// @param processes the number of processes.
  explicit farewell(std::size_t processes);

  // -- the coordinator's process ----------------------------------------------

  /// Returns whether a process knows about the end, or was lost.
  bool is_over(engine::process_id process) const {
    return over_[process];
  }

  void note_over(engine::process_id process);

  /// Calls `then` when all of these processes know about the end.
  void await_others(const std::vector<engine::process_id>& processes,
                    listener then);

  /// Calls the waiting function, because the missing processes will not answer.
  void stop_waiting();

  // -- the other processes ----------------------------------------------------

  /// Notes that the coordinator released this process, or was lost.
  void note_coordinator_end();

  /// Calls `then` when the coordinator releases this process, or is lost.
  void await_coordinator(listener then);

private:
  std::vector<bool> over_;    // by process
  std::vector<bool> awaited_; // by process
  listener on_others_;
  bool coordinator_ended_ = false;
  listener on_coordinator_;
};

} // namespace caf::rosia::detail
