// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/interruptible_pause.hpp"

#include "catch.hpp"

#include <chrono>
#include <thread>

namespace interruptible_pause_test {

using caf::rosia::detail::interruptible_pause;
using namespace std::chrono_literals;

namespace {

// Longer than a test may take, so that waiting for it is a hang.
constexpr auto too_long = 1h;

std::chrono::steady_clock::time_point too_late() {
  return std::chrono::steady_clock::now() + too_long;
}

} // namespace

TEST_CASE("a pause ends by itself", "[interruptible_pause]") {
  interruptible_pause x;
  x.wait_for(1ms);
  x.wait_until(std::chrono::steady_clock::now() + 1ms);
  CHECK(x.signal() == 0);
}

TEST_CASE("a signal ends pauses early, before and during the pause",
          "[interruptible_pause]") {
  interruptible_pause x;
  std::jthread other{[&] { x.note_signal(15); }};
  x.wait_for(too_long);
  x.wait_until(too_late());
  CHECK(x.signal() == 15);
}

TEST_CASE("hurry ends the wait for a time early", "[interruptible_pause]") {
  interruptible_pause x;
  std::jthread other{[&] { x.hurry(); }};
  x.wait_until(too_late());
  x.wait_for(1ms);
  CHECK(x.signal() == 0);
}

} // namespace interruptible_pause_test
