// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Modes in applications: section 10.7 of the semantics. Most cases have the
// tags and values of tests of Lingua Franca, whose names they have.

#include "caf/rosia/test/check_resume.hpp"

#include "support.hpp"

#include <cctype>

namespace modes_test {

namespace {

using texts = std::vector<std::string>;

/// Sends a signal at regular times.
struct stepper : rosia::node, rosia::stateless<stepper> {
  stepper(rosia::time_span first, rosia::time_span every)
    : step{this, "step", every, first} {
    // nop
  }

  rosia::tick step;
  rosia::output_port<bool> next{this, "next"};
  rosia::reaction on_step{this, "on_step", {step}, [this] { next(true); }};
};

/// A node with the input of the stepper. It writes down what it does.
struct modal : rosia::node {
  rosia::input_port<bool> next{this, "next"};
  rosia::state<texts> seen{this, "seen"}; // with the tags

  void add(const std::string& x) {
    auto tag = to_string(now()) + ':';
    if (seen->empty() || !seen->back().starts_with(tag))
      seen->push_back(tag);
    seen->back() += ' ' + x;
  }

  void add(const std::string& name, int value) {
    add(name + '=' + std::to_string(value));
  }
};

/// Runs a node with a stepper. @returns what it did.
template <class Node>
texts run_modal(rosia::time_span first, rosia::time_span every,
                rosia::test::moment stop) {
  texts result;
  for (auto threads : {1u, 4u}) {
    workers_config cfg{threads};
    caf::actor_system sys{cfg};
    rosia::application app{sys, fast_until(stop)};
    auto clock = app.create<stepper>("clock", first, every);
    auto node = app.create<Node>("node");
    clock[&stepper::next] >>= node[&modal::next];
    REQUIRE(app.run() == 0);
    if (threads > 1)
      CHECK(*node->seen == result);
    result = *node->seen;
  }
  return result;
}

// -- one mode after the other -------------------------------------------------

struct count_3_modes : modal {
  rosia::mode one{this, "one"};
  rosia::mode two{this, "two"};
  rosia::mode three{this, "three"};
  rosia::reaction in_one{
    one, "in_one", {next}, [this] {
      add("1");
      two.enter();
    }};
  rosia::reaction in_two{
    two, "in_two", {next}, [this] {
      add("2");
      three.enter();
    }};
  rosia::reaction in_three{
    three, "in_three", {next}, [this] {
      add("3");
      one.enter();
    }};
};

/// Mode `three` is never active.
struct nested_reactions : modal {
  rosia::mode one{this, "one"};
  rosia::mode two{this, "two"};
  rosia::mode three{this, "three"};
  rosia::reaction in_one{
    one, "in_one", {next}, [this] {
      add("1");
      two.enter();
    }};
  rosia::reaction only_in_two{
    two, "only_in_two", {next}, [this] { add("only"); }};
  rosia::reaction in_two{
    two, "in_two", {next}, [this] {
      add("2");
      one.enter();
    }};
  rosia::reaction in_three{three, "in_three", {next}, [this] { add("never"); }};
};

/// Reactions of modes between those without.
struct mixed_reactions : modal {
  rosia::mode a{this, "a"};
  rosia::mode b{this, "b"};
  rosia::state<int> x{this, "x", 0};
  rosia::reaction r1{this, "r1", {next}, [this] { x = *x * 10 + 1; }};
  rosia::reaction r2{this, "r2", {next}, [this] { x = *x * 10 + 2; }};
  rosia::reaction r3{a, "r3", {next}, [this] {
                       x = *x * 10 + 3;
                       b.enter();
                     }};
  rosia::reaction r4{this, "r4", {next}, [this] { x = *x * 10 + 4; }};
  rosia::reaction r5{b, "r5", {next}, [this] { x = *x * 10 + 5; }};
  rosia::reaction r6{this, "r6", {next}, [this] { add(std::to_string(*x)); }};
};

// -- ticks and actions --------------------------------------------------------

struct modal_timers : modal {
  rosia::mode one{this, "one"};
  rosia::mode two{this, "two"};
  rosia::tick t1{one, "t1", 750ms};
  rosia::tick t2{two, "t2", 750ms};
  rosia::reaction on_t1{one, "on_t1", {t1}, [this] { add("t1"); }};
  rosia::reaction next_1{
    one, "next_1", {next}, [this] {
      add("switch");
      two.enter();
    }};
  rosia::reaction on_t2{two, "on_t2", {t2}, [this] { add("t2"); }};
  rosia::reaction next_2{
    two, "next_2", {next}, [this] {
      add("switch");
      one.enter(rosia::history);
    }};
};

struct modal_actions : modal {
  rosia::mode one{this, "one"};
  rosia::mode two{this, "two"};
  rosia::tick t1{one, "t1", 750ms};
  rosia::tick t2{two, "t2", 750ms};
  rosia::action<void> delay1{one, "delay1"};
  rosia::action<void> delay2{two, "delay2"};
  rosia::reaction on_t1{one, "on_t1", {t1}, [this] {
                          delay1.schedule(500ms);
                          add("scheduled1");
                        }};
  rosia::reaction on_delay1{
    one, "on_delay1", {delay1}, [this] { add("executed1"); }};
  rosia::reaction next_1{
    one, "next_1", {next}, [this] {
      add("switch");
      two.enter();
    }};
  rosia::reaction on_t2{two, "on_t2", {t2}, [this] {
                          delay2.schedule(500ms);
                          add("scheduled2");
                        }};
  rosia::reaction on_delay2{
    two, "on_delay2", {delay2}, [this] { add("executed2"); }};
  rosia::reaction next_2{
    two, "next_2", {next}, [this] {
      add("switch");
      one.enter(rosia::history);
    }};
};

/// A delay within each mode is a coroutine.
struct modal_after : modal {
  rosia::mode one{this, "one"};
  rosia::mode two{this, "two"};
  rosia::tick t1{one, "t1", 750ms};
  rosia::tick t2{two, "t2", 750ms};
  rosia::reaction on_t1{one, "on_t1", {t1}, [this]() -> rosia::task {
                          add("produced1");
                          co_await rosia::after(500ms);
                          add("consumed1");
                        }};
  rosia::reaction next_1{
    one, "next_1", {next}, [this] {
      add("switch");
      two.enter();
    }};
  rosia::reaction on_t2{two, "on_t2", {t2}, [this]() -> rosia::task {
                          add("produced2");
                          co_await rosia::after(500ms);
                          add("consumed2");
                        }};
  rosia::reaction next_2{
    two, "next_2", {next}, [this] {
      add("switch");
      one.enter(rosia::history);
    }};
};

// -- states -------------------------------------------------------------------

/// Resets a state in a reaction to its mode.
struct state_reset : modal {
  rosia::mode one{this, "one"};
  rosia::mode two{this, "two"};
  rosia::state<int> counter0{this, "counter0", 0};
  rosia::state<int> counter1{this, "counter1", 0};
  rosia::state<int> counter2{this, "counter2", -2};
  rosia::tick t1{one, "t1", 250ms};
  rosia::tick t2{two, "t2", 250ms};
  rosia::reaction always{
    this, "always", {next}, [this] { add("count0", (*counter0)++); }};
  rosia::reaction reset1{
    one, "reset1", {one}, [this] {
      if (!one.by_history())
        counter1 = 0;
    }};
  rosia::reaction on_t1{
    one, "on_t1", {t1}, [this] { add("count1", (*counter1)++); }};
  rosia::reaction next_1{
    one, "next_1", {next}, [this] {
      add("switch");
      two.enter();
    }};
  rosia::reaction reset2{two, "reset2", {two}, [this] { counter2 = -2; }};
  rosia::reaction on_t2{
    two, "on_t2", {t2}, [this] { add("count2", (*counter2)++); }};
  rosia::reaction next_2{
    two, "next_2", {next}, [this] {
      add("switch");
      one.enter(rosia::history);
    }};
};

/// States of a mode are reset with it.
struct state_reset_auto : modal {
  rosia::mode one{this, "one"};
  rosia::mode two{this, "two"};
  rosia::state<int> counter0{this, "counter0", 0};
  rosia::state<int> counter1{one, "counter1", 0};
  rosia::state<int> counter2{two, "counter2", -2};
  rosia::tick t1{one, "t1", 250ms};
  rosia::tick t2{two, "t2", 250ms};
  rosia::reaction always{
    this, "always", {next}, [this] { add("count0", (*counter0)++); }};
  rosia::reaction on_t1{
    one, "on_t1", {t1}, [this] { add("count1", (*counter1)++); }};
  rosia::reaction next_1{
    one, "next_1", {next}, [this] {
      add("switch");
      two.enter();
    }};
  rosia::reaction on_t2{
    two, "on_t2", {t2}, [this] { add("count2", (*counter2)++); }};
  rosia::reaction next_2{
    two, "next_2", {next}, [this] {
      add("switch");
      one.enter(rosia::history);
    }};
};

struct state_of_time : modal {
  rosia::mode a{this, "a"};
  rosia::mode b{this, "b"};
  rosia::state<std::int64_t> time{a, "time", 0};
  rosia::reaction in_a{a, "in_a", {next}, [this] {
                         add("a", static_cast<int>(*time));
                         time = now().ns + 1;
                         b.enter();
                       }};
  rosia::reaction in_b{b, "in_b", {next}, [this] {
                         add("b");
                         a.enter();
                       }};
};

struct two_feeders : modal {
  rosia::mode one{this, "one"};
  rosia::mode two{this, "two"};
  rosia::tick t1{one, "t1", 250ms};
  rosia::tick t2{two, "t2", 100ms};
  rosia::state<int> value1{one, "value1", 0};
  rosia::state<int> value2{two, "value2", 0};
  rosia::reaction on_t1{
    one, "on_t1", {t1}, [this] { add(std::to_string((*value1)++)); }};
  rosia::reaction next_1{one, "next_1", {next}, [this] { two.enter(); }};
  rosia::reaction on_t2{
    two, "on_t2", {t2}, [this] { add(std::to_string((*value2)++)); }};
  rosia::reaction next_2{
    two, "next_2", {next}, [this] { one.enter(rosia::history); }};
};

// -- the start and the end ----------------------------------------------------

struct startup_shutdown : modal {
  rosia::mode one{this, "one"};
  rosia::mode two{this, "two"};
  rosia::mode three{this, "three"};
  rosia::mode four{this, "four"};
  rosia::mode five{this, "five"};
  rosia::reaction startup1{one, "startup1", {one}, [this] { add("startup1"); }};
  rosia::reaction next1{one, "next1", {next}, [this] {
                          add("to2");
                          two.enter();
                        }};
  rosia::reaction startup2{two, "startup2", {two}, [this] { add("startup2"); }};
  rosia::reaction next2{two, "next2", {next}, [this] {
                          add("to3");
                          three.enter();
                        }};
  rosia::reaction shutdown2{
    two, "shutdown2", {rosia::at_shutdown}, [this] { add("shutdown2"); }};
  rosia::reaction next3{three, "next3", {next}, [this] {
                          add("to4");
                          four.enter();
                        }};
  rosia::reaction shutdown3{
    three, "shutdown3", {rosia::at_shutdown}, [this] { add("shutdown3"); }};
  rosia::reaction startup4{
    four, "startup4", {four}, [this] {
      if (four.entries() == 1)
        add("startup4");
    }};
  rosia::reaction reset4{four, "reset4", {four}, [this] { add("reset4"); }};
  rosia::reaction next4{four, "next4", {next}, [this] {
                          add("to4");
                          four.enter();
                        }};
  rosia::reaction shutdown4{
    four, "shutdown4", {rosia::at_shutdown}, [this] { add("shutdown4"); }};
  rosia::reaction startup5{
    five, "startup5", {five}, [this] { add("startup5"); }};
  rosia::reaction shutdown5{
    five, "shutdown5", {rosia::at_shutdown}, [this] { add("shutdown5"); }};
};

// -- a node with modes that reads another's letters ---------------------------

struct letters : rosia::node {
  rosia::output_port<char> out{this, "out"};
  rosia::tick step{this, "step", 250ms};
  rosia::state<std::string> left{this, "left", "Hello World!"};
  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      if (left->empty())
        return;
      out(left->front());
      left->erase(0, 1);
    }};
};

