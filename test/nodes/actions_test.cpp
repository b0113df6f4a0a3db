// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Actions: events that a node schedules for itself, seen through the harness.

#include "caf/rosia/action.hpp"

#include "support.hpp"

#include <array>
#include <memory>
#include <optional>

namespace actions_test {

using rosia::graph_error;
using rosia::test::harness;

namespace {

/// Sends each number repeatedly, reduced by one each time, until it is 0.
struct echo : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::action<int> again{this, "again"};

  rosia::reaction on_any{
    this, "on_any", {in, again}, [this] {
      if (in.is_present())
        again.schedule(10ms, in);
      for (auto x : again.all())
        if (x > 0)
          again.schedule(10ms, x - 1);
      if (again.is_present())
        out(*again);
    }};
};

/// Schedules in all possible ways.
struct busy : rosia::node {
  rosia::action<std::string> say{this, "say"};
  rosia::action<void> tick{this, "tick"};
  rosia::output_port<std::string> out{this, "out"};

  void start() {
    say.schedule(5ms, "first");
    say.schedule(5ms, rosia::shared_value<std::string>{"second"});
    tick.schedule(rosia::microsteps(1));
    tick.schedule(20ms);
    tick.schedule(20ms);
  }

  rosia::reaction on_say{
    this, "on_say", {say}, [this]() -> rosia::task {
      auto kept = say.value();
      texts.push_back(say->substr(0, 1) + std::to_string(say.all().size()));
      co_await rosia::after(1ms);
      texts.push_back(*kept + (say.is_present() ? " there" : " gone"));
    }};

  rosia::reaction on_tick{
    this, "on_tick", {tick}, [this] { out(std::to_string(tick.count())); }};

  std::vector<std::string> texts;
};

template <class Fun>
std::string error_in(Fun fun) {
  struct bad : rosia::node {
    explicit bad(Fun f) : code{std::move(f)} {
      // nop
    }
    rosia::action<int> later{this, "later"};
    rosia::reaction on_later{this, "on_later", {later}, [] {}};
    void start() {
      code(*this);
    }
    Fun code;
  };
  harness<bad> h{std::move(fun)};
  h.run();
  REQUIRE(h.error());
  CHECK(h.error()->reaction == "start");
  return h.error()->text;
}

} // namespace

// -- what they do -------------------------------------------------------------

TEST_CASE("a node schedules events for itself, with values", "[action]") {
  harness<echo> h;
  h.set(&echo::in, 1ms, 2);
  h.set(&echo::in, 2ms, 0);
  h.run();
  CHECK(h.outputs(&echo::out)
        == record<int>{{11ms, 2}, {12ms, 0}, {21ms, 1}, {31ms, 0}});
  CHECK(h.ended());
}

TEST_CASE("all values of an action are kept in the order of scheduling, and an "
          "action without a value counts",
          "[action]") {
  harness<busy> h;
  h.run();
  CHECK(h->texts == std::vector<std::string>{"s2", "second gone"});
  CHECK(h.outputs(&busy::out)
        == record<std::string>{{at(0s, 1), "1"}, {20ms, "2"}});
}

TEST_CASE("a harness shows scheduled events, and advances to them",
          "[action]") {
  harness<busy> h;
  h.run_until(4ms);
  CHECK(h.scheduled(&busy::say)
        == record<std::string>{{5ms, "first"}, {5ms, "second"}});
  CHECK(
    h.scheduled(&busy::tick) == std::vector<logical_time>{at(20ms), at(20ms)});
  CHECK_FALSE(h.ended());
  h.run_until(5ms);
  CHECK(h.now() == at(5ms));
  CHECK(h.elapsed() == 5ms);
  CHECK(h.scheduled(&busy::say).empty());
  h.run();
  CHECK(h.now() == at(20ms));
  CHECK(h.scheduled(&busy::tick).empty());
}

namespace {

struct alarm : rosia::node {
  rosia::action<int> ring{this, "ring"};
  rosia::physical_action<int> set{this, "set"};
  rosia::reaction on_set{
    this, "on_set", {set}, [this] { ring.schedule(100ms, set); }};
  rosia::output_port<int> out{this, "out"};
  rosia::startup begin{this, "begin", [this] { ring.schedule(1ms, 0); }};
};

} // namespace

TEST_CASE("the reaction of a physical action may schedule", "[action]") {
  harness<alarm> h;
  h.schedule(&alarm::set, 10ms, 7);
  h.run_until(50ms);
  CHECK(h.scheduled(&alarm::ring) == record<int>{{110ms, 7}});
}

// -- as triggers --------------------------------------------------------------

namespace {

/// Actions in arrays and behind pointers, besides ports, as triggers.
struct several : rosia::node {
  std::array<rosia::action<int>, 2> pair{{{this, "a0"}, {this, "a1"}}};
  std::vector<std::unique_ptr<rosia::action<int>>> more;
  std::optional<rosia::action<int>> maybe{std::in_place, this, "maybe"};
  rosia::input_port<int> in{this, "in", rosia::optional_input};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_pair{this, "on_pair", pair, [this] { seen += "p"; }};

