// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

namespace rosia_trace {

/// Checks the events that a node schedules: its ticks, those of its code, and
/// changes of its mode.
class scheduling {
public:
  explicit scheduling(run& state) : run_{state} {
    // nop
  }

  void schedule(index node, const event& x);

  void withdraw(index node, const event& x);

  /// Expects a tick at its first time from `tag` on, if there is one.
  void expect_tick(index node, index action, logical_time tag);

  /// Expects the events that a node's declarations schedule: each tick at its
  /// first time from `tag` on, and the first mode at the start.
  void expect_declared(index node, logical_time tag);

  /// Checks that code may schedule this action.
  void require_by_code(index action);

  /// Checks that no event scheduled before `tag` is pending.
  void require_none_passed(index node, logical_time tag);

private:
  run& run_;
};

} // namespace rosia_trace