/// Writes letters in upper and lower case in turn, a word each. A discarded
/// letter is followed by the first case, or by that of before.
template <bool History>
struct converter : rosia::node {
  rosia::input_port<bool> discard{this, "discard"};
  rosia::input_port<char> raw{this, "raw"};
  rosia::output_port<std::string> out{this, "out"};
  rosia::mode converting{this, "converting"};
  rosia::mode discarding{this, "discarding"};
  rosia::state<bool> lower{converting, "lower", false};
  rosia::reaction on_raw{
    converting, "on_raw", {raw}, [this] {
      auto c = static_cast<unsigned char>(*raw);
      out(std::string(
        1, static_cast<char>(*lower ? std::tolower(c) : std::toupper(c))));
      if (*raw == ' ')
        lower = !*lower;
    }};
  rosia::reaction on_discard{
    converting, "on_discard", {discard}, [this] { discarding.enter(); }};
  rosia::reaction discarded{
    discarding, "discarded", {raw}, [this] {
      out("_");
      if (History)
        converting.enter(rosia::history);
      else
        converting.enter();
    }};
};

/// Returns what the converter writes, as one text.
template <bool History>
std::string convert() {
  using node = converter<History>;
  caf::actor_system_config cfg;
  caf::actor_system sys{cfg};
  rosia::application app{sys, fast_until(4s)};
  auto from = app.create<letters>("from");
  auto clock = app.create<stepper>("clock", 500ms, 1s);
  auto x = app.create<node>("node");
  auto to = app.create<recorder<std::string>>("to");
  from[&letters::out] >>= x[&node::raw];
  clock[&stepper::next] >>= x[&node::discard];
  x[&node::out] >>= to[&recorder<std::string>::in];
  REQUIRE(app.run() == 0);
  std::string result;
  for (auto& y : to->got) {
    CHECK(y.tag == at(250ms * static_cast<int>(result.size())));
    result += y.value;
  }
  return result;
}

} // namespace