  rosia::reaction on_all{
    this, "on_all", {pair, in, maybe}, [this] { seen += "a"; }};

  rosia::reaction on_eager{
    this, "on_eager", {maybe}, [this] { out(*maybe.value()); }, rosia::eager};

  void start() {
    pair[1].schedule(1ms, 1);
    maybe->schedule(2ms, 2);
  }

  std::string seen;
};

struct late : rosia::node {
  rosia::reaction on_later{this, "on_later", {later}, [] {}};
  rosia::action<int> later{this, "later"};
};

struct twice : rosia::node {
  rosia::action<int> later{this, "later"};
  rosia::reaction on_later{this, "on_later", {later, later}, [] {}};
};

struct empty : rosia::node {
  std::unique_ptr<rosia::action<int>> later;
  rosia::reaction on_later{this, "on_later", {later}, [] {}};
};

struct same_name : rosia::node {
  rosia::action<int> x{this, "later"};
  rosia::action<void> y{this, "later"};
};

struct bad_name : rosia::node {
  rosia::action<int> x{this, "la.ter"};
};

struct borrower : rosia::node {
  explicit borrower(rosia::action<int>& other)
    : on_other{this, "on_other", {other}, [] {}} {
    // nop
  }
  rosia::reaction on_other;
};

} // namespace

TEST_CASE(
  "actions are triggers like inputs: in lists, arrays, and behind pointers",
  "[action]") {
  harness<several> h;
  h.run();
  CHECK(h->seen == "paa");
  CHECK(h.outputs(&several::out) == record<int>{{2ms, 2}});
}

TEST_CASE("mistakes with the names and the order of actions are refused, with "
          "the names",
          "[action]") {
  CHECK(error_of<graph_error>([] { harness<late> h; })
        == "reaction 'on_later' has the action 'later' as a trigger, which "
           "comes after it; declare action 'later' before reaction 'on_later': "
           "members are made in the order of their declaration");
  CHECK(error_of<graph_error>([] { harness<twice> h; })
        == "reaction 'on_later' names its trigger 'later' twice; once is "
           "enough");
  CHECK(error_of<graph_error>([] { harness<empty> h; })
        == "reaction 'on_later' has an empty pointer among its triggers");
  CHECK(error_of<graph_error>([] { harness<same_name> h; })
        == "a node has action 'later' twice; give one of the two another name");
  CHECK_THAT(error_of<graph_error>([] { harness<bad_name> h; }),
             ContainsSubstring("action 'la.ter' has a bad name"));
  echo owner;
  CHECK(error_of<graph_error>([&] { harness<borrower> h{owner.again}; })
        == "reaction 'on_other' has an action as a trigger that is not one of "
           "its node; a node schedules its own actions only: connect the other "
           "node's output to an input of this one instead");
}

// -- errors -------------------------------------------------------------------

TEST_CASE("scheduling without a delay is refused, with a suggestion",
          "[action]") {
  CHECK(error_in([](auto& me) { me.later.schedule({}, 1); })
        == "action 'later' was scheduled without a delay; after(microsteps(1)) "
           "is the smallest");
  CHECK(error_in([](auto& me) { me.later.schedule(-1ms, 1); })
        == "action 'later' was scheduled with a negative delay, -1ms");
}

TEST_CASE("an action that is not present has no value", "[action]") {
  CHECK(error_in([](auto& me) { me.log().info("{}", *me.later); })
        == "action 'later' was read at a tag at which it is not present; ask "
           "is_present() first, and keep in a state what is needed later");
}

TEST_CASE("scheduling in shutdown(), or outside of the node's reactions, is an "
          "error",
          "[action]") {
  struct at_end : rosia::node {
    rosia::action<int> later{this, "later"};
    rosia::reaction on_later{this, "on_later", {later}, [] {}};
    void shutdown() {
      later.schedule(1ms, 1);
    }
  };
  harness<at_end> h;
  h.run();
  REQUIRE(h.shutdown_error());
  CHECK(h.shutdown_error()->text
        == "action 'later' was scheduled in shutdown(), when the node is "
           "ending already");
  at_end alone;
  CHECK_THROWS_WITH(
    alone.later.schedule(1ms, 1),
    "action 'later' was scheduled outside of the node's reactions; schedule a "
    "physical action instead");
}

// -- the timer ----------------------------------------------------------------

TEST_CASE("a timer with a period out of range ticks once", "[harness]") {
  harness<rosia::timer> h{std::chrono::hours::max()};
  h.run_until(std::chrono::years{290});
  CHECK(h.values(&rosia::timer::output).size() == 1);
  harness<rosia::timer> late{1ms, std::chrono::years{1000}};
  late.run_until(std::chrono::years{1000});
  CHECK(late.values(&rosia::timer::output).empty());
}

TEST_CASE("a timer keeps its next tick as a scheduled event", "[action]") {
  harness<rosia::timer> h{10ms, 3ms};
  h.run_until(20ms);
  CHECK(h.outputs(&rosia::timer::output)
        == record<logical_time>{{3ms, at(3ms)}, {13ms, at(13ms)}});
  CHECK(h.log().empty());
}

} // namespace actions_test
