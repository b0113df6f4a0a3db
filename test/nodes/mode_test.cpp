// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Modes: section 10.7 of the semantics, seen through the harness.

#include "caf/rosia/mode.hpp"

#include "support.hpp"

#include <optional>

namespace mode_test {

using rosia::graph_error;
using rosia::test::harness;
using texts = std::vector<std::string>;

namespace {

/// Writes what happens, with its tag.
struct logging : rosia::node {
  rosia::output_port<std::string> out{this, "out"};

  void say(const std::string& text) {
    seen.push_back(to_string(now()) + ' ' + text);
  }

  texts seen;
};

/// The pump of the manual, with a log.
struct pump : logging {
  rosia::input_port<bool> ok{this, "ok"};
  rosia::mode normal{this, "normal"};
  rosia::mode failed{this, "failed"};
  rosia::state<int> tries{failed, "tries", 0};
  rosia::tick poll{normal, "poll", 10ms};
  rosia::tick probe{failed, "probe", 30ms, 5ms};
  rosia::reaction on_poll{normal, "on_poll", {poll}, [this] { say("poll"); }};
  rosia::reaction on_ok{normal, "on_ok", {ok}, [this] {
                          if (!*ok)
                            failed.enter();
                        }};
  rosia::reaction on_probe{
    failed, "on_probe", {probe}, [this] {
      say("probe " + std::to_string(++*tries));
      if (*tries == 2)
        normal.enter(rosia::history);
    }};
  rosia::reaction on_mode{
    this, "on_mode", {normal, failed}, [this] {
      say(normal.is_present() ? "normal" : "failed");
    }};
};

struct delayed : logging {
  rosia::mode off{this, "off"};
  rosia::mode on{this, "on"};
  rosia::tick boot{this, "boot", rosia::once, 7ms};
  rosia::tick step{on, "step", 10ms};
  rosia::tick once{on, "once", rosia::once};
  rosia::tick late{on, "late", rosia::once, 3ms};
  rosia::reaction on_boot{off, "on_boot", {boot}, [this] { on.enter(); }};
  rosia::reaction on_any{
    on, "on_any", {step, once, late}, [this] {
      say(std::string{step.is_present() ? "step " : ""}
          + (once.is_present() ? "once" : "")
          + (late.is_present() ? "late" : ""));
    }};
};

struct stateful : logging {
  rosia::input_port<bool> again{this, "again"};
  rosia::mode only{this, "only"};
  rosia::state<int> kept{this, "kept", 1};
  rosia::state<std::string> text{only, "text", "a"};
  rosia::state<int> count{only, "count", 5};
  rosia::reaction on_again{
    this, "on_again", {again}, [this] {
      ++*kept;
      ++*count;
      *text += "b";
      if (*again)
        only.enter(rosia::history);
      else
        only.enter();
    }};
  rosia::reaction on_only{
    this, "on_only", {only}, [this] {
      say(*text + std::to_string(*count) + std::to_string(*kept));
    }};
};

struct yielding : logging {
  rosia::input_port<int> in{this, "in"};
  rosia::mode first{this, "first"};
  rosia::mode second{this, "second"};
  rosia::reaction on_first{
    first, "on_first", {first}, [this]() -> rosia::task {
      if (first.by_history())
        co_return;
      for (;;) {
        co_await rosia::after(10ms);
        say("first");
      }
    }};
  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          if (*in == 0)
                            first.enter(rosia::history);
                          else if (*in == 1)
                            second.enter();
                          else
                            first.enter();
                        }};
};

struct dropping : logging {
  struct writer {
    ~writer() {
      self->out("late");
    }
    dropping* self;
  };
  rosia::mode only{this, "only"};
  rosia::tick again{this, "again", rosia::once, 5ms};
  rosia::reaction on_only{
    only, "on_only", {only}, [this]() -> rosia::task {
      writer x{this};
      co_await rosia::after(10ms);
    }};
  rosia::reaction on_again{this, "on_again", {again}, [this] { only.enter(); }};
};

struct declaring : logging {
  rosia::input_port<int> in{this, "in"};
  rosia::mode first{this, "first"};
  rosia::mode second{this, "second"};
  rosia::reaction on_first{
    first, "on_first", {in}, rosia::writes(out), rosia::deadline{1ms}, [this] {
      out("first");
      second.enter();
    }};
  rosia::reaction on_second{
    second, "on_second", {in}, rosia::writes(out), [this] {
      out("second");
      first.enter();
    }};
};