// -- as in Lingua Franca ------------------------------------------------------

TEST_CASE("10.7.2 Lingua Franca: Count3Modes") {
  CHECK(run_modal<count_3_modes>(0s, 250ms, 1s)
        == texts{"0s: 1", "250ms: 2", "500ms: 3", "750ms: 1", "1s: 2"});
}

TEST_CASE("10.7.1 Lingua Franca: ModalNestedReactions") {
  CHECK(run_modal<nested_reactions>(0s, 250ms, 750ms)
        == texts{"0s: 1", "250ms: only 2", "500ms: 1", "750ms: only 2"});
}

TEST_CASE("10.7.6 Lingua Franca: MixedReactions") {
  CHECK(run_modal<mixed_reactions>(0s, 100ms, 110ms)
        == texts{"0s: 1234", "100ms: 12341245"});
}

TEST_CASE("10.7.3 Lingua Franca: ModalTimers") {
  CHECK(run_modal<modal_timers>(1s, 1s, 4s)
        == texts{"0s: t1", "750ms: t1", "1s: switch", "1s+1: t2", "1.75s: t2",
                 "2s: switch", "2.5s: t1", "3s: switch", "3s+1: t2",
                 "3.75s: t2", "4s: switch"});
}

TEST_CASE("10.7.3 Lingua Franca: ModalActions") {
  CHECK(
    run_modal<modal_actions>(1s, 1s, 4s)
    == texts{
      "0s: scheduled1", "500ms: executed1", "750ms: scheduled1", "1s: switch",
      "1s+1: scheduled2", "1.5s: executed2", "1.75s: scheduled2", "2s: switch",
      "2.25s: executed1", "2.5s: scheduled1", "3s: executed1 switch",
      "3s+1: scheduled2", "3.5s: executed2", "3.75s: scheduled2",
      "4s: switch"});
}

