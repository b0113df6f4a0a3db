// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

namespace caf::rosia::engine {

/// The bounds of the promises of all outputs of a node. Tests:
/// test/engine/outbox_test.cpp.
struct promise_basis {
  /// The bound from queued events and STAT.
  logical_time events;

  /// The bound that includes elapsed time [3.16].
  logical_time bound;

  /// Whether elapsed time is included.
  bool physical = false;

  /// Whether promises of the node's code are included.
  bool by_code = false;
};

} // namespace caf::rosia::engine
