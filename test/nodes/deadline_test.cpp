// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Deadlines: section 10.3 of the semantics, seen through the harness.

#include "caf/rosia/deadline.hpp"

#include "support.hpp"

namespace deadline_test {

using rosia::graph_error;
using rosia::test::harness;

namespace {

using texts = rosia::output_port<std::string>;

/// Writes down which code runs.
struct camera : rosia::node {
  rosia::input_port<int> frame{this, "frame"};
  texts out{this, "out"};
  rosia::reaction on_frame{
    this,
    "on_frame",
    {frame},
    rosia::deadline{5ms, [this] { out("late"); }},
    [this] { out("in time"); }};
};

struct without_handler : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{
    this, "on_in", {in}, rosia::deadline{5ms}, [this] { out(in); }};
};

/// Changes its deadline, which is in a state.
struct adaptive : rosia::node {
  rosia::state<std::chrono::milliseconds> limit{this, "limit", 10ms};
  rosia::input_port<int> in{this, "in"};
  texts out{this, "out"};
  rosia::reaction on_in{
    this,
    "on_in",
    {in},
    rosia::deadline{limit, [this] { out("late"); }},
    [this] {
      out("in time");
      limit = std::chrono::milliseconds{*in};
    }};
};

/// Improves a result until its deadline.
struct anytime : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{
    this,
    "on_in",
    {in},
    rosia::deadline{10ms, [this] { out(deadline_missed() ? -1 : -2); }},
    [this] {
      auto steps = 0;
      while (!deadline_missed())
        ++steps;
      out(deadline_missed() ? steps : -3);
    }};
};

/// Yields in the reaction and in the handler.
struct yielding : rosia::node {
  rosia::input_port<int> in{this, "in"};
  texts out{this, "out"};
  rosia::reaction on_in{
    this,
    "on_in",
    {in},
    rosia::deadline{
      5ms,
      [this]() -> rosia::task {
        out("late");
        co_await rosia::after(1ms);
        out(text("handler"));
      }},
    [this]() -> rosia::task {
      out(text("reaction"));
      co_await rosia::after(1ms);
      out(text("resumed"));
    }};
  rosia::reaction other{this, "other", {in}, rosia::deadline{100ms}, [] {}};

  std::string text(std::string speaker) {
    return speaker + (deadline_missed() ? " after" : " before")
           + " the deadline";
  }
};

/// Declares a deadline, and writes only after it has yielded.
struct late_writer : rosia::node {
  rosia::input_port<int> in{this, "in"};
  texts out{this, "out"};
  rosia::reaction on_in{
    this,
    "on_in",
    {in},
    rosia::writes_later(out),
    rosia::deadline{5ms, [this] { ++missed; }},
    [this]() -> rosia::task {
      auto late = deadline_missed();
      co_await rosia::after(1ms);
      out(late ? "late" : "in time");
    }};
  int missed = 0;
};

/// Writes the options of reactions in all orders.
struct in_any_order : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction a{this, "a", {in}, rosia::eager, rosia::deadline{1ms}, [] {}};
  rosia::reaction b{
    this, "b", {in}, [] {}, rosia::deadline{1ms, [] {}}, rosia::eager};
  rosia::reaction c{this, "c", {in}, rosia::deadline{1ms}, [] {}};
  rosia::reaction d{this, "d", {in}, [] {}, rosia::eager};
};

/// Asks for deadlines that do not exist.
struct undeclared : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { static_cast<void>(deadline_missed()); }};
};

struct at_start : rosia::node {
  void start() {
    static_cast<void>(deadline_missed());
  }
};

struct at_end : rosia::node {
  void shutdown() {
    static_cast<void>(deadline_missed());
  }
};

/// Asks when its task is destroyed.
struct in_destructor : rosia::node {
  struct asks {
    rosia::node& self;
    ~asks() {
      static_cast<void>(self.deadline_missed());
    }
  };

  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{
    this, "on_in", {in}, rosia::deadline{1ms}, [this]() -> rosia::task {
      asks x{*this};
      co_await rosia::after(1h);
    }};
};

