// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 10.1 of the semantics: loops of nodes without delay.
// random_graph_test.cpp compares them with the oracle.

#include "lab.hpp"

#include "catch.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace instant_loop_rules_test {

using namespace engine_test;
using tags = std::vector<logical_time>;
using texts = std::vector<std::string>;

namespace {

/// The events of all nodes of a test, in order.
texts events;

void note(const code& me, const std::string& text) {
  events.push_back(to_string(me.now()) + ' ' + text);
}

/// Returns a node that schedules its action for each of `count` tags, 10 ns
/// apart, from (0, 0) + 10 ns on. Its first reaction writes the number of the
/// step; the second one takes the answer.
script plant(int count) {
  script x;
  x.triggers = {{}, {0}};
  x.actions = 1;
  x.acts = {{0}, {}};
  x.accesses = {{true, {}, {0}, {}}, {true, {}, {}, {}}};
  x.start = [](code& me) { me.schedule(ns(10), 1); };
  x.react = [count](code& me, std::uint32_t reaction) {
    if (reaction == 1) {
      note(me, "force " + std::to_string(me.values().back()));
      return;
    }
    auto n = me.scheduled().front();
    note(me, "step " + std::to_string(n));
    me.write(0, n);
    if (n < static_cast<std::uint64_t>(count))
      me.schedule(ns(10), n + 1);
  };
  return x;
}

/// Returns such a node that steps once, and notes all answers.
script stepping_once() {
  auto x = plant(1);
  x.react = [](code& me, std::uint32_t reaction) {
    if (reaction == 0)
      me.write(0, 1);
    else
      for (auto value : me.values())
        note(me, "force " + std::to_string(value));
  };
  return x;
}

/// Returns a node without declarations that answers with ten times the value.
script controller() {
  script x;
  x.react = [](code& me, std::uint32_t) {
    note(me, "control " + std::to_string(me.values().back()));
    me.write(0, 10 * me.values().back());
  };
  return x;
}

/// A plant and a controller.
struct fixture : lab {
  explicit fixture(int count = 2) {
    events.clear();
    add(plant(count));
    add(controller());
    connect(0, 1);
    connect(1, 0);
  }

  const texts two_steps{"10ns step 1", "10ns control 1", "10ns force 10",
                        "20ns step 2", "20ns control 2", "20ns force 20"};
};

} // namespace

TEST_CASE("10.1.3 a loop of nodes without delay runs if no reaction depends on "
          "itself") {
  fixture net;
  net.assemble();
  net.start_all();
  net.run();
  CHECK(events == net.two_steps);
  CHECK(net.tags(0) == tags{{10, 0}, {20, 0}});
  CHECK(net.tags(1) == tags{{10, 0}, {20, 0}});
  // It ends by itself.
  CHECK(net.left(0));
  CHECK(net.left(1));
}

TEST_CASE("10.1.2 a node may send to itself without delay, to a later "
          "reaction") {
  events.clear();
  lab net;
  net.add(plant(2));
  net.connect(0, 0);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(events
        == texts{"10ns step 1", "10ns force 1", "20ns step 2", "20ns force 2"});
}

TEST_CASE("10.1.2 resumptions precede all reactions of a tag") {
  events.clear();
  lab net;
  // The second node answers after it has yielded, when the first one steps.
  net.add(plant(2));
  auto x = controller();
  x.accesses = {{true, {}, {}, {0}}};
  x.react = [](code& me, std::uint32_t) {
    note(me, "control " + std::to_string(me.values().back()));
    me.wait(ns(10), [](code& self) {
      note(self, "resumed");
      self.write(0, 7);
    });
  };
  net.add(x);
  net.connect(0, 1);
  net.connect(1, 0);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(
    events
    == texts{"10ns step 1", "10ns control 1", "20ns resumed", "20ns step 2",
             "20ns force 7", "20ns control 2", "30ns resumed", "30ns force 7"});
}

TEST_CASE("2.3 in a loop without delay, several values of one tag have the "
          "order of their connections") {
  events.clear();
  lab net;
  // Node 0 steps, 1 and 2 answer; 2 is declared later, and its connection back
  // is declared first.
  net.add(stepping_once());
  net.add(controller());
  auto other = controller();
  other.react = [](code& me, std::uint32_t) { me.write(0, 5); };
  net.add(other);
  net.connect(0, 1);
  net.connect(0, 2);
  net.connect(2, 0);
  net.connect(1, 0);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(events == texts{"10ns control 1", "10ns force 5", "10ns force 10"});
}

TEST_CASE("2.3 in a loop without delay, a physical value follows the values of "
          "connections") {
  events.clear();
  lab net;
  auto x = stepping_once();
  x.external = true;
  net.add(x);
  net.add(controller());
  net.connect(0, 1);
  net.connect(1, 0);
  net.assemble();
  net.set_clock(10);
  net.start_all();
  net.call(0, 0, 7);
  net.run();
  // The value of the connection arrives after the first reaction, the physical
  // one before it.
  CHECK(events == texts{"10ns control 1", "10ns force 10", "10ns force 7"});
}

