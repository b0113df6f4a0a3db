// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 3 of the semantics: the events that a node schedules for itself.

#include "lab.hpp"

#include "catch.hpp"

#include <limits>

namespace action_rules_test {

using namespace engine_test;
using Catch::Matchers::ContainsSubstring;
using engine::ending;
using tags = std::vector<logical_time>;
using numbers = std::vector<std::uint64_t>;
using texts = std::vector<std::string>;

namespace {

/// Returns a node without inputs, with one reaction that records the values of
/// its action.
script scheduler(std::function<void(code&)> start) {
  script result;
  result.inputs = 0;
  result.actions = 1;
  result.start = std::move(start);
  result.react = [](code& me, std::uint32_t) {
    std::string text = to_string(me.now());
    for (auto value : me.scheduled())
      text += ' ' + std::to_string(value);
    me.log.push_back(text);
  };
  return result;
}

script sink() {
  script result;
  result.outputs = 0;
  return result;
}

/// A lab with one such node.
struct alone : lab {
  explicit alone(script role) {
    add(std::move(role));
    assemble();
    start_all();
    run();
  }

  const texts& log() {
    return code_of(0).log;
  }
};

/// Returns the error of a node that executes this at the start.
std::string error_of(const std::function<void(code&)>& start) {
  alone net{scheduler(start)};
  REQUIRE(net.failures.size() == 1);
  return net.failures[0].second.text;
}

} // namespace

// -- presence -----------------------------------------------------------------

TEST_CASE("3.10 an action is present at the tag that it was scheduled for, and "
          "triggers reactions as an input does") {
  alone net{scheduler([](code& me) {
    me.schedule(ns(7), 1);
    me.schedule(steps(2), 2);
    me.schedule(ns(0), 3); // a duration of 0 is one microstep
  })};
  CHECK(net.log() == texts{"0s+1 3", "0s+2 2", "7ns 1"});
  CHECK(net.tags(0) == tags{{0, 1}, {0, 2}, {7, 0}});
}

TEST_CASE(
  "3.11 several values that are scheduled for one tag are all kept, in the "
  "order of scheduling") {
  auto role = scheduler([](code& me) {
    for (auto i : {3, 1, 2})
      me.schedule(ns(10), static_cast<std::uint64_t>(i));
    me.wait(ns(4), [](code& self) { self.schedule(ns(6), 9); });
  });
  alone net{role};
  CHECK(net.log() == texts{"10ns 3 1 2 9"});
}

TEST_CASE(
  "an action is present exactly at its tag, together with other events") {
  script role;
  role.actions = 2;
  role.triggers = {{0}, {}};
  role.acts = {{0}, {1}};
  role.start = [](code& me) {
    me.wait(ns(5), [](code& self) {
      self.log.push_back("resumed, " + std::to_string(self.scheduled().size()));
    });
    me.schedule(ns(5), 1);
    me.schedule(ns(5), 2, 1);
  };
  role.react = [](code& me, std::uint32_t reaction) {
    me.log.push_back(
      "r" + std::to_string(reaction) + " " + std::to_string(me.values().size())
      + std::to_string(me.scheduled(0).size())
      + std::to_string(me.scheduled(1).size()));
  };
  lab net;
  script source;
  source.inputs = 0;
  source.start
    = [](code& me) { me.wait(ns(5), [](code& self) { self.write(); }); };
  auto x = net.add(source);
  auto y = net.add(role);
  net.connect(x, y);
  net.assemble();
  net.start_all();
  net.run();
  // Yielded code resumes first. A reaction with two triggers runs once.
  CHECK(net.code_of(y).log == texts{"resumed, 0", "r0 111", "r1 111"});
  CHECK(net.tags(y) == tags{{5, 0}});
}

TEST_CASE("an action is not present, and has no value, at any other tag") {
  script role;
  role.inputs = 0;
  role.actions = 2;
  role.acts = {{0}, {1}};
  role.start = [](code& me) {
    me.schedule(ns(1), 5);
    me.schedule(ns(2), 6, 1);
  };
  numbers counts;
  role.react = [&counts](code& me, std::uint32_t) {
    counts.push_back(me.scheduled(0).size());
    counts.push_back(me.scheduled(1).size());
  };
  alone net{role};
  CHECK(counts == numbers{1, 0, 0, 1});
  CHECK_FALSE(net.action_of(0, 0).present);
  CHECK(net.action_of(0, 0).values.empty());
}

TEST_CASE("a reaction may schedule the action that triggers it") {
  auto role = scheduler([](code& me) { me.schedule(ns(1), 3); });
  role.react = [](code& me, std::uint32_t) {
    auto left = me.scheduled()[0];
    if (left > 0)
      me.schedule(ns(5), left - 1);
  };
  alone net{role};
  CHECK(net.tags(0) == tags{{1, 0}, {6, 0}, {11, 0}, {16, 0}});
}

TEST_CASE("3.10 an event scheduled at forever never occurs") {
  alone net{scheduler([](code& me) {
    me.schedule(ns(std::numeric_limits<std::int64_t>::max()));
    me.wait(ns(1), [](code& self) {
      self.schedule(ns(std::numeric_limits<std::int64_t>::max() - 1));
    });
  })};
  CHECK(net.log().empty());
  CHECK(net.left(0));
  CHECK(net.at(0).outcome() == ending::done);
}

TEST_CASE("in real time, a scheduled event waits for its physical time") {
  auto role = scheduler([](code& me) { me.schedule(ns(50), 1); });
  role.realtime = true;
  lab net;
  net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(49);
  CHECK(net.code_of(0).log.empty());
  CHECK(net.at(0).wake_at() == 50);
  net.run_until(50);
  CHECK(net.code_of(0).log == texts{"50ns 1"});
}

TEST_CASE("a value from outside and a scheduled event may have the same tag") {
  auto role = scheduler([](code& me) { me.schedule(ns(20), 1); });
  role.external = true;
  role.inputs = 1;
  role.triggers = {{}, {0}};
  role.acts = {{0}, {}};
  role.react = [](code& me, std::uint32_t reaction) {
    me.log.push_back("r" + std::to_string(reaction));
  };
  lab net;
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(20);
  CHECK(net.code_of(x).log == texts{"r0"});
  net.call(x, 0, 5);
  net.run();
  CHECK(net.tags(x) == tags{{20, 0}, {20, 1}});
}

// -- effects on other nodes ---------------------------------------------------

TEST_CASE("a scheduled event is the node's earliest tag: it promises nothing "
          "beyond it") {
  lab net;
  auto role = scheduler([](code& me) { me.schedule(ns(30)); });
  role.realtime = true;
  role.react = [](code& me, std::uint32_t) { me.write(); };
  auto x = net.add(role);
  auto y = net.add(sink());
  net.connect(x, y, ns(5));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.at(x).next_tag() == logical_time{30, 0});
  CHECK(net.at(y).stat() == logical_time{35, 0});
  net.run_until(30);
  CHECK(net.tags(y) == tags{{35, 0}});
}

