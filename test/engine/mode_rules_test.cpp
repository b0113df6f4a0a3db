// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 10.7 of the semantics: modes of nodes.

#include "lab.hpp"

#include "catch.hpp"

#include <limits>
#include <utility>

namespace mode_rules_test {

using namespace engine_test;
using Catch::Matchers::ContainsSubstring;
using tags = std::vector<logical_time>;
using texts = std::vector<std::string>;

namespace {

/// Enters a mode at the time `at`.
struct entry {
  std::int64_t at;
  std::uint32_t mode;
  bool by_history = false;
};

/// The reactions of the node that `moded` returns, and what triggers them.
enum reaction : std::uint32_t {
  of_0,    // of mode 0, by the input
  of_1,    // of mode 1, by the input
  act_0,   // of mode 0, by its action
  act_1,   // of mode 1, by its action
  always,  // of no mode, by both actions
  entered, // of no mode, by the modes
};

constexpr std::uint32_t input_of_all = 0;

/// Returns a node with two modes, each with an action. It enters the modes at
/// these times. Its log has the reactions, with their tags.
script moded(std::vector<entry> entries) {
  script result;
  result.triggers = {{input_of_all}, {input_of_all}, {}, {}, {}, {}};
  result.actions = 2;
  result.modes = 2;
  result.acts = {{}, {}, {0}, {1}, {0, 1}, {2, 3}};
  result.reaction_modes = {0, 1, 0, 1, no_mode, no_mode};
  result.action_modes = {0, 1};
  result.start = [entries = std::move(entries)](code& me) {
    for (auto x : entries)
      me.wait(ns(x.at), [x](code& self) { self.enter(x.mode, x.by_history); });
  };
  result.react = [](code& me, std::uint32_t reaction) {
    auto name = std::string{me.reaction_name(reaction)};
    if (reaction == entered)
      name = me.entered(0) ? "enters 0" : "enters 1";
    me.log.push_back(to_string(me.now()) + ' ' + name);
  };
  return result;
}

/// Returns a node that writes at these times.
script source(std::vector<std::int64_t> times) {
  script result;
  result.inputs = 0;
  result.start = [times = std::move(times)](code& me) {
    for (auto at : times)
      me.wait(ns(at), [](code& self) { self.write(); });
  };
  return result;
}

script sink() {
  script result;
  result.outputs = 0;
  return result;
}

/// Lets `fun` run before the entries at the start.
script with_start(script x, std::function<void(code&)> fun) {
  x.start = [fun = std::move(fun), before = std::move(x.start)](code& me) {
    fun(me);
    before(me);
  };
  return x;
}

/// Runs a node with a source to its end, alone or in a group. @returns its log.
texts log_of(const script& role, std::vector<std::int64_t> times,
             bool fused = false, bool traces = true) {
  lab net;
  auto x = net.add(source(std::move(times)));
  auto y = net.add(role);
  net.connect(x, y);
  net.assemble({.traces = traces});
  if (fused)
    net.fuse(x, y);
  net.start_all();
  net.run();
  CHECK(net.failures.empty());
  CHECK(net.left(y));
  return net.code_of(y).log;
}

} // namespace

// -- which reactions run ------------------------------------------------------

TEST_CASE("10.7.1 reactions of a mode that is not active do not run") {
  for (auto fused : {false, true})
    for (auto traces : {false, true}) {
      auto log = log_of(
        moded({{20, 1}, {40, 0}}), {10, 20, 30, 40, 50}, fused, traces);
      CHECK(log
            == texts{"0s enters 0", "10ns r0", "20ns r0", "20ns+1 enters 1",
                     "30ns r1", "40ns r1", "40ns+1 enters 0", "50ns r0"});
    }
}

TEST_CASE("10.7.1 inputs are set in every mode") {
  auto role = moded({{20, 1}});
  role.triggers = {{0}, {}, {}, {}, {}, {}};
  role.start = [before = role.start](code& me) {
    before(me);
    me.wait(ns(40), [](code& self) {
      self.log.push_back("value " + std::to_string(self.values()[0]));
    });
  };
  script values;
  values.inputs = 0;
  values.start = [](code& me) {
    me.wait(ns(10), [](code& self) { self.write(0, 1); });
    me.wait(ns(30), [](code& self) { self.write(0, 3); });
  };
  lab net;
  auto x = net.add(values);
  auto y = net.add(role);
  net.connect(x, y);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.code_of(y).log
        == texts{"0s enters 0", "10ns r0", "20ns+1 enters 1", "value 3"});
  CHECK(
    net.tags(y) == tags{{0, 0}, {10, 0}, {20, 0}, {20, 1}, {30, 0}, {40, 0}});
}

