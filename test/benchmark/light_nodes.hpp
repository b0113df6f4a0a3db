// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/node.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/task.hpp"

#include <chrono>

// The ends of graphs with light nodes.

namespace bench {

/// Writes a number of values, one after the other.
struct ticker : caf::rosia::node {
  explicit ticker(int n,
                  std::chrono::nanoseconds apart = std::chrono::microseconds{1})
    : rounds(n), period(apart) {
    // nop
  }

  caf::rosia::output_port<int> out{this, "out"};
  int rounds;
  std::chrono::nanoseconds period;

  caf::rosia::task start() {
    for (auto i = 0; i < rounds; ++i) {
      out(i);
      co_await caf::rosia::after(period);
    }
  }
};

/// Adds up its values.
struct summing_sink : caf::rosia::node {
  caf::rosia::input_port<int> in{this, "in"};
  long sum = 0;

  caf::rosia::reaction on_in{
    this, "on_in", {in}, [this] {
      for (auto& x : in.all())
        sum += x;
    }};
};

} // namespace bench
