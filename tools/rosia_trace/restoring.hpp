// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

namespace rosia_trace {

/// Checks the state that a run takes from a checkpoint. Each node is restored
/// before it starts.
class restoring {
public:
  explicit restoring(run& state) : run_{state} {
    // nop
  }

  /// Begins a run that resumes from a checkpoint at this tag.
  void begin(logical_time tag);

  void node(index node, const event& x);

  /// Restores a message that was sent before the checkpoint and arrives after
  /// it.
  void message(index node, const event& x);

  /// Restores an event that was scheduled before the checkpoint.
  void pending_event(index node, const event& x);

  /// Restores a watchdog that ran at the checkpoint.
  void watchdog(index node, const event& x);

  /// Restores a mode that was active, or an event of a mode that was not.
  void mode(index node, const event& x);

private:
  void require_restorable(index node, const event& x);

  run& run_;
};

} // namespace rosia_trace
