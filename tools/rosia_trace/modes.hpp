// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

namespace rosia_trace {

/// Returns whether an action is a mode.
bool is_mode(const run& state, index action);

/// Checks section 10.7 of the semantics: which mode of a node is active, and
/// what its modes suspend.
class modes {
public:
  explicit modes(run& state) : run_{state} {
    // nop
  }

  /// Makes the first mode of a node active.
  void start(index node);

  /// Checks that a restored node has an active mode.
  void require_active(index node);

  /// Restores a mode that was active before the checkpoint.
  void restore(index node, const event& x);

  /// Restores an event of a mode that was not active.
  void restore_suspended(index node, const event& x);

  /// Called when code enters a mode, which is scheduled for `due`.
  void request(index node, index mode, logical_time due);

  /// Called when a later call at the tag replaces one that enters a mode.
  void withdraw(index node, index mode, const event& x);

  /// Called when the node switches to a mode.
  void enter(index node, const event& x);

  /// Called when a mode is present.
  void present(index node, index mode);

  /// Checks that a member's mode is active. @param describe names the member
  /// and its use.
  template <class Fun>
  void require_in_mode(index node, std::optional<index> mode, Fun&& describe) {
    if (!mode)
      return;
    run_.rules.require(rule::modes, run_.nodes[node].mode == mode, [&] {
      return describe() + " while its mode " + run_.declared.action_name(*mode)
             + " is not active";
    });
  }

  /// Returns whether a reaction can run.
  bool runs(index node, index reaction) const;

  /// Returns whether a reaction to the last tag runs.
  bool runs_at_shutdown(index node, index reaction) const;

private:
  void suspend(index node, logical_time tag);

  /// Expects the suspended events of a mode again.
  void restore(index node, index mode, logical_time tag);

  /// Expects the ticks of a mode that is reset.
  void restart_ticks(index node, index mode, logical_time tag);

  /// Returns `node "b": mode "failed"`.
  std::string name(index node, index mode) const;

  run& run_;
};

} // namespace rosia_trace