TEST_CASE("10.7.3 Lingua Franca: ModalAfter") {
  CHECK(
    run_modal<modal_after>(1s, 1s, 4s)
    == texts{
      "0s: produced1", "500ms: consumed1", "750ms: produced1", "1s: switch",
      "1s+1: produced2", "1.5s: consumed2", "1.75s: produced2", "2s: switch",
      "2.25s: consumed1", "2.5s: produced1", "3s: consumed1 switch",
      "3s+1: produced2", "3.5s: consumed2", "3.75s: produced2", "4s: switch"});
}

TEST_CASE("10.7.3 Lingua Franca: ModalStateReset, ModalStateResetAuto, "
          "BanksModalStateReset") {
  texts expected{
    "0s: count1=0",
    "250ms: count1=1",
    "500ms: count1=2",
    "750ms: count1=3",
    "1s: count0=0 count1=4 switch",
    "1s+1: count2=-2",
    "1.25s: count2=-1",
    "1.5s: count2=0",
    "1.75s: count2=1",
    "2s: count0=1 count2=2 switch",
    "2.25s: count1=5",
    "2.5s: count1=6",
    "2.75s: count1=7",
    "3s: count0=2 count1=8 switch",
    "3s+1: count2=-2",
    "3.25s: count2=-1",
    "3.5s: count2=0",
    "3.75s: count2=1",
    "4s: count0=3 count2=2 switch",
  };
  CHECK(run_modal<state_reset>(1s, 1s, 4s) == expected);
  CHECK(run_modal<state_reset_auto>(1s, 1s, 4s) == expected);
  caf::actor_system_config cfg;
  caf::actor_system sys{cfg};
  rosia::application app{sys, fast_until(4s)};
  auto clock = app.create<stepper>("clock", 1s, 1s);
  auto nodes = app.create_bank<state_reset_auto>("node", 2);
  rosia::broadcast(clock[&stepper::next]) >>= nodes[&modal::next];
  REQUIRE(app.run() == 0);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(*nodes[i]->seen == expected);
}