/// Its second reaction has the shorter deadline.
struct two_deadlines : rosia::node {
  rosia::input_port<int> in{this, "in"};
  std::string order;
  rosia::reaction slow{
    this, "slow", {in}, rosia::deadline{1s, [] {}}, [this] { order += 's'; }};
  rosia::reaction urgent{
    this,
    "urgent",
    {in},
    rosia::deadline{1ms, [this] { order += 'l'; }},
    [this] { order += 'u'; }};
};

struct negative : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, rosia::deadline{-5ms}, [] {}};
};

struct declared_later : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, rosia::deadline{limit}, [] {}};
  rosia::state<std::chrono::milliseconds> limit{this, "limit", 10ms};
};

struct of_other_node : rosia::node {
  explicit of_other_node(rosia::state<std::chrono::milliseconds>& x)
    : on_in{this, "on_in", {in}, rosia::deadline{x}, [] {}} {
    // nop
  }
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in;
};

} // namespace

TEST_CASE("10.3.1 the handler runs if a reaction is about to run at its "
          "deadline or later",
          "[deadline]") {
  harness<camera> h;
  h.set(&camera::frame, 10ms, 1);
  h.set(&camera::frame, 20ms, 2);
  h.set(&camera::frame, 30ms, 3);
  h.set(&camera::frame, 40ms, 4);
  h.run_until(10ms);
  h.lag(5ms - 1ns);
  h.run_until(20ms);
  h.lag(5ms);
  h.run_until(30ms);
  h.lag(0ms);
  h.run();
  CHECK(h.values(&camera::out)
        == std::vector<std::string>{"in time", "in time", "late", "in time"});
  CHECK(h.log().empty());
}

TEST_CASE("10.3.1 a reaction with a deadline may write only after it "
          "yielded",
          "[deadline]") {
  harness<late_writer> h;
  h.set(&late_writer::in, 10ms, 1);
  h.run_until(15ms);
  h.lag(5ms);
  h.set(&late_writer::in, 20ms, 2);
  h.run();
  CHECK_FALSE(h.error());
  CHECK(h.outputs(&late_writer::out) == record<std::string>{{11ms, "in time"}});
  CHECK(h->missed == 1);
}

TEST_CASE("10.3.1 a reaction without a handler runs late, with at most one "
          "warning a second",
          "[deadline]") {
  harness<without_handler> h;
  h.lag(7ms);
  std::vector<int> all;
  for (auto i = 0; i < 25; ++i) {
    h.set(&without_handler::in, i * 100ms, i);
    all.push_back(i);
  }
  h.run();
  CHECK(h.values(&without_handler::out) == all);
  auto advice = std::string{
    "; give the deadline a handler if the reaction must "
    "not run that late"};
  auto late = std::string{
    " missed its deadline of 5ms: it runs 7ms behind "
    "physical time"};
  CHECK(
    h.log()
    == std::vector<std::string>{
      "warning: reaction 'on_in' at tag 0s" + late + advice,
      "warning: reaction 'on_in' at tag 1s" + late
        + "; 10 misses since the last warning" + advice,
      "warning: reaction 'on_in' at tag 2s" + late
        + "; 10 misses since the last warning" + advice});
}

TEST_CASE("10.3.1 a deadline may be a state, which code changes",
          "[deadline]") {
  harness<adaptive> h;
  h.lag(5ms);
  h.set(&adaptive::in, 0ms, 6);
  h.set(&adaptive::in, 10ms, 5);
  h.set(&adaptive::in, 20ms, -1);
  h.run_until(20ms);
  CHECK(h.values(&adaptive::out)
        == std::vector<std::string>{"in time", "in time", "late"});
  h->limit = -1ms;
  h.set(&adaptive::in, 30ms, 1);
  h.run();
  REQUIRE(h.error());
  CHECK(h.error()->reaction == "on_in");
  CHECK(h.error()->text
        == "state 'limit' is -1ms, and a deadline is not negative; give it a "
           "value of 0 or more");
}

