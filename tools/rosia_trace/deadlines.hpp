// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

namespace rosia_trace {

/// Checks section 10.3 of the semantics: which reactions miss their deadlines.
class deadlines {
public:
  explicit deadlines(run& state) : run_{state} {
    // nop
  }

  /// Called when a reaction misses its deadline.
  void missed(index node, const event& x);

  /// Called when a piece of code ends.
  void ran(index node, const event& x);

private:
  /// Checks the times of a reaction with a deadline that ends.
  void require_deadline(index node, index reaction, const event& x);

  run& run_;
};

} // namespace rosia_trace