TEST_CASE("10.7.1 several reactions to one member are filtered, too") {
  auto role = moded({{20, 1}});
  role.inputs = 2;
  role.triggers = {{0, 1}, {0, 1}, {}, {}, {0}, {1}};
  role.acts = {{}, {}, {0}, {1}, {}, {}};
  auto log = log_of(role, {10, 30});
  CHECK(log == texts{"10ns r0", "10ns r4", "30ns r1", "30ns r4"});
}

// -- entering -----------------------------------------------------------------

TEST_CASE("10.7.2 a mode is active from the microstep after the call on") {
  auto role = moded({});
  role.react = [](code& me, std::uint32_t reaction) {
    me.log.push_back(
      to_string(me.now()) + ' ' + std::string{me.reaction_name(reaction)});
    if (reaction == of_0)
      me.enter(1);
    if (reaction == of_1)
      me.enter(0);
  };
  CHECK(log_of(role, {10, 10, 20})
        == texts{"0s r5", "10ns r0", "10ns+1 r1", "10ns+1 r5", "10ns+2 r5",
                 "20ns r0", "20ns+1 r5"});
}

TEST_CASE("10.7.2 the last call at a tag counts") {
  auto role = moded({});
  role.start = [](code& me) {
    me.wait(ns(10), [](code& self) {
      self.enter(1, true);
      self.enter(0, true);
    });
    me.wait(ns(20), [](code& self) {
      self.enter(0);
      self.enter(1);
    });
  };
  lab net;
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.code_of(x).log
        == texts{"0s enters 0", "10ns+1 enters 0", "20ns+1 enters 1"});
  CHECK((*net.at(x).modes())[0].by_history);
  CHECK(!(*net.at(x).modes())[1].by_history);
}

TEST_CASE("10.7.2 the switch precedes the resumptions of its tag") {
  // The instance of mode 0 would resume at the tag of the switch.
  auto role = moded({{20, 1}, {50, 0, true}});
  role.react = [](code& me, std::uint32_t reaction) {
    if (reaction != of_0)
      return;
    me.wait(ns(10), [](code& self) {
      self.wait(steps(1), [](code& again) {
        again.log.push_back("resumes at " + to_string(again.now()));
      });
    });
  };
  CHECK(log_of(role, {10}) == texts{"resumes at 50ns+1"});
}

TEST_CASE("10.7.2 only the node's code enters a mode") {
  lab net;
  auto x = net.add(moded({}));
  net.assemble();
  CHECK_THROWS_WITH(
    net.code_of(x).enter(1),
    "mode 'a3' was entered outside of the node's reactions; its node enters "
    "it, in reactions or start()");
  auto role = moded({});
  role.shutdown = [](code& me) { me.enter(1); };
  lab other;
  auto y = other.add(role);
  other.assemble();
  other.start_all();
  other.run();
  REQUIRE(other.shutdown_failures.size() == 1);
  CHECK_THAT(other.shutdown_failures[0].second.text,
             ContainsSubstring("mode 'a3' was entered in shutdown()"));
  CHECK(other.left(y));
}

TEST_CASE("10.7.2 a mode cannot be entered where the microstep overflows") {
  constexpr auto last_step = std::numeric_limits<std::uint32_t>::max();
  auto role = moded({});
  role.start = [](code& me) {
    me.wait(steps(last_step), [](code& self) { self.enter(1); });
  };
  lab net;
  net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  REQUIRE(net.failures.size() == 1);
  CHECK_THAT(net.failures[0].second.text, ContainsSubstring("microstep"));
}

// -- suspended events ---------------------------------------------------------

TEST_CASE("10.7.3 with its history, a mode continues where it was left") {
  auto role = with_start(moded({{20, 1}, {50, 0, true}}), [](code& me) {
    me.schedule(ns(20));  // at the tag of the call
    me.schedule(ns(35));  // 15 ns after it
    me.schedule(ns(100)); // 80 ns after it
  });
  for (auto fused : {false, true})
    for (auto traces : {false, true})
      CHECK(log_of(role, {}, fused, traces)
            == texts{
              "0s enters 0", "20ns r2", "20ns r4", "20ns+1 enters 1",
              "50ns+1 enters 0", "65ns r2", "65ns r4", "130ns r2", "130ns r4"});
}