TEST_CASE("10.3.1 a reaction and its handler may yield, and the resumption has "
          "no deadline",
          "[deadline]") {
  harness<yielding> h;
  h.set(&yielding::in, 10ms, 1);
  h.set(&yielding::in, 20ms, 2);
  h.run_until(15ms);
  h.lag(5ms);
  h.run();
  CHECK(h.outputs(&yielding::out)
        == record<std::string>{
          {10ms, "reaction before the deadline"},
          {11ms, "resumed before the deadline"},
          {20ms, "late"},
          {21ms, "handler after the deadline"}});
  CHECK(h.log().empty());
}

TEST_CASE("10.3.1 options and function of a reaction are in any order",
          "[deadline]") {
  harness<in_any_order> h;
  using enum rosia::graph_description::reaction_kind;
  CHECK(h->a.kind() == eager);
  CHECK(h->b.kind() == eager);
  CHECK(h->c.kind() == plain);
  CHECK(h->d.kind() == eager);
}

TEST_CASE("10.3.1 a deadline is 0 or more, or a state of the node before the "
          "reaction",
          "[deadline]") {
  CHECK(error_of<graph_error>([] { harness<negative> h; })
        == "reaction 'on_in' has a deadline of -5ms; a deadline is 0 or more");
  auto text = std::string{
    "the deadline of reaction 'on_in' is a state that its node does not have "
    "yet; declare a state of this node, before the reaction"};
  CHECK(error_of<graph_error>([] { harness<declared_later> h; }) == text);
  harness<adaptive> other;
  CHECK(error_of<graph_error>([&] { harness<of_other_node> h{other->limit}; })
        == text);
}

TEST_CASE("10.3.2 deadline_missed() tells whether the deadline of the calling "
          "reaction passed",
          "[deadline]") {
  harness<anytime> h;
  for (auto t : {10ms, 30ms, 50ms, 70ms})
    h.set(&anytime::in, t, 1);
  // A call takes a microsecond.
  h.run_until(10ms);
  h.lag(4ms);
  h.run_until(30ms);
  h.lag(4ms, 2ms);
  h.run_until(50ms);
  h.lag(10ms);
  h.run();
  CHECK(h.values(&anytime::out) == std::vector{9'999, 5'999, 2, -1});
  CHECK(h.log().empty());
  CHECK_THROWS_WITH(
    h.lag(-1ms), ContainsSubstring("lag(-1ms, 1us): a lag is not negative"));
}

TEST_CASE("10.3.2 without a deadline, deadline_missed() is an error of the "
          "node",
          "[deadline]") {
  harness<undeclared> in_reaction;
  in_reaction.set(&undeclared::in, 10ms, 1);
  in_reaction.run();
  REQUIRE(in_reaction.error());
  CHECK(in_reaction.error()->text
        == "deadline_missed() in 'on_in', which has no deadline; give the "
           "reaction a rosia::deadline");
  harness<at_start> in_start;
  in_start.run();
  REQUIRE(in_start.error());
  CHECK_THAT(in_start.error()->text,
             ContainsSubstring("deadline_missed() in 'start', which has no"));
  harness<at_end> in_shutdown;
  in_shutdown.run();
  REQUIRE(in_shutdown.shutdown_error());
  CHECK_THAT(in_shutdown.shutdown_error()->text,
             ContainsSubstring("deadline_missed() outside of the node's"));
  harness<in_destructor> destroyed;
  destroyed.set(&in_destructor::in, 0ms, 1);
  destroyed.run_until(1ms);
  CHECK_THROWS_AS(destroyed->deadline_missed(), std::logic_error);
}

TEST_CASE("10.3.5 a deadline does not change the order of execution",
          "[deadline]") {
  harness<two_deadlines> h;
  h.set(&two_deadlines::in, 10ms, 1);
  h.set(&two_deadlines::in, 20ms, 2);
  h.run_until(10ms);
  h.lag(5ms);
  h.run();
  CHECK(h->order == "susl");
}

} // namespace deadline_test
