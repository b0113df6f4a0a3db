// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_stages.hpp"

#include "catch.hpp"

#include <vector>

namespace node_stages_test {

using caf::rosia::node_stage;
using caf::rosia::detail::node_stages;

TEST_CASE("nodes begin before the start, and advance one by one",
          "[node_stages]") {
  node_stages stages{2};
  CHECK(stages.get(0) == node_stage::not_started);
  stages.set_all(node_stage::running);
  stages.set(1, node_stage::asked);
  CHECK(stages.copy() == std::vector{node_stage::running, node_stage::asked});
  CHECK_FALSE(stages.has_left(1));
}

TEST_CASE("nothing follows after a node left, vanished, or is lost",
          "[node_stages]") {
  auto last
    = GENERATE(node_stage::left, node_stage::vanished, node_stage::lost);
  node_stages stages{1};
  stages.set(0, last);
  CHECK(stages.has_left(0));
  stages.set(0, node_stage::aborted);
  stages.set_all(node_stage::running);
  CHECK(stages.get(0) == last);
}

} // namespace node_stages_test
