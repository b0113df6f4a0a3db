// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/node.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/task.hpp"

#include <chrono>

namespace caf::rosia {

/// A node that sends its tag at `offset`, and then every `period`.
class timer : public node {
public:
  /// @throws graph_error unless the period is positive, and the offset not
  ///         negative.
  explicit timer(std::chrono::nanoseconds period,
                 std::chrono::nanoseconds offset = {});

  output_port<logical_time> output{this, "output"};

  task start();

private:
  std::chrono::nanoseconds period_;
  std::chrono::nanoseconds offset_;
};

} // namespace caf::rosia
