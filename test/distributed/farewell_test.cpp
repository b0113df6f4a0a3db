// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/farewell.hpp"

#include "catch.hpp"

namespace farewell_test {

using caf::rosia::detail::farewell;

TEST_CASE(
  "the coordinator waits until all other processes are informed of the end",
  "[farewell]") {
  farewell x{3};
  auto calls = 0;
  x.await_others({1, 2}, [&] { ++calls; });
  x.note_over(1);
  CHECK(x.is_over(1));
  CHECK_FALSE(x.is_over(2));
  CHECK(calls == 0);
  x.note_over(2);
  x.note_over(2);
  CHECK(calls == 1);
}

TEST_CASE("without other processes, the wait ends at once", "[farewell]") {
  farewell x{3};
  x.note_over(1); // has exited
  auto calls = 0;
  x.await_others({}, [&] { ++calls; });
  CHECK(calls == 1);
}

TEST_CASE("a process that stops does not wait for other processes",
          "[farewell]") {
  farewell x{2};
  auto calls = 0;
  x.await_others({1}, [&] { ++calls; });
  x.stop_waiting();
  CHECK(calls == 1);
  x.note_over(1);
  CHECK(calls == 1);
}

TEST_CASE("a process waits until the coordinator released it", "[farewell]") {
  farewell x{2};
  auto calls = 0;
  x.await_coordinator([&] { ++calls; });
  CHECK(calls == 0);
  x.note_coordinator_end();
  x.note_coordinator_end();
  CHECK(calls == 1);
  x.await_coordinator([&] { ++calls; });
  CHECK(calls == 2); // it was released before
}

} // namespace farewell_test
