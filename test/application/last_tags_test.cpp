// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Programs of Lingua Franca's tests of the end, written anew with reactions to
// the last tag. The tests are named after them, and expect the same values at
// the same tags.

#include "application/ported_nodes.hpp"

namespace last_tags_test {

namespace {

/// Schedules an action at the last tag, which never occurs.
struct starving : rosia::node {
  rosia::action<void> after_end{this, "after_end"};

  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, [this] {
      last = now();
      after_end.schedule(rosia::microsteps(1));
    }};
  rosia::reaction on_after_end{
    this, "on_after_end", {after_end}, [this] { ++late; }};

  logical_time last = rosia::never;
  int late = 0;
};

struct starving_later : starving {
  rosia::tick t{this, "t", rosia::once, 1s};
  rosia::reaction on_t{this, "on_t", {t}, [] {}};
};

/// Sends a value at each of some microsteps.
struct super_dense_sender : rosia::node {
  rosia::action<void> loop{this, "loop"};
  rosia::output_port<int> out{this, "out"};

  void start() {
    step();
  }

  rosia::reaction on_loop{this, "on_loop", {loop}, [this] { step(); }};
  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, [this] { last = now(); }};

  void step() {
    if (count++ < 10)
      loop.schedule(rosia::microsteps(1));
    out(42);
  }

  int count = 0;
  logical_time last = rosia::never;
};

struct super_dense_receiver : recorder<int> {
  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, [this] { last = now(); }};

  logical_time last = rosia::never;
};

template <class Node>
void starve(logical_time last) {
  test_system sys;
  rosia::application app{sys, fast()};
  auto x = app.create<Node>("x");
  REQUIRE(app.run() == 0);
  CHECK(x->last == last);
  CHECK(x->late == 0);
}

} // namespace

TEST_CASE("Starve: the last tag follows the last event", "[last_tags]") {
  starve<starving_later>(at(1s, 1));
}

TEST_CASE("StarveZero: the last tag follows the start", "[last_tags]") {
  starve<starving>(at(0s, 1));
}

TEST_CASE("Starvation: all nodes have the same last tag", "[last_tags]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto from = app.create<super_dense_sender>("sender");
  auto to = app.create<super_dense_receiver>("receiver");
  from[&super_dense_sender::out] >>= to[&super_dense_receiver::in];
  REQUIRE(app.run() == 0);
  CHECK(to->got.size() == 11);
  CHECK(from->last == at(0s, 11));
  CHECK(to->last == at(0s, 11));
}

} // namespace last_tags_test