struct outside : logging {
  rosia::mode first{this, "first"};
  rosia::mode second{this, "second"};
  rosia::physical_action<int> key{this, "key"};
  rosia::reaction on_first{
    first, "on_first", {key}, [this] {
      say("first");
      second.enter();
    }};
  rosia::reaction on_key{this, "on_key", {key}, [this] { say("any"); }};
};

struct eager_scheduler : logging {
  rosia::mode first{this, "first"};
  rosia::mode second{this, "second"};
  rosia::action<int> later{second, "later"};
  rosia::reaction on_first{
    first, "on_first", {first}, [this] { later.schedule(1ms, 1); }};
  rosia::reaction on_later{second, "on_later", {later}, [] {}};
};

struct scheduling : logging {
  rosia::mode first{this, "first"};
  rosia::mode second{this, "second"};
  rosia::action<int> later{second, "later"};
  rosia::action<void> plain{first, "plain"};
  rosia::reaction on_any{
    this, "on_any", {first, second}, [this] {
      if (second.is_active()) {
        later.schedule(1ms, 7);
      } else if (first.entries() == 1) {
        plain.schedule(2ms);
        second.enter();
      }
    }};
  rosia::reaction on_later{
    this, "on_later", {later, plain}, [this] {
      say(later.is_present() ? std::to_string(*later) : "plain");
      if (later.is_present())
        first.enter(rosia::history);
    }};
};

} // namespace

// -- the members of modes -----------------------------------------------------

TEST_CASE("10.7.3 ticks stand still while their mode is not active, and "
          "restart when it is reset") {
  harness<pump> h;
  CHECK(h.active_mode() == "normal");
  h.set(&pump::ok, 13ms, false);
  h.set(&pump::ok, 65ms, false);
  h.run_until(120ms);
  CHECK(h->seen
        == texts{"0s poll", "0s normal", "10ms poll", "13ms+1 failed",
                 "18ms probe 1", "48ms probe 2", "48ms+1 normal", "55ms poll",
                 "65ms poll", "65ms+1 failed", "70ms probe 1", "100ms probe 2",
                 "100ms+1 normal", "110ms poll", "120ms poll"});
  CHECK(h.active_mode() == "normal");
  CHECK(h->normal.entries() == 3);
  CHECK(h->failed.entries() == 2);
  CHECK(h->normal.by_history());
  CHECK_FALSE(h->failed.by_history());
  CHECK(h->normal.is_active());
  CHECK_FALSE(h->failed.is_active());
  CHECK(h.states() == texts{"tries: 2"});
}

TEST_CASE("10.7.3 suspended ticks are not among the scheduled events") {
  harness<pump> h;
  h.set(&pump::ok, 13ms, false);
  h.run_until(12ms);
  CHECK(h.scheduled(&pump::poll) == std::vector<logical_time>{at(20ms)});
  CHECK(h.scheduled(&pump::probe).empty());
  h.run_until(14ms);
  CHECK(h.scheduled(&pump::poll).empty());
  CHECK(h.scheduled(&pump::probe) == std::vector<logical_time>{at(18ms)});
}

TEST_CASE("10.7.3 a tick without offset begins at the microstep of the "
          "switch") {
  harness<delayed> h;
  h.run_until(27ms);
  CHECK(h->seen
        == texts{"7ms+1 step once", "10ms late", "17ms step ", "27ms step "});
}

TEST_CASE("10.7.3 states of a mode have their initial values after a reset, "
          "and keep them with its history") {
  harness<stateful> h;
  h.set(&stateful::again, 1ms, true);
  h.set(&stateful::again, 2ms, false);
  h.set(&stateful::again, 3ms, true);
  h.run();
  CHECK(h->seen == texts{"0s a51", "1ms+1 ab62", "2ms+1 a53", "3ms+1 ab64"});
  CHECK(h.ended());
}

TEST_CASE("10.7.3 coroutines of a mode stand still with it") {
  harness<yielding> h;
  h.set(&yielding::in, 15ms, 1);
  h.set(&yielding::in, 100ms, 0);
  h.set(&yielding::in, 118ms, 1);
  h.set(&yielding::in, 120ms, 2);
  h.run_until(131ms);
  CHECK(h->seen
        == texts{"10ms first", "105ms first", "115ms first", "130ms first"});
}

TEST_CASE("10.7.3 an error of a destructor of a dropped coroutine ends the "
          "node") {
  harness<dropping> h;
  h.run_until(6ms);
  REQUIRE(h.error());
  CHECK_THAT(h.error()->text, ContainsSubstring("output 'out' was written"));
}