TEST_CASE("10.7.3 a distance within an instant is a number of microsteps") {
  auto role = moded({});
  role.start = [](code& me) {
    me.wait(ns(20), [](code& self) {
      self.schedule(steps(1), 1);
      self.schedule(steps(3), 3);
      self.schedule(ns(5), 5);
      self.enter(1);
    });
    me.wait(ns(50), [](code& self) {
      self.wait(steps(2), [](code& again) { again.enter(0, true); });
    });
  };
  role.react = [](code& me, std::uint32_t reaction) {
    if (reaction == act_0)
      me.log.push_back(
        to_string(me.now()) + ' ' + std::to_string(me.scheduled()[0]));
  };
  CHECK(log_of(role, {}) == texts{"50ns+3 1", "50ns+5 3", "55ns 5"});
}

TEST_CASE("10.7.3 the order of suspended events of one tag is kept") {
  auto role = with_start(moded({{20, 1}, {50, 0, true}}), [](code& me) {
    me.schedule(ns(30), 1);
    me.schedule(ns(40), 4);
    me.schedule(ns(30), 2);
    me.schedule(ns(30), 3);
  });
  role.react = [](code& me, std::uint32_t reaction) {
    if (reaction != act_0)
      return;
    auto text = to_string(me.now());
    for (auto value : me.scheduled())
      text += ' ' + std::to_string(value);
    me.log.push_back(text);
  };
  CHECK(log_of(role, {}) == texts{"60ns 1 2 3", "70ns 4"});
}

TEST_CASE("10.7.3 reset drops the events, and resets the states") {
  lab net;
  auto x = net.add(with_start(moded({{20, 1}, {50, 0}}), [](code& me) {
    me.schedule(ns(35));
  }));
  net.assemble();
  net.start_all();
  net.run();
  auto& code = net.code_of(x);
  CHECK(code.log == texts{"0s enters 0", "20ns+1 enters 1", "50ns+1 enters 0"});
  CHECK(code.resets == 2);
  CHECK(net.left(x));
}

TEST_CASE("10.7.3 a mode that was never active is reset") {
  lab net;
  auto x = net.add(moded({{20, 1, true}, {30, 0, true}, {40, 1, true}}));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.code_of(x).resets == 1);
  CHECK((*net.at(x).modes())[1].by_history);
}

TEST_CASE("10.7.3 the active mode may be reset") {
  auto role
    = with_start(moded({{20, 0}}), [](code& me) { me.schedule(ns(35)); });
  CHECK(log_of(role, {}) == texts{"0s enters 0", "20ns+1 enters 0"});
}

TEST_CASE("10.7.3 entering the active mode with its history moves nothing") {
  auto role
    = with_start(moded({{20, 0, true}}), [](code& me) { me.schedule(ns(35)); });
  CHECK(log_of(role, {})
        == texts{"0s enters 0", "20ns+1 enters 0", "35ns r2", "35ns r4"});
}

TEST_CASE("10.7.3 instances that yielded are suspended") {
  for (auto by_history : {true, false}) {
    auto role = moded({{20, 1}, {50, 0, by_history}});
    role.react = [](code& me, std::uint32_t reaction) {
      if (reaction == of_0)
        for (auto d : {15, 25})
          me.wait(ns(d), [](code& self) {
            self.log.push_back("resumes at " + to_string(self.now()));
          });
    };
    lab net;
    auto x = net.add(source({10}));
    auto y = net.add(role);
    net.connect(x, y);
    net.assemble();
    net.start_all();
    net.run();
    CHECK(net.failures.empty());
    CHECK(net.left(y));
    auto& code = net.code_of(y);
    CHECK(
      code.log
      == (by_history ? texts{"resumes at 55ns", "resumes at 65ns"} : texts{}));
    CHECK(code.discarded == (by_history ? 0 : 2));
  }
}

TEST_CASE("10.7.3 suspended instances are discarded at the end") {
  auto role = moded({{20, 1}});
  role.react = [](code& me, std::uint32_t reaction) {
    if (reaction == of_0)
      me.wait(ns(15), [](code&) {});
  };
  lab net;
  auto x = net.add(source({10}));
  auto y = net.add(role);
  net.connect(x, y);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.left(y));
  CHECK(net.code_of(y).discarded == 1);
}

