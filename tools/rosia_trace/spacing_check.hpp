// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

namespace rosia_trace {

/// Checks section 10.5 of the semantics: the spacing of actions. If a run
/// resumes, the tags of earlier events that are not pending are unknown.
class spacing_check {
public:
  explicit spacing_check(run& state) : run_{state} {
    // nop
  }

  /// Restores an event that was scheduled before the checkpoint.
  void restore(index action, logical_time due);

  /// Called when an event is scheduled.
  void schedule(index node, index action, logical_time due);

  /// Called when an event is withdrawn.
  void withdraw(index node, const event& x);

  /// Called when a value from outside is present.
  void input(index node, index input, logical_time tag);

private:
  /// Checks and notes the tag of a new event.
  /// @param name of the node and its action.
  template <class Fun>
  void add(const declared_spacing& declared, spacing_state& state,
           logical_time tag, Fun&& name);

  run& run_;
};

} // namespace rosia_trace
