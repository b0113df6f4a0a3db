// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The spacing of actions, and actions from outside: section 10.5 of the
// semantics, seen through the harness.

#include "caf/rosia/spacing.hpp"

#include "support.hpp"

namespace spacing_test {

using rosia::graph_error;
using rosia::test::harness;

namespace {

/// Calls an election if no heartbeat arrives for some time.
struct follower : rosia::node {
  rosia::input_port<int> heartbeat{this, "heartbeat"};
  rosia::output_port<int> vote{this, "vote"};
  rosia::action<int> election{
    this, "election", rosia::spacing{150ms, rosia::update}};

  rosia::reaction on_heartbeat{
    this, "on_heartbeat", {heartbeat}, [this] {
      CHECK(election.schedule(150ms, *heartbeat));
    }};

  rosia::reaction on_election{
    this, "on_election", {election}, [this] { vote(*election); }};

  void start() {
    election.schedule(150ms, 0);
  }
};

/// Takes at most one of the requests for each 10 ms.
struct limiter : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::output_port<bool> accepted{this, "accepted"};
  rosia::action<int> later{this, "later", rosia::spacing{10ms, rosia::drop}};

  rosia::reaction on_in{
    this, "on_in", {in}, [this] { accepted(later.schedule(5ms, in)); }};

  rosia::reaction on_later{this, "on_later", {later}, [this] { out(*later); }};
};

/// An action without values for each policy.
struct pulses : rosia::node {
  rosia::action<void> deferred{this, "deferred", rosia::spacing{4ms}};
  rosia::action<void> dropped{
    this, "dropped", rosia::spacing{4ms, rosia::drop}};
  rosia::action<void> replaced{
    this, "replaced", rosia::spacing{4ms, rosia::replace}};
  rosia::action<void> updated{
    this, "updated", rosia::spacing{4ms, rosia::update}};
  rosia::action<void> plain{this, "plain"};