TEST_CASE(
  "10.1.6 a loop without delay waits for what may arrive from outside, at "
  "any of its members") {
  fixture net;
  // A source that sends to the controller, late.
  script late;
  late.inputs = 0;
  late.start = [](code& me) {
    me.write(0, 3);
    me.promise(ns(10));
    me.wait(ns(10), [](code& self) { self.write(0, 4); });
  };
  auto source = net.add(late);
  net.connect(source, 1);
  net.assemble();
  net.start(0);
  net.start(1);
  net.run();
  CHECK(events.empty());
  net.hold(source, 1);
  net.start(source);
  net.run();
  CHECK(events.empty());
  net.release(source, 1);
  net.run();
  CHECK(events
        == texts{
          "0s control 3", "0s force 30", "10ns step 1", "10ns control 4",
          "10ns force 40", "20ns step 2", "20ns control 2", "20ns force 20"});
}

TEST_CASE("10.1.7 what a loop without delay promises is what all of its nodes "
          "allow") {
  // The controller also sends to a node outside, which has an event.
  fixture net{1};
  script sink;
  sink.triggers = {{0}};
  sink.actions = 1;
  sink.acts = {{0}};
  sink.start = [](code& me) { me.schedule(ns(9)); };
  sink.react = [](code& me, std::uint32_t) { note(me, "sink"); };
  auto id = net.add(sink);
  net.connect(1, id);
  net.assemble();
  net.start(0);
  net.start(1);
  net.start(id);
  net.run();
  CHECK(events
        == texts{"10ns step 1", "10ns control 1", "10ns force 10", "9ns sink",
                 "10ns sink"});
}

TEST_CASE("10.1.8 the first node of a loop without delay that executes a tag "
          "waits for its physical time") {
  events.clear();
  lab net;
  auto x = plant(2);
  x.realtime = true;
  net.add(x);
  net.add(controller());
  net.connect(0, 1);
  net.connect(1, 0);
  net.assemble();
  net.start_all();
  net.run_until(9);
  CHECK(events.empty());
  net.run_until(10);
  CHECK(events == texts{"10ns step 1", "10ns control 1", "10ns force 10"});
}

TEST_CASE("10.1.8 a physical value reaches a loop without delay at its own "
          "tag") {
  events.clear();
  lab net;
  auto x = plant(2);
  x.inputs = 2;
  x.external = true;
  x.triggers = {{1}, {0}};
  x.react = [](code& me, std::uint32_t reaction) {
    if (reaction == 1)
      note(me, "force " + std::to_string(me.values().back()));
    else if (me.present(1))
      me.write(0, me.values(1).back());
    else
      note(me, "step");
  };
  net.add(x);
  net.add(controller());
  net.connect(0, 1);
  net.connect(1, 0);
  net.assemble();
  net.start_all();
  net.run();
  // The node executes its own event before elapsed time reaches it.
  CHECK(events == texts{"10ns step"});
  net.set_clock(15);
  net.call(0, 1, 4);
  net.run();
  CHECK(events == texts{"10ns step", "15ns control 4", "15ns force 40"});
}

TEST_CASE("10.6.2 a loop without delay executes the last tag in the order of "
          "its reactions") {
  // The plant writes once more at the end.
  events.clear();
  lab net;
  auto x = plant(1);
  x.at_shutdown = {0};
  auto react = x.react;
  x.react = [react](code& me, std::uint32_t reaction) {
    if (reaction == 0 && me.scheduled().empty()) {
      note(me, "last");
      me.write(0, 8);
    } else {
      react(me, reaction);
    }
  };
  net.add(x);
  net.add(controller());
  net.connect(0, 1);
  net.connect(1, 0);
  net.assemble();
  lab_coordinator end{net, logical_time{15, 0}};
  net.start_all();
  end.run();
  CHECK(events
        == texts{"10ns step 1", "10ns control 1", "10ns force 10",
                 "15ns+1 last", "15ns+1 control 8", "15ns+1 force 80"});
  CHECK(net.left(0));
  CHECK(net.left(1));
}

TEST_CASE("a failure in a loop without delay stops the loop") {
  events.clear();
  lab net;
  net.add(plant(2));
  auto x = controller();
  x.react = [](code&, std::uint32_t) { throw std::runtime_error{"no"}; };
  net.add(x);
  net.connect(0, 1);
  net.connect(1, 0);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(events == texts{"10ns step 1"});
  REQUIRE(net.failures.size() == 1);
  CHECK(net.failures[0].first == 1);
  net.abort(0);
  net.abort(1);
  CHECK(net.left(0));
}

} // namespace instant_loop_rules_test
