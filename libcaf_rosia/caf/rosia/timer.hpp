// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/action.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/state.hpp"
#include "caf/rosia/time_span.hpp"

namespace caf::rosia {

/// A node that sends its tag at `offset`, and then every `period`.
class timer : public node, stateless<timer> {
public:
  /// @throws graph_error if the period is not positive, or the offset is
  /// negative.
  explicit timer(time_span period, time_span offset = {});

  output_port<logical_time> output;

  void start();

private:
  void send();

  time_span period_;
  time_span offset_;
  action<void> next_;
  reaction on_next_;
};

} // namespace caf::rosia