TEST_CASE("a loop whose member scheduled an event continues") {
  lab net;
  script role;
  role.actions = 1;
  role.triggers = {{}, {0}};
  role.acts = {{0}, {}};
  role.start = [](code& me) { me.schedule(ns(10)); };
  role.react = [](code& me, std::uint32_t reaction) {
    if (reaction == 0)
      me.write();
    else if (me.now().ns < 40)
      me.schedule(ns(9));
  };
  script relay;
  relay.react = [](code& me, std::uint32_t) { me.write(); };
  auto x = net.add(role);
  auto y = net.add(relay);
  net.connect(x, y);
  net.connect(y, x, ns(1));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.failures.empty());
  CHECK(net.tags(y) == tags{{10, 0}, {20, 0}, {30, 0}, {40, 0}});
  CHECK(net.left(x));
  CHECK(net.left(y));
}

TEST_CASE("an observer sees the number of a node's scheduled events") {
  auto role = scheduler([](code& me) {
    me.schedule(ns(10));
    me.schedule(ns(10));
    me.schedule(ns(30));
  });
  role.realtime = true;
  lab net;
  net.add(role);
  net.assemble();
  CHECK(net.at(0).look().scheduled == 0);
  net.start_all();
  net.run();
  CHECK(net.at(0).look().scheduled == 3);
  CHECK(net.at(0).look().next == logical_time{10, 0});
  CHECK(net.at(0).look().yielded == 0);
  net.run_until(10);
  CHECK(net.at(0).look().scheduled == 1);
}

