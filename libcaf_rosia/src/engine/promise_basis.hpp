// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

namespace caf::rosia::engine {

/// What bounds the promises of all outputs of a node.
struct promise_basis {
  /// By what is queued, and by STAT.
  logical_time events;

  /// By elapsed time, too.
  logical_time bound;

  /// Tells whether elapsed time counts.
  bool physical = false;

  /// Tells whether what the node's code has promised counts.
  bool by_code = false;
};

} // namespace caf::rosia::engine
