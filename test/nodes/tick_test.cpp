// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Ticks: section 10.4 of the semantics, seen through the harness.

#include "caf/rosia/tick.hpp"

#include "support.hpp"

#include <limits>

namespace tick_test {

using rosia::forever;
using rosia::graph_error;
using rosia::engine::tick_times;
using rosia::test::harness;

namespace {

/// Writes down what is present, after "start" at the beginning.
struct sensor : rosia::node {
  rosia::tick step{this, "step", 10ms};
  rosia::tick late{this, "late", 10ms, 5ms};
  rosia::tick boot{this, "boot", rosia::once, 10ms};
  rosia::tick unused{this, "unused", 7ms};
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<std::string> out{this, "out"};

  void start() {
    seen = "start";
  }

  rosia::reaction on_any{
    this, "on_any", {step, late, boot, in}, [this] {
      seen += step.is_present() ? " step" : "";
      seen += late.is_present() ? " late" : "";
      seen += boot.is_present() ? " boot" : "";
      seen += in.is_present() ? " in" : "";
      out(std::exchange(seen, {}));
    }};

  std::string seen;
};

/// Works for longer than its period.
struct slow : rosia::node {
  rosia::tick step{this, "step", 10ms};
  rosia::output_port<logical_time> out{this, "out"};
  rosia::reaction on_step{
    this, "on_step", {step}, [this]() -> rosia::task {
      co_await rosia::after(25ms);
      out(now());
    }};
};

struct boot : rosia::node {
  rosia::tick only{this, "only", rosia::once};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_only{this, "on_only", {only}, [this] { out(1); }};
};

struct bad_period : rosia::node {
  explicit bad_period(rosia::time_span x, rosia::time_span offset = {})
    : step{this, "step", x, offset} {
    // nop
  }
  rosia::tick step;
};

struct late_tick : rosia::node {
  rosia::reaction on_step{this, "on_step", {step}, [] {}};
  rosia::tick step{this, "step", 10ms};
};

struct same_name : rosia::node {
  rosia::action<int> x{this, "step"};
  rosia::tick y{this, "step", 10ms};
};

} // namespace

TEST_CASE("10.4.1 a tick is present at its offset and after each period, at "
          "(0, 0) after start()",
          "[tick]") {
  harness<sensor> h;
  h.set(&sensor::in, 20ms, 1);
  h.set(&sensor::in, 21ms, 2);
  h.run_until(25ms);
  CHECK(
    h.outputs(&sensor::out)
    == record<std::string>{
      {0s, "start step"},
      {5ms, " late"},
      {10ms, " step boot"},
      {15ms, " late"},
      {20ms, " step in"},
      {21ms, " in"},
      {25ms, " late"}});
  CHECK(h.log().empty());
}

TEST_CASE("10.4.1 ticks keep their times if reactions run late", "[tick]") {
  harness<slow> h;
  h.run_until(50ms);
  CHECK(h.values(&slow::out)
        == std::vector<logical_time>{at(25ms), at(35ms), at(45ms)});
}

TEST_CASE("10.4.1 a tick has no time beyond the last tag", "[tick]") {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr tick_times often{3, 5};
  CHECK(often.first_from({}) == logical_time{3, 0});
  CHECK(often.first_from({3, 0}) == logical_time{3, 0});
  CHECK(often.first_from({3, 1}) == logical_time{8, 0});
  CHECK(often.first_from({7, 9}) == logical_time{8, 0});
  CHECK(often.first_from({8, 0}) == logical_time{8, 0});
  CHECK(often.first_from(forever) == forever);
  constexpr tick_times always{0, 1};
  CHECK(always.first_from({most - 1, 1}) == logical_time{most, 0});
  CHECK(always.first_from({most, 1}) == forever);
  CHECK(always.first_from(forever) == forever);
  constexpr tick_times only{3, 0};
  CHECK(only.first_from({3, 0}) == logical_time{3, 0});
  CHECK(only.first_from({3, 1}) == forever);
  for (auto offset : {std::int64_t{0}, std::int64_t{1}, most - 1})
    CHECK(tick_times{offset, most}.first_from({most, 1}) == forever);
  CHECK(tick_times{0, most}.first_from({0, 1}) == logical_time{most, 0});
  CHECK(tick_times{1, most}.first_from({1, 1}) == forever);
  harness<bad_period> h{std::chrono::years{200}};
  h.run();
  CHECK(h.now() == at(std::chrono::years{200}));
  CHECK(h.ended());
}

TEST_CASE("10.4.1 a period is positive, and an offset is not negative",
          "[tick]") {
  CHECK(error_of<graph_error>([] { harness<bad_period> h{0ms}; })
        == "the period of tick 'step' is 0s; it must be positive; rosia::once "
           "is for a single time");
  CHECK(error_of<graph_error>([] {
          harness<bad_period> h{10ms, -1ms};
        })
        == "the offset of tick 'step' is -1ms; it must not be negative");
  CHECK(error_of<graph_error>([] { harness<late_tick> h; })
        == "reaction 'on_step' has the action 'step' as a trigger, which comes "
           "after it; declare action 'step' before reaction 'on_step': members "
           "are made in the order of their declaration");
  CHECK(error_of<graph_error>([] { harness<same_name> h; })
        == "a node has action 'step' twice; give one of the two another name");
}

TEST_CASE("10.4.2 a tick is an event that the node scheduled", "[tick]") {
  harness<sensor> h;
  h.run_until(12ms);
  CHECK(h.scheduled(&sensor::step) == std::vector{at(20ms)});
  CHECK(h.scheduled(&sensor::late) == std::vector{at(15ms)});
  CHECK(h.scheduled(&sensor::boot).empty());
  CHECK(h.scheduled(&sensor::unused) == std::vector{at(14ms)});
  CHECK_FALSE(h.ended());
}

TEST_CASE("10.4.2 a node with a tick that is present once ends by itself",
          "[tick]") {
  harness<boot> h;
  h.run();
  CHECK(h.outputs(&boot::out) == record<int>{{0s, 1}});
  CHECK(h.ended());
}

} // namespace tick_test