TEST_CASE("10.7.1 reactions of a mode may declare their ports, and have "
          "deadlines") {
  harness<declaring> h;
  for (auto i : {1, 2, 3})
    h.set(&declaring::in, std::chrono::milliseconds{i}, i);
  h.run();
  CHECK(h.values(&declaring::out) == texts{"first", "second", "first"});
}

TEST_CASE("10.7.1 values from outside are taken in every mode") {
  harness<outside> h;
  h.schedule(&outside::key, 5ms, 1);
  h.schedule(&outside::key, 6ms, 2);
  h.run();
  CHECK(h->seen == texts{"5ms first", "5ms any", "6ms any"});
  CHECK(h.dropped() == 0);
}

// -- mistakes -----------------------------------------------------------------

TEST_CASE("10.7.4 an action of a mode cannot be scheduled in another mode") {
  harness<eager_scheduler> h;
  h.run();
  REQUIRE(h.error());
  CHECK(h.error()->reaction == "on_first");
  CHECK_THAT(h.error()->text,
             ContainsSubstring("action 'later' was scheduled while its mode "
                               "'second' is not active, but 'first'"));
}

TEST_CASE("10.7.4 an action of a mode is scheduled by any reaction while the "
          "mode is active") {
  harness<scheduling> h;
  h.run_until(4ms);
  CHECK(h->seen == texts{"1ms 7", "3ms plain"});
}

TEST_CASE("10.7.2 a mode is entered by its node's code only") {
  harness<pump> h;
  CHECK_THROWS_WITH(
    h->failed.enter(),
    "mode 'failed' was entered outside of the node's "
    "reactions; its node enters it, in reactions or start()");
  pump unused;
  CHECK_THROWS_WITH(
    unused.failed.enter(rosia::history),
    "mode 'failed' was entered outside of the node's "
    "reactions; its node enters it, in reactions or start()");
}

TEST_CASE("10.7.7 the names of modes and actions are unique") {
  struct twice : rosia::node {
    rosia::mode x{this, "x"};
    rosia::mode y{this, "x"};
  };
  CHECK_THROWS_AS(twice{}, graph_error);
  struct as_action : rosia::node {
    rosia::action<int> x{this, "x"};
    rosia::mode y{this, "x"};
  };
  CHECK_THROWS_AS(as_action{}, graph_error);
}

TEST_CASE("10.7.7 members have modes of their own node") {
  harness<pump> other;
  struct node : rosia::node {
    explicit node(rosia::mode& x) : later{x, "later"} {
      // nop
    }
    rosia::action<int> later;
  };
  CHECK_THROWS_WITH(
    node{other->failed},
    "member 'later' has the mode 'failed' of another node, 'node'; a member "
    "takes a mode of its own node, in place of `this`");
}

TEST_CASE("10.7.7 a member is declared after its mode") {
  struct early_state : rosia::node {
    rosia::state<int> count{x, "count"};
    rosia::mode x{this, "x"};
  };
  CHECK_THROWS_WITH(
    harness<early_state>{},
    ContainsSubstring(
      "member 'count' has a mode that comes after it; declare the mode before "
      "member 'count': members are made in the order of their declaration"));
  struct early_tick : rosia::node {
    rosia::tick step{x, "step", 1s};
    rosia::mode x{this, "x"};
  };
  CHECK_THROWS_AS(early_tick{}, graph_error);
  struct early_action : rosia::node {
    rosia::action<int> later{x, "later"};
    rosia::mode x{this, "x"};
  };
  CHECK_THROWS_AS(early_action{}, graph_error);
  struct early_reaction : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{x, "on_in", {in}, [] {}};
    rosia::mode x{this, "x"};
  };
  CHECK_THROWS_AS(early_reaction{}, graph_error);
}

TEST_CASE("10.7.7 a mode of another node is no trigger") {
  harness<pump> other;
  struct node : rosia::node {
    explicit node(rosia::mode& x) : on_mode{this, "on_mode", {x}, [] {}} {
      // nop
    }
    rosia::reaction on_mode;
  };
  CHECK_THROWS_WITH(
    harness<node>{other->failed},
    ContainsSubstring("has an action as a trigger that is not one of its"));
}

TEST_CASE("a node without modes has no active mode") {
  struct node : rosia::node {};
  harness<node> h;
  CHECK(h.active_mode().empty());
}

} // namespace mode_test
