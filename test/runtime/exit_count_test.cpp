// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/exit_count.hpp"

#include "catch.hpp"

#include <functional>

namespace exit_count_test {

using caf::rosia::signal_behavior;
using caf::rosia::detail::exit_count;
using caf::rosia::detail::signal_watch;
using caf::rosia::detail::timekeeper;

namespace {

/// Returns whether `fun` ends the run. Otherwise this function ends it.
bool ends_run(const std::function<void(exit_count&)>& fun) {
  timekeeper time;
  exit_count exits{time};
  auto by_itself = true;
  time.start();
  signal_watch signals{signal_behavior::none, time.descriptor()};
  time.run(
    {[&] {
       fun(exits);
       // Not called if the run ended before.
       time.call_at(0, [&] {
         by_itself = false;
         time.finish();
       });
     },
     [](auto) {}, [](auto, auto) {}, [] {}},
    signals);
  return by_itself;
}

} // namespace

TEST_CASE("the coordinator ends the run, not the last node", "[exit_count]") {
  CHECK_FALSE(ends_run([](exit_count& exits) {
    exits.begin(1);
    exits.note_exit();
    CHECK(exits.all_have_left());
    exits.finish_orphan();
  }));
}

TEST_CASE("without a coordinator the last node ends the run", "[exit_count]") {
  CHECK(ends_run([](exit_count& exits) {
    exits.begin(2);
    exits.note_exit();
    CHECK_FALSE(exits.is_orphaned());
    exits.orphan();
    CHECK(exits.is_orphaned());
    CHECK_FALSE(exits.all_have_left());
    exits.note_exit();
  }));
}

TEST_CASE("a process without a coordinator waits for its nodes",
          "[exit_count]") {
  CHECK_FALSE(ends_run([](exit_count& exits) {
    exits.begin(2);
    exits.note_exit();
    exits.orphan();
    exits.finish_orphan();
  }));
}

TEST_CASE("the run ends if all nodes left before the coordinator did",
          "[exit_count]") {
  CHECK(ends_run([](exit_count& exits) {
    exits.begin(1);
    exits.note_exit();
    exits.orphan();
    exits.finish_orphan();
  }));
}

} // namespace exit_count_test