  void start() {
    for (auto d : {5ms, 8ms}) {
      results.push_back(deferred.schedule(d));
      results.push_back(dropped.schedule(d));
      results.push_back(replaced.schedule(d));
      results.push_back(updated.schedule(d));
      results.push_back(plain.schedule(d));
    }
    results.push_back(plain.schedule(std::chrono::years{1'000}));
  }

  std::vector<bool> results;
};

struct camera : rosia::node {
  rosia::physical_action<int> got{
    this, "got", rosia::spacing{10ms, rosia::drop}, rosia::after(2ms)};
  rosia::output_port<int> image{this, "image"};
  rosia::reaction on_got{this, "on_got", {got}, [this] { image(got.value()); }};
};

/// The options in the other order, and each alone.
struct keyboard : rosia::node {
  rosia::physical_action<int> both{
    this, "both", rosia::after(2ms), rosia::spacing{10ms}};
  rosia::physical_action<int> spaced{
    this, "spaced", rosia::spacing{10ms, rosia::replace}};
  rosia::physical_action<int> late{this, "late", rosia::after(5ms)};
  rosia::physical_action<int> plain{this, "plain"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_any{
    this, "on_any", {both, spaced, late, plain}, [this] {
      for (auto* x : {&both, &spaced, &late, &plain})
        if (x->is_present())
          out(x->value());
    }};
};

struct negative_action : rosia::node {
  rosia::action<int> x{this, "x", rosia::spacing{-1ms}};
};

struct negative_physical_action : rosia::node {
  rosia::physical_action<int> x{this, "x", rosia::spacing{-1ms}};
};

struct negative_after : rosia::node {
  rosia::physical_action<int> x{this, "x", rosia::after(-1ms)};
};

/// Durations beyond the range.
struct extreme : rosia::node {
  rosia::action<int> once{
    this, "once", rosia::spacing{std::chrono::years{1'000}}};
  rosia::physical_action<int> only{
    this, "only", rosia::spacing{std::chrono::years{1'000}}};
  rosia::physical_action<int> nothing{
    this, "nothing", rosia::after(std::chrono::years{1'000})};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_any{
    this, "on_any", {once, only, nothing}, [this] {
      out(once.is_present() ? *once : *only);
    }};
  void start() {
    CHECK(once.schedule(1ms, 1));
    CHECK_FALSE(once.schedule(1ms, 2));
  }
};

struct same_microstep : rosia::node {
  rosia::action<int> x{this, "x", rosia::spacing{0ms}};
  void start() {
    x.schedule(rosia::microsteps(~std::uint32_t{0}), 1);
    x.schedule(rosia::microsteps(~std::uint32_t{0}), 2);
  }
};

} // namespace

TEST_CASE("10.5.2 an action that updates its event is a timeout that restarts",
          "[action]") {
  harness<follower> h;
  for (auto x : {100, 200, 300, 600})
    h.set(&follower::heartbeat, std::chrono::milliseconds{x}, x);
  h.run_until(100ms);
  CHECK(h.scheduled(&follower::election)
        == std::vector<rosia::test::scheduled<int>>{{250ms, 100}});
  h.run();
  CHECK(h.outputs(&follower::vote) == record<int>{{450ms, 300}, {750ms, 600}});
  CHECK(h.ended());
}

TEST_CASE("10.5.2 schedule returns whether the event occurs", "[action]") {
  harness<limiter> h;
  for (auto x : {1, 4, 11, 20})
    h.set(&limiter::in, std::chrono::milliseconds{x}, x);
  h.run();
  CHECK(h.values(&limiter::accepted)
        == std::vector<bool>{true, false, true, false});
  CHECK(h.outputs(&limiter::out) == record<int>{{6ms, 1}, {16ms, 11}});
  CHECK(h.dropped() == 0); // the caller knows
}

TEST_CASE("10.5.2 actions without values have spacings as well", "[action]") {
  harness<pulses> h;
  h.run_until(0s);
  CHECK(h.scheduled(&pulses::deferred) == std::vector{at(5ms), at(9ms)});
  CHECK(h.scheduled(&pulses::dropped) == std::vector{at(5ms)});
  CHECK(h.scheduled(&pulses::replaced) == std::vector{at(5ms)});
  CHECK(h.scheduled(&pulses::updated) == std::vector{at(8ms)});
  CHECK(h.scheduled(&pulses::plain) == std::vector{at(5ms), at(8ms)});
  CHECK(h->results
        == std::vector<bool>{
          true, true, true, true, true, true, false, true, true, true, false});
}

TEST_CASE("10.5.1 a physical action has a spacing, and is later than the call",
          "[action]") {
  harness<camera> h;
  for (auto x : {10, 15, 19, 20, 50})
    h.schedule(&camera::got, std::chrono::milliseconds{x}, x);
  h.run_until(100ms);
  CHECK(h.outputs(&camera::image)
        == record<int>{{12ms, 10}, {22ms, 20}, {52ms, 50}});
  CHECK(h.dropped() == 2);
}

TEST_CASE("10.5.1 options have any order, and hold for their action only",
          "[action]") {
  harness<keyboard> h;
  h.schedule(&keyboard::both, 1ms, 1);
  h.schedule(&keyboard::late, 1ms, 2);
  h.schedule(&keyboard::both, 2ms, 3);
  h.schedule(&keyboard::spaced, 2ms, 4);
  h.schedule(&keyboard::spaced, 3ms, 5);
  h.schedule(&keyboard::spaced, 4ms, 6); // pending: replaces the 5
  h.schedule(&keyboard::plain, 4ms, 7);
  h.run_until(20ms);
  CHECK(h.outputs(&keyboard::out)
        == record<int>{
          {2ms, 4}, {3ms, 1}, {4ms, 7}, {6ms, 2}, {12ms, 6}, {13ms, 3}});
  CHECK(h.dropped() == 0);
}

TEST_CASE("10.5.2 durations of actions are not negative", "[action]") {
  CHECK(error_of<graph_error>([] { harness<negative_action> h; })
        == "the spacing of action 'x' is -1ms; it must not be negative");
  CHECK(error_of<graph_error>([] { harness<negative_physical_action> h; })
        == "the spacing of physical action 'x' is -1ms; it must not be "
           "negative");
  CHECK(error_of<graph_error>([] { harness<negative_after> h; })
        == "the delay of physical action 'x' is -1ms; it must not be negative");
}

TEST_CASE("10.5.2 an event beyond all tags does not occur", "[action]") {
  harness<extreme> h;
  h.schedule(&extreme::only, 2ms, 3);
  h.schedule(&extreme::only, 3ms, 4);
  h.schedule(&extreme::nothing, 3ms, 5);
  h.run_until(10ms);
  CHECK(h.outputs(&extreme::out) == record<int>{{1ms, 1}, {2ms, 3}});
  CHECK(h.dropped() == 2);
  CHECK_FALSE(h.error());
}

TEST_CASE("1.3 a spacing beyond the last microstep is an error of the node",
          "[action]") {
  harness<same_microstep> h;
  h.run();
  REQUIRE(h.error());
  CHECK_THAT(h.error()->text, ContainsSubstring("4294967295"));
}

} // namespace spacing_test
