// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "trace/random_trace.hpp"

#include "catch.hpp"
#include "rosia_trace/checker.hpp"

namespace random_trace_test {

using namespace trace_test;

TEST_CASE("random valid traces keep all rules", "[trace]") {
  random_features seen;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    INFO("seed " << seed);
    random_features features;
    require_good(random_trace(seed, &features));
    seen.by_itself |= features.by_itself;
    seen.by_request |= features.by_request;
    seen.two_rounds |= features.two_rounds;
    seen.stop_after |= features.stop_after;
    seen.by_abort |= features.by_abort;
    seen.loop |= features.loop;
    seen.outside |= features.outside;
    seen.physical |= features.physical;
    seen.done_before_final |= features.done_before_final;
  }
  CHECK(seen.by_itself);
  CHECK(seen.by_request);
  CHECK(seen.two_rounds);
  CHECK(seen.stop_after);
  CHECK(seen.by_abort);
  CHECK(seen.loop);
  CHECK(seen.outside);
  CHECK(seen.physical);
  CHECK(seen.done_before_final);
}

} // namespace random_trace_test