// -- the end ------------------------------------------------------------------

TEST_CASE("a node that scheduled something is not done") {
  auto role = scheduler([](code& me) { me.schedule(ns(50)); });
  role.realtime = true;
  lab net;
  net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(49);
  CHECK_FALSE(net.left(0));
  net.run_until(50);
  CHECK(net.left(0));
  CHECK(net.at(0).outcome() == ending::done);
}

TEST_CASE("events scheduled up to the final tag occur, later ones do not") {
  lab net;
  auto role = scheduler([](code& me) {
    for (auto i : {10, 20, 21})
      me.schedule(ns(i), static_cast<std::uint64_t>(i));
  });
  net.add(role);
  net.assemble();
  lab_coordinator coordinator{net, logical_time{20, 0}};
  net.start_all();
  coordinator.run();
  CHECK(net.code_of(0).log == texts{"10ns 10", "20ns 20"});
  CHECK(net.at(0).outcome() == ending::final_tag);
  CHECK(net.code_of(0).shutdowns == 1);
  CHECK(net.at(0).look().scheduled == 0);
}

TEST_CASE("an abort drops scheduled events") {
  auto role = scheduler([](code& me) { me.schedule(ns(50)); });
  role.realtime = true;
  lab net;
  net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  net.abort(0);
  CHECK(net.left(0));
  CHECK(net.code_of(0).log.empty());
  CHECK(net.at(0).events().scheduled() == nullptr);
}

// -- errors -------------------------------------------------------------------

TEST_CASE(
  "3.12 scheduling without a delay, or with a negative one, is an error of "
  "the node") {
  CHECK(error_of([](code& me) { me.schedule(delay{}); })
        == "action 'a0' was scheduled without a delay; after(microsteps(1)) "
           "is the smallest");
  CHECK(error_of([](code& me) { me.schedule(ns(-1)); })
        == "action 'a0' was scheduled with a negative delay, -1ns");
}

TEST_CASE("a node cannot schedule anything in shutdown(), or outside of its "
          "code") {
  auto role = scheduler([](code&) {});
  role.shutdown = [](code& me) { me.schedule(ns(1)); };
  alone net{role};
  REQUIRE(net.shutdown_failures.size() == 1);
  CHECK(net.shutdown_failures[0].second.text
        == "action 'a0' was scheduled in shutdown(), when the node is ending "
           "already");
  lab other;
  other.add(scheduler({}));
  other.assemble();
  CHECK_THROWS_WITH(other.code_of(0).schedule(ns(1)),
                    ContainsSubstring("outside of the node's reactions"));
}

TEST_CASE("an error at a tag leaves no action present") {
  auto role = scheduler([](code& me) {
    me.schedule(ns(1));
    me.schedule(ns(2));
  });
  role.react
    = [](code&, std::uint32_t) { throw std::runtime_error("on purpose"); };
  alone net{role};
  REQUIRE(net.failures.size() == 1);
  CHECK(net.failures[0].second.tag == logical_time{1, 0});
  CHECK_FALSE(net.action_of(0, 0).present);
}

} // namespace action_rules_test
