// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/thread_usage.hpp"

#include "catch.hpp"

namespace thread_usage_test {

using caf::rosia::detail::thread_usage;

TEST_CASE("the execution time of a thread grows between ticks of the kernel") {
  auto last = thread_usage::now().cpu;
  for (auto i = 0; i < 100; ++i) {
    auto now = thread_usage::now().cpu;
    CHECK(now > last);
    last = now;
  }
}

} // namespace thread_usage_test