// -- triggers, errors ---------------------------------------------------------

TEST_CASE("10.7.4 a mode is present when it is entered, the first one at the "
          "start") {
  lab net;
  auto x = net.add(moded({{20, 1}, {20, 0}}));
  net.assemble();
  net.start_all();
  net.run();
  // The instances of start() resume a microstep apart.
  CHECK(net.code_of(x).log
        == texts{"0s enters 0", "20ns+1 enters 1", "20ns+2 enters 0"});
  auto& modes = *net.at(x).modes();
  CHECK(modes[0].entries.value() == 2);
  CHECK(modes[1].entries.value() == 1);
  CHECK(modes.active() == 0);
}

TEST_CASE("10.7.4 scheduling an action of a mode that is not active is an "
          "error") {
  for (auto first : {0, 1}) {
    auto role = moded({});
    role.start = [first](code& me) {
      if (first == 0)
        me.enter(1);
      me.wait(ns(10), [](code& self) { self.schedule(ns(1), 0, 1); });
      me.wait(ns(20), [](code& self) { self.schedule(ns(1), 0, 0); });
    };
    lab net;
    net.add(role);
    net.assemble();
    net.start_all();
    net.run();
    REQUIRE(net.failures.size() == 1);
    CHECK(net.failures[0].second.tag == logical_time{first == 0 ? 20 : 10, 0});
    CHECK(
      net.failures[0].second.text
      == (first == 0
            ? "action 'a0' was scheduled while its mode 'a2' is not "
              "active, but 'a3'; enter the mode, and schedule the action "
              "in a reaction to the mode"
            : "action 'a1' was scheduled while its mode 'a3' is not "
              "active, but 'a2'; enter the mode, and schedule the action "
              "in a reaction to the mode"));
  }
}

// -- promises, the end, checkpoints -------------------------------------------

TEST_CASE("10.7.5 suspended events bound no promise and keep no node alive") {
  for (auto fused : {false, true}) {
    auto role
      = with_start(moded({{20, 1}}), [](code& me) { me.schedule(ns(30)); });
    role.inputs = 0;
    role.triggers = {{}, {}, {}, {}, {}, {}};
    role.realtime = true;
    lab net;
    auto x = net.add(role);
    auto y = net.add(sink());
    net.connect(x, y);
    net.assemble();
    if (fused)
      net.fuse(x, y);
    net.start_all();
    net.run_until(19);
    if (!fused)
      CHECK(net.at(x).promise_over(0) == logical_time{20, 0});
    net.run_until(20);
    CHECK(net.left(x));
    CHECK(net.left(y));
    CHECK(net.tags(x) == tags{{0, 0}, {20, 0}, {20, 1}});
  }
}

TEST_CASE("10.7.5 reports count suspended events apart") {
  auto role = with_start(moded({{20, 1}}), [](code& me) {
    me.schedule(ns(30));
    me.wait(ns(100), [](code&) {});
  });
  role.realtime = true;
  lab net;
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(15);
  CHECK(net.at(x).look().scheduled == 1);
  CHECK(net.at(x).look().suspended == 0);
  net.run_until(25);
  CHECK(net.at(x).look().scheduled == 0);
  CHECK(net.at(x).look().suspended == 1);
  CHECK(net.at(x).look().yielded == 1);
}

