// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

namespace rosia_trace {

/// Returns whether an action is a watchdog.
bool is_watchdog(const run& state, index action);

/// Checks section 10.8 of the semantics: when watchdogs expire.
class watchdogs {
public:
  explicit watchdogs(run& state) : run_{state} {
    // nop
  }

  /// Called when code starts or stops a watchdog.
  void set(index node, const event& x);

  /// Called when a watchdog expires.
  void expire(index node, const event& x);

  /// Restores a watchdog that ran at the checkpoint.
  void restore(index node, const event& x);

  /// Restores an expiry that was not present up to the checkpoint.
  void restore_expiry(index node, index action, const event& x);

  /// Called when a watchdog is present.
  void present(index node, index action, const event& x);

  /// Checks that what has expired for the current tag is present.
  void require_present(index node);

  /// Checks that a node that ends has nothing left up to `last`.
  void require_none_left(index node, logical_time last);

  /// Checks that a node that is done has no watchdog that runs.
  void require_none_runs(index node);

private:
  index find(index node, const event& x);

  /// Returns `node "b": watchdog "dog"`.
  std::string name(index node, index action) const;

  run& run_;
};

} // namespace rosia_trace