TEST_CASE("10.7.3 Lingua Franca: ResetStateVariableOfTypeTime") {
  CHECK(run_modal<state_of_time>(0s, 1s, 3s)
        == texts{"0s: a=0", "1s: b", "2s: a=0", "3s: b"});
}

TEST_CASE("10.7.3 Lingua Franca: MultipleOutputFeeder_2Connections") {
  CHECK(
    run_modal<two_feeders>(500ms, 500ms, 2s)
    == texts{"0s: 0", "250ms: 1", "500ms: 2", "500ms+1: 0", "600ms: 1",
             "700ms: 2", "800ms: 3", "900ms: 4", "1s: 5", "1.25s: 3", "1.5s: 4",
             "1.5s+1: 0", "1.6s: 1", "1.7s: 2", "1.8s: 3", "1.9s: 4", "2s: 5"});
}

TEST_CASE("10.7.6 Lingua Franca: ModalStartupShutdown") {
  CHECK(
    run_modal<startup_shutdown>(500ms, 500ms, 3s)
    == texts{
      "0s: startup1", "500ms: to2", "500ms+1: startup2", "1s: to3", "1.5s: to4",
      "1.5s+1: startup4 reset4", "2s: to4", "2s+1: reset4", "2.5s: to4",
      "2.5s+1: reset4", "3s: to4", "3s+1: shutdown2 shutdown3 shutdown4"});
}

TEST_CASE("10.7.3 Lingua Franca: ConvertCaseTest") {
  CHECK(convert<false>() == "HEL_O w_RLD_");
  CHECK(convert<true>() == "HEL_O w_rld_");
}

TEST_CASE("10.7.1 Lingua Franca: BanksCount3ModesSimple") {
  caf::actor_system_config cfg;
  caf::actor_system sys{cfg};
  rosia::application app{sys, fast_until(750ms)};
  auto clock = app.create<stepper>("clock", 0s, 250ms);
  auto nodes = app.create_bank<count_3_modes>("node", 3);
  rosia::broadcast(clock[&stepper::next]) >>= nodes[&modal::next];
  REQUIRE(app.run() == 0);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(
      *nodes[i]->seen == texts{"0s: 1", "250ms: 2", "500ms: 3", "750ms: 1"});
}

// -- checkpoints, reports -----------------------------------------------------

TEST_CASE("10.7.5 a run with modes resumes from any checkpoint without a "
          "difference") {
  test_system sys;
  rosia::test::check_resume(
    sys,
    [](rosia::application& app) {
      auto clock = app.create<stepper>("clock", 600ms, 610ms);
      auto node = app.create<modal_actions>("node");
      auto states = app.create<state_reset_auto>("states");
      clock[&stepper::next] >>= node[&modal::next];
      clock[&stepper::next] >>= states[&modal::next];
    },
    8s, 30);
}

TEST_CASE("10.7.7 reports have the active mode") {
  caf::actor_system_config cfg;
  caf::actor_system sys{cfg};
  rosia::application app{sys, fast_until(1500ms)};
  auto clock = app.create<stepper>("clock", 1s, 1s);
  auto node = app.create<modal_timers>("node");
  clock[&stepper::next] >>= node[&modal::next];
  auto modes = [&] { return app.status().nodes[1].modes; };
  CHECK(
    modes()
    == std::vector<rosia::mode_report>{{"one", true, 1}, {"two", false, 0}});
  REQUIRE(app.run() == 0);
  CHECK(
    modes()
    == std::vector<rosia::mode_report>{{"one", false, 1}, {"two", true, 1}});
  CHECK_THAT(
    to_string(app.status().nodes[1]), ContainsSubstring("in mode 'two'"));
}

} // namespace modes_test
