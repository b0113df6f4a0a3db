// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Programs of Lingua Franca's tests of deadlines and watchdogs, written anew.
// The tests are named after them, and expect the same values at the same tags.

#include "application/ported_nodes.hpp"

#include <chrono>
#include <thread>

namespace deadlines_test {

using rosia::test::harness;

namespace {

/// Reports for each value whether the reaction is late.
struct watched : rosia::node {
  explicit watched(std::chrono::nanoseconds x)
    : on_in{
      this, "on_in", {in}, rosia::deadline{x, [this] { late(true); }}, [this] {
        late(false);
      }} {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::output_port<bool> late{this, "late"};
  rosia::reaction on_in;
};

/// Sends a value at (0, 0), when some physical time has passed.
struct slow : rosia::node {
  rosia::output_port<int> out{this, "out"};

  void start() {
    while (elapsed() < 20ms)
      std::this_thread::yield();
    out(42);
  }
};

/// Works until its deadline, and schedules an action then.
struct anytime : rosia::node {
  rosia::tick t{this, "t", rosia::once};
  rosia::action<void> a{this, "a"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_t{this, "on_t", {t}, rosia::deadline{10ms}, [this] {
                         while (!deadline_missed())
                           ++steps;
                         a.schedule(rosia::microsteps(1));
                       }};
  rosia::reaction on_a{this, "on_a", {a}, [this] { out(42); }};
  int steps = 0;
};

/// Decreases its deadline.
struct decreasing : rosia::node {
  rosia::tick t{this, "t", 50ms};
  rosia::state<std::chrono::nanoseconds> limit{this, "limit", 100ms};
  rosia::output_port<bool> late{this, "late"};
  rosia::reaction on_t{
    this, "on_t", {t}, rosia::deadline{limit, [this] { late(true); }}, [this] {
      late(false);
      limit = 50ms;
    }};
};

/// Starts a watchdog a number of times, each time that it expires.
struct restarting : rosia::node {
  restarting(std::chrono::nanoseconds timeout, int n)
    : dog{this, "dog", timeout}, most(n) {
    // nop
  }

  rosia::watchdog dog;
  rosia::output_port<int> out{this, "out"};
  int count = 0;
  int most;

  void start() {
    dog.start();
  }

  rosia::reaction on_dog{
    this, "on_dog", {dog}, [this] {
      out(++count);
      if (count < most)
        dog.start();
    }};
};

/// Runs a reaction with a deadline of 10 ms behind a slow node.
record<bool> behind_a_slow_node() {
  test_system sys;
  rosia::application app{sys, real_time()};
  auto from = app.create<slow>("from");
  auto to = app.create<watched>("to", 10ms);
  auto print = app.create<recorder<bool>>("print");
  from[&slow::out] >>= to[&watched::in];
  to[&watched::late] >>= print[&recorder<bool>::in];
  REQUIRE(app.run() == 0);
  return print->got;
}

} // namespace

TEST_CASE("SimpleDeadline, DeadlineHandledAbove: the handler of a missed "
          "deadline sends a value",
          "[deadlines]") {
  CHECK(behind_a_slow_node() == record<bool>{{0s, true}});
}

TEST_CASE("Deadline: every second value is late", "[deadlines]") {
  harness<watched> h{1s};
  for (auto i = 0; i < 3; ++i) {
    h.lag(i % 2 == 0 ? 0ms : 1500ms);
    h.set(&watched::in, i * 3s, i);
    h.run_until(i * 3s);
  }
  CHECK(h.outputs(&watched::late)
        == record<bool>{{0s, false}, {3s, true}, {6s, false}});
}

TEST_CASE("DeadlineZero: a deadline of zero is always missed", "[deadlines]") {
  harness<watched> h{0ms};
  for (auto t = 0ms; t <= 1s; t += 100ms)
    h.set(&watched::in, t, 0);
  h.run();
  CHECK(h.values(&watched::late) == std::vector<bool>(11, true));
}

TEST_CASE("DeadlineAnytime: a reaction works until its deadline",
          "[deadlines]") {
  harness<anytime> h;
  h.run();
  CHECK(h->steps > 0);
  CHECK(h.outputs(&anytime::out) == record<int>{{at(0s, 1), 42}});
}

TEST_CASE("DeadlineUpdateDecrease: a reaction decreases its deadline",
          "[deadlines]") {
  harness<decreasing> h;
  h.lag(60ms);
  h.run_until(50ms);
  CHECK(
    h.outputs(&decreasing::late) == record<bool>{{0s, false}, {50ms, true}});
}

TEST_CASE("WatchdogBank, WatchdogMultiple: each watchdog of a bank expires at "
          "its tag",
          "[deadlines]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  auto dogs = app.create_bank<restarting>("w", 3, 10ms, 1);
  auto print = app.create_bank<recorder<int>>("print", 3);
  dogs[&restarting::out] >>= print[&recorder<int>::in];
  REQUIRE(app.run() == 0);
  for (auto& x : print)
    CHECK(x->got == record<int>{{10ms, 1}});
}

TEST_CASE("WatchdogRestartTerminated: a watchdog starts again and again",
          "[deadlines]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  auto dog = app.create<restarting>("w", 1ms, 10);
  auto print = app.create<recorder<int>>("print");
  dog[&restarting::out] >>= print[&recorder<int>::in];
  REQUIRE(app.run() == 0);
  record<int> expected;
  for (auto i = 1; i <= 10; ++i)
    expected.emplace_back(i * 1ms, i);
  CHECK(print->got == expected);
}

} // namespace deadlines_test