TEST_CASE("10.7.5 checkpoints have the modes and the suspended events") {
  // Checkpoints at 20 ns, with a switch that is pending; at 40 ns and 60 ns.
  auto build = [](lab& net) {
    auto role = moded({});
    role.react = [](code& me, std::uint32_t reaction) {
      if (reaction == of_0)
        me.schedule(ns(35), 7);
      if (reaction == of_0 || reaction == of_1)
        me.enter(reaction == of_0 ? 1 : 0, true);
      if (reaction == act_0)
        me.log.push_back(
          to_string(me.now()) + ' ' + std::to_string(me.scheduled()[0]));
      if (reaction == entered)
        me.log.push_back(to_string(me.now()) + (me.entered(0) ? " 0" : " 1"));
    };
    script from;
    from.inputs = 0;
    from.actions = 1;
    from.start = [](code& me) { me.schedule(ns(20)); };
    from.react = [](code& me, std::uint32_t) {
      me.write();
      if (me.now().ns < 80)
        me.schedule(ns(30));
    };
    auto x = net.add(from);
    auto y = net.add(role);
    net.connect(x, y);
    net.assemble();
    net.take_checkpoints(20);
  };
  lab whole;
  build(whole);
  whole.start_all();
  whole.run();
  CHECK(whole.failures.empty());
  CHECK(
    whole.code_of(1).log == texts{"0s 0", "20ns+1 1", "50ns+1 0", "80ns+1 1"});
  std::map<std::int64_t, texts> expected{
    {20, {"20ns+1 1", "50ns+1 0", "80ns+1 1"}},
    {40, {"50ns+1 0", "80ns+1 1"}},
    {60, {"80ns+1 1"}}};
  for (auto& [at, log] : expected) {
    std::vector<network::node_part> parts;
    for (node_id i = 0; i < whole.size(); ++i)
      for (auto& x : whole.parts_of(i))
        if (x.covers({at, 0})) {
          parts.push_back(x);
          break;
        }
    REQUIRE(parts.size() == 2);
    lab resumed;
    build(resumed);
    resumed.restore({at, 0}, parts);
    resumed.start_all();
    resumed.run();
    CHECK(resumed.failures.empty());
    CHECK(resumed.code_of(1).log == log);
    CHECK(resumed.at(1).modes()->active() == 1);
    CHECK((*resumed.at(1).modes())[0].entries.value() == 2);
    // The event of the first visit is 5 ns away, that of the second 35 ns.
    CHECK((*resumed.at(1).modes())[0].events.size() == 2);
  }
}

TEST_CASE("10.7.5 a suspended instance prevents a part, and is named") {
  auto role = moded({{20, 1}});
  role.react = [](code& me, std::uint32_t reaction) {
    if (reaction == of_0)
      me.wait(ns(15), [](code&) {});
  };
  lab net;
  auto x = net.add(source({10, 30}));
  auto y = net.add(role);
  net.connect(x, y);
  net.assemble();
  net.take_checkpoints(25);
  net.start_all();
  net.run();
  REQUIRE(!net.parts_of(y).empty());
  CHECK(net.parts_of(y)[0].kept.yielded == "r0");
}

// -- the last tag -------------------------------------------------------------

TEST_CASE("10.7.6 a reaction to the last tag runs if its mode was ever "
          "active") {
  for (auto enters : {false, true}) {
    auto role = moded(
      enters ? std::vector<entry>{{10, 1}, {20, 0}} : std::vector<entry>{});
    role.inputs = 0;
    role.triggers = {{}, {}, {}, {}, {}, {}};
    role.at_shutdown = {of_0, of_1};
    lab net;
    auto x = net.add(role);
    net.assemble();
    lab_coordinator coordinator{net, logical_time{100, 0}};
    net.start_all();
    coordinator.run();
    CHECK(net.left(x));
    auto expected
      = enters ? texts{"0s enters 0", "10ns+1 enters 1", "20ns+1 enters 0",
                       "100ns+1 r0", "100ns+1 r1"}
               : texts{"0s enters 0", "100ns+1 r0"};
    CHECK(net.code_of(x).log == expected);
  }
}

TEST_CASE("10.7.6 a switch that is due at the last tag does not occur") {
  auto role = moded({{100, 1}});
  role.inputs = 0;
  role.triggers = {{}, {}, {}, {}, {}, {}};
  role.at_shutdown = {of_0, of_1};
  lab net;
  auto x = net.add(role);
  net.assemble();
  lab_coordinator coordinator{net, logical_time{100, 0}};
  net.start_all();
  coordinator.run();
  CHECK(net.left(x));
  CHECK(net.code_of(x).log == texts{"0s enters 0", "100ns+1 r0"});
}

TEST_CASE("10.7.2 a call at the last tag has no effect, even after one at the "
          "final tag") {
  auto role = moded({{100, 1}});
  role.inputs = 0;
  role.triggers = {{}, {}, {}, {}, {}, {}};
  role.at_shutdown = {of_0};
  role.react = [](code& me, std::uint32_t reaction) {
    if (reaction == of_0)
      me.enter(0, true);
  };
  lab net;
  auto x = net.add(role);
  net.assemble();
  lab_coordinator coordinator{net, logical_time{100, 0}};
  net.start_all();
  coordinator.run();
  CHECK(net.failures.empty());
  CHECK(net.left(x));
  CHECK(net.at(x).modes()->active() == 0);
}

} // namespace mode_rules_test
