// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

namespace rosia_trace {

/// Checks section 10.10 of the semantics: the values of connections with a
/// maximal wait, which are in time or tardy.
class max_waits {
public:
  explicit max_waits(run& state) : run_{state} {
    // nop
  }

  /// Called when a value is sent to a receiver that has not ended.
  void send(index connection, const event& x);

  /// Called when a value is found to be tardy.
  void tardy(index node, const event& x);

  /// Called when a value is set.
  /// @returns whether it is tardy.
  bool set(index node, index connection, const event& x);

  /// Checks that all tardy values for the current tag are present.
  void require_present(index node);

  /// Checks that a node that ends has nothing left up to `last`.
  void require_none_left(index node, logical_time last);

private:
  /// Checks that all tardy values up to `last` were set.
  void require_set(index node, logical_time last);

  /// Returns the value that arrives at a tag, and removes it from those that
  /// are on their way.
  /// @param verb what happens to it.
  sent_value take(index node, index connection, logical_time arrival,
                  const char* verb);

  run& run_;
};

} // namespace rosia_trace
