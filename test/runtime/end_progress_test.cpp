// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/end_progress.hpp"

#include "catch.hpp"

using caf::rosia::detail::end_progress;

using namespace std::chrono_literals;

TEST_CASE("end_progress: an end is overdue after a grace period without "
          "progress [6.4]",
          "[runtime][6.4]") {
  end_progress progress{5s};
  CHECK(progress.pause() == 250ms);
  CHECK(progress.note(7));
  for (auto i = 1; i < 20; ++i) {
    CHECK_FALSE(progress.note(7));
    CHECK(progress.lack() == i * 250ms);
    CHECK_FALSE(progress.is_overdue());
  }
  SECTION("without progress") {
    CHECK_FALSE(progress.note(7));
    CHECK(progress.is_overdue());
  }
  SECTION("with the least progress") {
    CHECK(progress.note(8));
    CHECK(progress.lack() == 0s);
    CHECK_FALSE(progress.is_overdue());
  }
  SECTION("after a restart") {
    progress.restart();
    CHECK_FALSE(progress.note(7));
    CHECK_FALSE(progress.is_overdue());
  }
}

TEST_CASE("end_progress: several looks are needed, however short the grace "
          "period is",
          "[runtime]") {
  auto [grace_period, pause]
    = GENERATE(table<std::chrono::nanoseconds, std::chrono::nanoseconds>(
      {{0ns, 1ms}, {4ms, 1ms}, {80ms, 10ms}}));
  end_progress progress{grace_period};
  CHECK(progress.pause() == pause);
  progress.note(1);
  for (auto i = 1; i < 8; ++i) {
    progress.note(1);
    CHECK_FALSE(progress.is_overdue());
  }
  progress.note(1);
  CHECK(progress.is_overdue());
}
