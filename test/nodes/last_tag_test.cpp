// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Reactions to the last tag: section 10.6 of the semantics, seen through the
// harness.

#include "caf/rosia/reaction.hpp"

#include "support.hpp"

#include <string>
#include <vector>

namespace last_tag_test {

using rosia::graph_error;
using rosia::test::harness;

namespace {

/// Counts its steps, and writes their number at the end.
struct counter : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> total{this, "total"};
  rosia::tick step{this, "step", 10ms};
  rosia::reaction on_step{
    this, "on_step", {step, in}, [this] {
      ++count;
      if (in.is_present() && *in < 0)
        request_shutdown();
    }};
  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, rosia::writes(total), [this] {
      total(count);
      final = final_tag();
    }};

  void shutdown() {
    last = now();
  }

  int count = 0;
  logical_time final;
  logical_time last;
};

/// Only adds up what it receives.
struct adder : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_any{
    this, "on_any", {in, rosia::at_shutdown}, [this] {
      if (in.is_present())
        sum += *in;
      out(sum);
    }};
  int sum = 0;
};

/// Does at the last tag what has no effect there.
struct busy : rosia::node {
  rosia::output_port<int> out{this, "out"};
  rosia::action<int> later{this, "later"};
  rosia::watchdog dog{this, "dog", 0ms};
  rosia::reaction on_later{
    this, "on_later", {later, dog}, [this] { log().info("later"); }};
  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, [this]() -> rosia::task {
      out(1);
      later.schedule(1ms, 2);
      dog.start();
      request_shutdown(1ms, 0);
      co_await rosia::after(1ms);
      log().info("resumed");
    }};
};

/// A node with only a physical action.
struct button : rosia::node {
  rosia::physical_action<int> press{this, "press"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_press{
    this, "on_press", {press}, [this] { presses += *press; }};
  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, [this] { out(presses); }};
  int presses = 0;
};

struct punctual : rosia::node {
  rosia::output_port<int> out{this, "out"};
  rosia::reaction at_end{
    this,
    "at_end",
    {rosia::at_shutdown},
    rosia::deadline{5ms, [this] { out(2); }},
    [this] { out(1); }};
};

struct failing : rosia::node {
  rosia::output_port<int> out{this, "out"};
  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, rosia::writes(), [this] { out(1); }};
};

} // namespace

TEST_CASE("10.6.1 a reaction to the last tag runs once, after the final tag",
          "[harness]") {
  harness<counter> h;
  h.set(&counter::in, 25ms, 1);
  h.set(&counter::in, 55ms, -1);
  h.run();
  CHECK(h.ended());
  CHECK(h.outputs(&counter::total) == record<int>{{at(55ms, 1), 8}});
  CHECK(h->final == at(55ms));
  CHECK(h->last == at(55ms, 1));
  CHECK_FALSE(h.error());
}

TEST_CASE("10.6.1 a run up to a tag beyond the final one includes the last tag",
          "[harness]") {
  harness<counter> h;
  h.set(&counter::in, 55ms, -1);
  h.run_until(54ms);
  CHECK(h.outputs(&counter::total).empty());
  CHECK_FALSE(h.ended());
  h.run_until(60ms);
  CHECK(h.ended());
  CHECK(h.outputs(&counter::total) == record<int>{{at(55ms, 1), 7}});
}

TEST_CASE("10.6.1 a reaction may have other triggers besides the last tag",
          "[harness]") {
  harness<adder> h;
  h.set(&adder::in, 10ms, 3);
  h.set(&adder::in, 20ms, 4);
  h.run();
  CHECK(h.ended());
  CHECK(h.outputs(&adder::out)
        == record<int>{{10ms, 3}, {20ms, 7}, {at(20ms, 1), 7}});
}

TEST_CASE("10.6.4 a node that has nothing to do but its last tag ends by "
          "itself",
          "[harness]") {
  harness<adder> h;
  h.run();
  CHECK(h.ended());
  CHECK(h.outputs(&adder::out) == record<int>{{at(0ms, 1), 0}});
}

TEST_CASE("10.6.4 a node with a physical action has a last tag", "[harness]") {
  harness<button> h;
  h.schedule(&button::press, 10ms, 3);
  h.schedule(&button::press, 20ms, 4);
  h.run();
  CHECK(h.ended());
  CHECK(h.outputs(&button::out) == record<int>{{at(20ms, 1), 7}});
}

TEST_CASE("10.6.5 what is scheduled, yielded or requested at the last tag has "
          "no effect",
          "[harness]") {
  harness<busy> h;
  h.run();
  CHECK(h.ended());
  CHECK(h.status() == 0);
  CHECK_FALSE(h.error());
  CHECK_FALSE(h.shutdown_error());
  CHECK(h.outputs(&busy::out) == record<int>{{at(0ms, 1), 1}});
  CHECK(h.log().empty());
}

TEST_CASE("10.6.1 a reaction to the last tag may have a deadline",
          "[harness]") {
  harness<punctual> in_time;
  in_time.run();
  CHECK(in_time.values(&punctual::out) == std::vector{1});
  harness<punctual> late;
  late.lag(5ms);
  late.run();
  CHECK(late.values(&punctual::out) == std::vector{2});
}

TEST_CASE("10.6.1 an error at the last tag names the reaction and the tag",
          "[harness]") {
  harness<failing> h;
  h.run();
  CHECK(h.ended());
  CHECK(h.status() == 1);
  REQUIRE(h.error());
  CHECK(h.error()->reaction == "at_end");
  CHECK(h.error()->tag == at(0ms, 1));
}

TEST_CASE("10.6.1 a reaction names the last tag once") {
  struct twice : rosia::node {
    rosia::reaction at_end{
      this, "at_end", {rosia::at_shutdown, rosia::at_shutdown}, [] {}};
  };
  CHECK_THROWS_WITH(
    harness<twice>(),
    "reaction 'at_end' names its trigger 'at_shutdown' twice; once is enough");
}

} // namespace last_tag_test
