// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Programs of Lingua Franca's tests of actions with a minimum spacing, written
// anew. The tests are named after them, and expect the same values at the same
// tags.

#include "application/ported_nodes.hpp"

namespace policies_test {

using rosia::spacing;
using rosia::spacing_policy;
using rosia::test::harness;
using enum rosia::spacing_policy;

namespace {

/// Schedules an action with a spacing of 300 ms every 100 ms.
struct often : rosia::node {
  explicit often(spacing_policy policy, std::chrono::nanoseconds delay = 1ms,
                 int n = 1'000)
    : a{this, "a", spacing{300ms, policy}}, distance(delay), most(n) {
    // nop
  }

  rosia::tick t{this, "t", 100ms};
  rosia::action<int> a;
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_t{this, "on_t", {t}, [this] {
                         if (count < most)
                           a.schedule(distance, count++);
                       }};
  rosia::reaction on_a{this, "on_a", {a}, [this] { out(*a); }};

  std::chrono::nanoseconds distance;
  int most;
  int count = 0;
};

/// Schedules two events at one tag, every second.
struct twice : rosia::node {
  explicit twice(spacing_policy policy) : a{this, "a", spacing{0ms, policy}} {
    // nop
  }

  rosia::tick t{this, "t", 1s};
  rosia::action<int> a;
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_t{this, "on_t", {t}, [this] {
                         a.schedule(100ms, count++);
                         a.schedule(100ms, count++);
                       }};
  rosia::reaction on_a{this, "on_a", {a}, [this] { out(*a); }};

  int count = 0;
};

/// Sends the values of a physical action with a delay and a spacing.
struct called : rosia::node {
  explicit called(spacing_policy policy)
    : a{this, "a", spacing{100ms, policy}, rosia::after(100ms)} {
    // nop
  }

  rosia::physical_action<int> a;
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_a{this, "on_a", {a}, [this] { out(*a); }};
};

/// Calls it in pairs, every 200 ms.
record<int> called_in_pairs(spacing_policy policy) {
  harness<called> h{policy};
  for (auto t = 100ms; t < 500ms; t += 200ms) {
    h.schedule(&called::a, t, 0);
    h.schedule(&called::a, t + 1ms, 1);
  }
  h.run_until(1s);
  return h.outputs(&called::out);
}

record<int> until_a_second(spacing_policy policy) {
  harness<often> h{policy};
  h.run_until(1s);
  return h.outputs(&often::out);
}

record<int> scheduled_twice(spacing_policy policy) {
  harness<twice> h{policy};
  h.run_until(2s);
  return h.outputs(&twice::out);
}

} // namespace

TEST_CASE("LastTimeDefer: all events occur, at their distance", "[policies]") {
  CHECK(until_a_second(defer)
        == record<int>{{1ms, 0}, {301ms, 1}, {601ms, 2}, {901ms, 3}});
}

TEST_CASE("LastTimeDrop: events that are too early are omitted", "[policies]") {
  CHECK(until_a_second(drop)
        == record<int>{{1ms, 0}, {301ms, 3}, {601ms, 6}, {901ms, 9}});
}

TEST_CASE("LastTimeReplace: a pending event gets the last value",
          "[policies]") {
  CHECK(until_a_second(replace)
        == record<int>{{1ms, 0}, {301ms, 3}, {601ms, 6}, {901ms, 9}});
}

TEST_CASE("LastTimeUpdate: a pending event gets the last tag and value",
          "[policies]") {
  harness<often> h{update, 101ms, 3};
  h.run_until(600ms);
  CHECK(h.outputs(&often::out) == record<int>{{301ms, 2}});
}

TEST_CASE("DelayedActionDuplicate: two events for one tag", "[policies]") {
  CHECK(scheduled_twice(defer)
        == record<int>{
          {100ms, 0}, {at(100ms, 1), 1}, {1100ms, 2}, {at(1100ms, 1), 3}});
  CHECK(scheduled_twice(drop) == record<int>{{100ms, 0}, {1100ms, 2}});
  CHECK(scheduled_twice(replace) == record<int>{{100ms, 1}, {1100ms, 3}});
}

TEST_CASE("AsyncCallbackDrop: the second of two calls is omitted",
          "[policies]") {
  CHECK(called_in_pairs(drop) == record<int>{{200ms, 0}, {400ms, 0}});
}

TEST_CASE("AsyncCallbackReplace: the second of two calls replaces the value",
          "[policies]") {
  CHECK(called_in_pairs(replace) == record<int>{{200ms, 1}, {400ms, 1}});
}

TEST_CASE("AsyncCallbackUpdate: the second of two calls takes the place of the "
          "first",
          "[policies]") {
  CHECK(called_in_pairs(update) == record<int>{{201ms, 1}, {401ms, 1}});
}

} // namespace policies_test
