// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 4 of the semantics: STAT, promises, bound requests, and the barrier.

#include "lab.hpp"

#include "catch.hpp"

#include <memory>

namespace stat_rules_test {

using namespace engine_test;
using Catch::Matchers::ContainsSubstring;
using tags = std::vector<logical_time>;

namespace {

/// Returns a node that writes nothing, but has events at some tags.
script busy_at(tags when) {
  script x;
  x.inputs = 0;
  x.start = [when](code& me) {
    for (auto& t : when)
      me.wait(delay::from_parts(t.ns, t.microstep), [](code&) {});
  };
  return x;
}

/// Returns a node that writes at some tags.
script writes_at(tags when) {
  script x;
  x.inputs = 0;
  x.start = [when](code& me) {
    for (auto& t : when)
      me.wait(delay::from_parts(t.ns, t.microstep), [](code& self) {
        self.write();
      });
  };
  return x;
}

/// Returns a node that forwards its values.
script relay(std::uint32_t inputs = 1) {
  script x;
  x.inputs = inputs;
  x.react = [](code& me, std::uint32_t) { me.write(); };
  return x;
}

/// Returns a node that writes. Its last input is a physical action.
script sensor(std::uint32_t inputs = 0) {
  script x;
  x.inputs = inputs + 1;
  x.external = true;
  x.react = [](code& me, std::uint32_t) { me.write(); };
  return x;
}

/// Returns a node that only receives, and has events at some tags.
script sink(tags busy = {}) {
  auto x = busy_at(std::move(busy));
  x.inputs = 2;
  x.outputs = 0;
  return x;
}

wire to_second_input(node_id source, node_id target) {
  return {source, 0, target, 1, {}, false};
}

} // namespace

// -- STAT ---------------------------------------------------------------------

TEST_CASE("4.1 a node executes a tag only when it is below STAT") {
  lab net;
  auto first = net.add(writes_at({{5, 0}}));
  auto second = net.add(writes_at({{8, 0}}));
  auto target = net.add(sink({{5, 0}, {6, 0}}));
  net.connect(first, target);
  net.connect(to_second_input(second, target));
  net.assemble();
  net.hold(first, target);
  net.start_all();
  net.run();
  CHECK(net.at(target).stat() == logical_time{0, 0});
  CHECK(net.tags(target).empty());
  net.deliver(first, target); // the promise that it is silent until 5
  net.deliver(first, target);
  net.run();
  CHECK(net.at(target).stat() == logical_time{5, 0});
  CHECK(net.tags(target).empty()); // 5 is not below 5
  net.release(first, target);
  net.run();
  CHECK(net.tags(target) == tags{{5, 0}, {6, 0}, {8, 0}});
}

TEST_CASE("4.2 STAT is the least promise over all connections of all inputs") {
  lab net;
  std::vector<node_id> sources;
  for (std::int64_t i = 1; i <= 4; ++i)
    sources.push_back(net.add(busy_at({{10 * i, 0}})));
  auto target = net.add(sink());
  net.connect(sources[3], target);
  net.connect(sources[1], target);
  net.connect(to_second_input(sources[2], target));
  net.connect(to_second_input(sources[0], target));
  net.assemble();
  net.start(target);
  for (auto i : sources)
    net.start(i);
  net.activate(target);
  CHECK(net.at(target).stat() == logical_time{10, 0});
}

TEST_CASE("a node without inputs has no bound") {
  lab net;
  auto x = net.add(busy_at({{5, 0}, {1'000'000'000'000, 0}}));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(x).size() == 2);
  CHECK(net.left(x));
}

// -- promises -----------------------------------------------------------------

TEST_CASE(
  "4.5 an output's promise is the least of earliest tag and STAT, delays "
  "are added per connection") {
  lab net;
  auto source = net.add(busy_at({{7, 2}}));
  auto middle = net.add(busy_at({{30, 0}}));
  auto late = net.add(busy_at({{90, 0}}));
  script role = busy_at({{50, 0}});
  role.inputs = 1;
  auto x = net.add(role);
  std::vector<node_id> targets;
  for (auto i = 0; i < 4; ++i)
    targets.push_back(net.add(sink({{1000, 0}})));
  net.connect(source, targets[0]);           // 0: earliest tag
  net.connect(source, targets[1], ns(5));    // 1
  net.connect(source, targets[2], steps(3)); // 2
  net.connect(middle, x);                    // 3
  net.connect(x, targets[3]);                // 4: STAT
  net.connect(to_second_input(late, targets[3]));
  net.assemble();
  net.hold(source, targets[0]);
  net.start_all();
  CHECK(net.promised(0) == tags{{7, 2}});
  CHECK(net.promised(1) == tags{{12, 0}});
  CHECK(net.promised(2) == tags{{7, 5}});
  net.activate(x);
  CHECK(net.promised(4) == tags{{30, 0}});
}

TEST_CASE("4.4 before start() returned, a node promises (0, 0)") {
  lab net;
  auto x = net.add(busy_at({{5, 0}}));
  auto target = net.add(sink({{0, 1}}));
  net.connect(x, target);
  net.assemble();
  net.start(target);
  net.run();
  CHECK(net.tags(target).empty());
  CHECK(net.promises.empty());
  net.start(x);
  net.run();
  CHECK(net.tags(target) == tags{{0, 1}});
}

TEST_CASE("4.4 an event at forever counts as none") {
  // A delay beyond the end of time.
  constexpr auto endless = std::numeric_limits<std::int64_t>::max();
  lab net;
  auto source = net.add(writes_at({{5, 0}}));
  script role;
  role.react = [](code& me, std::uint32_t) {
    me.wait(ns(endless), [](code&) {});
    me.write();
  };
  auto x = net.add(role);
  auto target = net.add(sink());
  net.connect(source, x);
  net.connect(x, target, ns(endless));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.at(x).next_tag() == forever);
  CHECK(net.left(x));
  CHECK(net.code_of(x).discarded == 1);
  CHECK(net.arrivals(1).empty());
  CHECK(net.tags(target).empty());
  CHECK(net.left(target));
}

TEST_CASE("4.6 a promise travels with every message") {
  lab net;
  auto source = net.add(writes_at({{1, 0}, {2, 0}, {3, 0}}));
  auto target = net.add(sink());
  net.connect(source, target);
  net.assemble();
  net.start_all();
  for (std::int64_t i = 1; i < 3; ++i) {
    net.activate(source, 1);
    net.activate(target);
    CHECK(net.tags(target).size() == static_cast<std::size_t>(i));
    CHECK(net.at(target).stat() == logical_time{i + 1, 0});
  }
  CHECK(net.promised(0) == tags{{1, 0}}); // the one of start()
}

TEST_CASE(
  "4.6 a promise is sent alone only to silent connections, at the end of "
  "each activation, never per event") {
  lab net;
  script role;
  role.inputs = 0;
  role.outputs = 2;
  role.start = [](code& me) {
    for (std::int64_t i = 1; i <= 40; ++i)
      me.wait(ns(i), [](code& self) { self.write(0); });
  };
  auto source = net.add(role);
  auto loud = net.add(sink());
  auto silent = net.add(sink());
  net.connect({source, 0, loud, 0, {}, false});
  net.connect({source, 1, silent, 0, {}, false});
  net.assemble();
  net.start_all();
  auto before = net.promised(1).size();
  net.activate(source, 10);
  CHECK(net.promised(1).size() == before + 1);
  CHECK(net.promised(1).back() == logical_time{11, 0});
  CHECK(net.promised(0) == tags{{1, 0}}); // only that of start()
  // A node that never becomes idle starves no other node.
  net.activate(silent);
  CHECK(net.at(silent).stat() == logical_time{11, 0});
}

TEST_CASE("a promise is sent before the node becomes idle") {
  lab net;
  auto source = net.add(busy_at({{20, 0}, {30, 0}}));
  auto x = net.add(relay());
  auto target = net.add(sink());
  net.connect(source, x);
  net.connect(x, target);
  net.assemble();
  net.start_all();
  net.activate(x);
  CHECK(net.promised(1) == tags{{20, 0}});
}

TEST_CASE("4.7 waiting for physical time counts as idle") {
  lab net;
  auto role = busy_at({{20, 0}});
  role.realtime = true;
  auto x = net.add(role);
  auto target = net.add(sink({{10, 0}}));
  net.connect(x, target);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(x).empty());
  CHECK(net.promised(0) == tags{{20, 0}});
  CHECK(net.tags(target) == tags{{10, 0}});
}

TEST_CASE(
  "4.20 being paused counts as idle: a paused node still promises its next "
  "tag") {
  lab net;
  script role;
  role.inputs = 0;
  role.outputs = 2;
  role.start = [](code& me) {
    for (std::int64_t i = 1; i <= 5; ++i)
      me.wait(ns(i), [](code& self) { self.write(0); });
  };
  auto source = net.add(role);
  auto slow = net.add(sink());
  auto other = net.add(sink({{2, 0}}));
  net.connect({source, 0, slow, 0, {}, false});
  net.connect({source, 1, other, 0, {}, false});
  net.assemble({.max_in_flight = 2});
  net.start(source);
  net.start(other);
  net.activate(source);
  CHECK(net.tags(source) == tags{{1, 0}, {2, 0}});
  CHECK(net.promised(1).back() == logical_time{3, 0});
  net.activate(other);
  CHECK(net.tags(other) == tags{{2, 0}});
}

TEST_CASE("no promise is repeated, and none is sent to a receiver that left") {
  lab net;
  auto source = net.add(busy_at({{20, 0}, {30, 0}, {40, 0}}));
  auto x = net.add(relay());
  auto target = net.add(sink());
  net.connect(source, x);
  net.connect(x, target);
  net.assemble();
  net.start_all();
  net.activate(x);
  net.activate(x);
  net.activate(x);
  CHECK(net.promised(1).size() == 1);
  net.abort(target);
  net.activate(source, 1);
  net.activate(x);
  CHECK(net.promised(0).size() == 2);
  CHECK(net.promised(1).size() == 1);
}

TEST_CASE("after a message the promise is at least the next microstep there") {
  // The next write may be at the same instant, and would arrive a microstep
  // later.
  lab net;
  auto source = net.add(writes_at({{1, 0}, {1, 1}}));
  auto target = net.add(sink());
  net.connect(source, target, ns(10));
  net.assemble();
  net.start_all();
  net.activate(source, 1);
  net.activate(target);
  CHECK(net.at(target).stat() == logical_time{11, 1});
  CHECK(net.tags(target) == tags{{11, 0}});
}

// -- user promises ------------------------------------------------------------

TEST_CASE(
  "a user promise states that the port's next message has tag + d or later") {
  lab net;
  auto source = net.add(writes_at({{5, 0}, {6, 0}}));
  script role;
  role.react = [](code& me, std::uint32_t) {
    me.write();
    me.promise(ns(100));
  };
  auto x = net.add(role);
  auto target = net.add(sink({{104, 0}, {105, 0}, {107, 0}}));
  net.connect(source, x);
  net.connect(x, target, ns(2));
  net.assemble();
  net.start_all();
  net.activate(source, 1);
  net.activate(x);
  net.activate(target);
  CHECK(net.at(x).stat() == logical_time{6, 0});
  CHECK(net.at(target).stat() == logical_time{107, 0});
  CHECK(net.tags(target) == tags{{7, 0}, {104, 0}, {105, 0}});
}

TEST_CASE(
  "4.12 a promise in start() states when a port's first message follows") {
  lab net;
  auto source = net.add(busy_at({}));
  script role;
  role.start = [](code& me) { me.promise(ns(50)); };
  auto x = net.add(role);
  auto target = net.add(sink({{49, 0}, {50, 0}}));
  net.connect(source, x);
  net.connect(x, target);
  net.assemble();
  net.start(x);
  net.start(target);
  net.run();
  CHECK(net.tags(target) == tags{{49, 0}});
}

TEST_CASE("a promise applies to one port") {
  lab net;
  auto source = net.add(busy_at({}));
  script role;
  role.outputs = 2;
  role.start = [](code& me) { me.promise(ns(50), 1); };
  auto x = net.add(role);
  auto target = net.add(sink({{5, 0}}));
  net.connect(source, x);
  net.connect(x, target);
  net.assemble();
  net.start(x);
  net.start(target);
  net.run();
  CHECK(net.tags(target).empty());
}

TEST_CASE("a later, lower promise does not reduce a promise") {
  lab net;
  auto source = net.add(busy_at({}));
  script role;
  role.start = [](code& me) {
    me.promise(ns(50));
    me.promise(ns(10));
  };
  auto x = net.add(role);
  auto target = net.add(sink({{49, 0}}));
  net.connect(source, x);
  net.connect(x, target);
  net.assemble();
  net.start(x);
  net.start(target);
  net.run();
  CHECK(net.tags(target) == tags{{49, 0}});
}

TEST_CASE("4.12 breaking one's own promise is an error of the node") {
  lab net;
  auto source = net.add(writes_at({{5, 0}, {104, 0}, {105, 0}}));
  script role;
  role.react = [](code& me, std::uint32_t) {
    me.write();
    if (me.now().ns == 5)
      me.promise(ns(100));
  };
  auto x = net.add(role);
  net.connect(source, x);
  net.assemble();
  net.start_all();
  net.run();
  REQUIRE(net.failures.size() == 1);
  CHECK(net.failures[0].second.tag == logical_time{104, 0});
  CHECK_THAT(net.failures[0].second.text,
             ContainsSubstring("'o0'") && ContainsSubstring("at tag 104ns")
               && ContainsSubstring("before 105ns"));
}

TEST_CASE("a promise is kept when the next message has the promised tag") {
  lab net;
  script role;
  role.inputs = 0;
  role.start = [](code& me) {
    me.write();
    me.promise(ns(10));
    me.wait(ns(10), [](code& self) { self.write(); });
  };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.failures.empty());
  CHECK(net.left(x));
}

// -- physical nodes and bound requests ----------------------------------------

TEST_CASE(
  "3.16 a physical node promises nothing beyond the later of elapsed time "
  "and its next microstep") {
  lab net;
  auto x = net.add(sensor());
  auto target = net.add(sink({{30, 0}, {31, 0}}));
  net.connect(x, target);
  net.assemble();
  net.start_all();
  net.set_clock(30);
  net.run();
  CHECK(net.tags(target).empty());
  net.set_clock(31);
  net.run();
  CHECK(net.tags(target) == tags{{30, 0}});
  // It is the next microstep if the node is ahead of elapsed time.
  lab ahead;
  auto source = ahead.add(writes_at({{500, 0}}));
  auto y = ahead.add(sensor(1));
  auto z = ahead.add(sink());
  ahead.connect(source, y);
  ahead.connect(y, z);
  ahead.assemble();
  ahead.start_all();
  ahead.run();
  CHECK(ahead.tags(z) == tags{{500, 0}});
  CHECK(ahead.at(z).stat() == logical_time{500, 1});
}

TEST_CASE("a physical node's promise is bounded by elapsed time, and requested "
          "without polling") {
  lab net;
  auto x = net.add(sensor());
  auto target = net.add(sink({{1'000'000, 0}}));
  net.connect(x, target);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.asked_on(0) == tags{{1'000'000, 0}});
  CHECK(net.next_wake() == 1'000'001);
  auto before = net.activations;
  net.run_until(1'000'000);
  CHECK(net.activations == before);
  CHECK(net.promised(0).size() <= 1);
  net.run_until(1'000'001);
  CHECK(net.tags(target) == tags{{1'000'000, 0}});
  CHECK(net.asked_on(0).size() == 1);
  // No node waits, and nothing happens.
  before = net.activations;
  net.run_until(9'000'000);
  CHECK(net.activations == before);
}

TEST_CASE("a bound request is sent once, however often the node checks it") {
  lab net;
  auto x = net.add(sensor());
  auto busy = net.add(writes_at({{1, 0}, {2, 0}, {3, 0}, {900, 0}}));
  auto role = sink({{500, 0}});
  auto target = net.add(role);
  net.connect(x, target);
  net.connect(to_second_input(busy, target));
  net.assemble();
  net.start_all();
  net.set_clock(5);
  net.call(x, 0);
  net.activate(x);
  for (auto i = 0; i < 4; ++i) {
    net.activate(busy, 1);
    net.activate(target);
  }
  CHECK(net.tags(target).size() == 4);
  for (auto i = 0; i < 3; ++i)
    net.activate(target);
  CHECK(net.asked_on(0) == tags{{500, 0}});
}

TEST_CASE(
  "the answer is sent when the promise is greater than the requested bound") {
  lab net;
  auto x = net.add(sensor());
  auto target = net.add(sink({{100, 3}}));
  net.connect(x, target, ns(40));
  net.assemble();
  net.start_all();
  net.run_until(60);
  net.activate(x); // elapsed time plus delay is 100, which is not enough
  net.run();
  CHECK(net.tags(target).empty());
  net.run_until(61);
  CHECK(net.tags(target) == tags{{100, 3}});
}

TEST_CASE(
  "4.9 for its next tag, a node requests a bound from each sender whose "
  "promise is not yet greater") {
  lab net;
  auto x = net.add(sensor());
  auto y = net.add(sensor());
  auto plain = net.add(busy_at({{5, 0}}));
  auto target = net.add(sink({{50, 0}, {60, 0}}));
  net.connect(x, target);                      // 0
  net.connect(to_second_input(y, target));     // 1
  net.connect(to_second_input(plain, target)); // 2
  net.assemble();
  net.start_all();
  net.set_clock(55);
  net.activate(x);
  net.call(x, 0); // a message with a promise
  net.activate(x);
  net.run();
  CHECK(net.asked_on(0).empty()); // its promise was greater
  CHECK(net.asked_on(1) == tags{{50, 0}, {55, 0}});
  CHECK(net.asked_on(2).empty()); // its promises are sent unasked
  CHECK(net.tags(target) == tags{{50, 0}});
  net.run_until(61);
  CHECK(net.tags(target) == tags{{50, 0}, {55, 0}, {60, 0}});
}

TEST_CASE("4.10 a bound request is relayed upstream, delays subtracted") {
  lab net;
  auto x = net.add(sensor());
  auto y = net.add(relay());
  auto z = net.add(relay());
  auto target = net.add(sink({{100, 5}}));
  net.connect(x, y, ns(10));
  net.connect(y, z, steps(2));
  net.connect(z, target, ns(20));
  net.assemble();
  net.start_all();
  net.run();
  constexpr auto last = std::numeric_limits<std::uint32_t>::max();
  CHECK(net.asked_on(2) == tags{{100, 5}});
  CHECK(net.asked_on(1) == tags{{80, last}});
  CHECK(net.asked_on(0) == tags{{80, last - 2}});
  CHECK(net.next_wake() == 71);
  net.run_until(70);
  CHECK(net.tags(target).empty());
  net.run_until(71);
  CHECK(net.tags(target) == tags{{100, 5}});
}

TEST_CASE("4.10 the lowest bound is relayed through a group, over however many "
          "paths") {
  constexpr auto levels = 20;
  lab net;
  auto x = net.add(sensor());
  auto first = net.add(relay());
  std::vector<node_id> members{first};
  net.connect(x, first);
  for (auto i = 0; i < levels; ++i) {
    auto next = net.add(relay(2));
    net.connect(members.back(), next);
    net.connect({members.back(), 0, next, 1, ns(1 << i), false});
    members.push_back(next);
  }
  constexpr std::int64_t wanted = 10 << levels;
  auto target = net.add(sink({{wanted, 0}}));
  net.connect(members.back(), target);
  members.push_back(target);
  net.assemble();
  for (auto id : members)
    if (id != first)
      net.fuse(first, id);
  net.start_all();
  net.run();
  // A million paths have as many bounds.
  constexpr auto last = std::numeric_limits<std::uint32_t>::max();
  CHECK(net.asked_on(0) == tags{{wanted - (1 << levels) + 1, last}});
  net.set_clock(wanted + 1);
  net.activate(x);
  net.run();
  CHECK(net.tags(target) == tags{{wanted, 0}});
}

TEST_CASE("4.9 a node requests a bound to pass the final tag") {
  lab net;
  auto x = net.add(sensor());
  auto target = net.add(sink());
  net.connect(x, target);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.asks.empty());
  net.take_final(target, {70, 0}, {70, 0});
  net.run();
  CHECK(net.asked_on(0) == tags{{70, 0}});
  net.run_until(70);
  CHECK_FALSE(net.left(target));
  net.run_until(71);
  CHECK(net.left(target));
}

TEST_CASE("a node requests from each sender the lowest bound that it waits for "
          "and that is not covered by its promise") {
  lab net;
  auto x = net.add(sensor());
  auto y = net.add(sensor());
  auto role = busy_at({{90, 0}});
  role.inputs = 2;
  auto middle = net.add(role);
  auto target = net.add(sink({{40, 0}}));
  net.connect(x, middle);                  // 0
  net.connect(to_second_input(y, middle)); // 1
  net.connect(middle, target);             // 2
  net.assemble();
  for (auto i : {x, y, middle})
    net.start(i);
  net.set_clock(60);
  net.call(y, 0);
  net.activate(y);
  net.run(); // waits for its next tag, 60
  CHECK(net.asked_on(0) == tags{{60, 0}});
  CHECK(net.asked_on(1).empty());
  net.start(target);
  net.activate(target); // waits for 40
  CHECK(net.asked_on(2) == tags{{40, 0}});
  net.activate(middle);
  CHECK(net.asked_on(0) == tags{{60, 0}, {40, 0}});
  CHECK(net.asked_on(1).empty());
  net.run();
  CHECK(net.tags(target) == tags{{40, 0}});
}

TEST_CASE(
  "a node awaits promises if it needs a bound or sends to other nodes") {
  lab net;
  auto source = net.add(writes_at({{5, 0}, {9, 0}}));
  auto idle = net.add(sink());
  auto busy = net.add(sink({{7, 0}}));
  auto middle = net.add(relay());
  auto end = net.add(sink());
  for (auto x : {idle, busy, middle})
    net.connect(source, x);
  net.connect(middle, end);
  net.assemble({.processes = {0, 1, 1, 1, 1}});
  for (auto x : {idle, busy, middle}) {
    net.hold(source, x);
    CHECK(net.at(x).awaits_promises()); // before its start
  }
  net.start_all();
  net.run();
  CHECK_FALSE(net.at(idle).awaits_promises());
  CHECK(net.at(busy).awaits_promises());
  CHECK(net.at(middle).awaits_promises());
  CHECK_FALSE(net.at(end).awaits_promises());
  SECTION("in a group, only connections that leave the group matter") {
    net.fuse(middle, end);
    net.run();
    CHECK_FALSE(net.at(middle).group()->awaits_promises());
    net.fuse(middle, busy);
    net.run();
    CHECK(net.at(middle).group()->awaits_promises());
  }
  SECTION("an observer sees the STAT of a node that was not called") {
    net.deliver(source, idle);
    net.deliver_all(source, idle);
    CHECK(net.at(idle).stat() == logical_time{});
    net.at(idle).settle_for_observer();
    CHECK(net.at(idle).stat() > logical_time{});
  }
  SECTION("a node with a final tag must know when it is past it") {
    net.take_final(idle, {20, 0}, {20, 0});
    CHECK(net.at(idle).awaits_promises());
  }
  for (auto x : {idle, busy, middle})
    net.release(source, x);
  net.run();
  CHECK(net.tags(idle) == tags{{5, 0}, {9, 0}});
  CHECK(net.tags(busy) == tags{{5, 0}, {7, 0}, {9, 0}});
  CHECK(net.tags(end) == tags{{5, 0}, {9, 0}});
}

TEST_CASE("4.2 between processes, a promise may arrive after a later value") {
  struct observed_lab : lab {
    using lab::under_way;
  };
  observed_lab net;
  auto source = net.add(writes_at({{5, 0}, {9, 0}}));
  auto target = net.add(sink({{3, 0}, {7, 0}}));
  net.connect(source, target);
  net.assemble({.processes = {0, 1}});
  net.hold(source, target);
  net.start_all();
  net.run();
  auto frames = net.under_way(source, target);
  REQUIRE(frames.size() > 1);
  CHECK(frames.back().has_bounds); // it was sent before the values
  net.release(source, target);
  net.run();
  CHECK(net.tags(target) == tags{{3, 0}, {5, 0}, {7, 0}, {9, 0}});
}

TEST_CASE("4.11 a newer bound request replaces the older one") {
  lab net;
  auto x = net.add(sensor());
  auto other = net.add(sensor());
  auto role = sink({{100, 0}});
  role.triggers = {{0, 1}};
  auto target = net.add(role);
  net.connect(x, target);                      // 0
  net.connect(to_second_input(other, target)); // 1
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.asked_on(0) == tags{{100, 0}});
  net.set_clock(20);
  net.call(other, 0); // now the next tag is 20
  net.run();
  CHECK(net.asked_on(0) == tags{{100, 0}, {20, 0}});
  net.run_until(21); // answered; the older request was replaced, and is
                     // repeated
  CHECK(net.tags(target) == tags{{20, 0}});
  CHECK(net.asked_on(0) == tags{{100, 0}, {20, 0}, {100, 0}});
  net.run_until(101);
  CHECK(net.tags(target) == tags{{20, 0}, {100, 0}});
}

TEST_CASE("a bound request that is already answered has no effect") {
  lab net;
  auto x = net.add(sensor());
  auto target = net.add(sink({{20, 0}}));
  net.connect(x, target);
  net.assemble();
  net.hold(x, target);
  net.start_all();
  net.set_clock(30);
  net.call(x, 0);
  net.activate(x); // a promise beyond 20 is in transit
  net.activate(target);
  net.run();
  CHECK(net.asked_on(0) == tags{{20, 0}});
  CHECK(net.next_wake() == engine::node::no_wake);
  CHECK_FALSE(net.scheduled(x));
  net.release(x, target);
  net.run();
  CHECK(net.tags(target) == tags{{20, 0}, {30, 0}});
}

TEST_CASE(
  "a bound request that arrives before the start is answered after it") {
  lab net;
  auto x = net.add(sensor());
  auto target = net.add(sink({{20, 0}}));
  net.connect(x, target);
  net.assemble();
  net.start(target);
  net.run_until(50);
  CHECK(net.asked_on(0) == tags{{20, 0}});
  net.start(x);
  net.run();
  CHECK(net.tags(target) == tags{{20, 0}});
}

TEST_CASE(
  "a physical node ignores its own promises as long as it may be called") {
  lab net;
  auto role = sensor();
  role.start = [](code& me) { me.promise(ns(1000)); };
  auto x = net.add(role);
  auto target = net.add(sink({{500, 0}}));
  net.connect(x, target);
  net.assemble();
  net.start_all();
  net.run_until(400);
  CHECK(net.tags(target).empty());
  net.run_until(501);
  CHECK(net.tags(target) == tags{{500, 0}});
}

// -- the barrier --------------------------------------------------------------

TEST_CASE("4.3 the barrier is applied after the bounds, anew each time") {
  lab net;
  auto source = net.add(writes_at({{10, 0}, {20, 0}, {30, 0}, {40, 0}}));
  auto x = net.add(relay());
  net.connect(source, x);
  net.assemble();
  net.start_all();
  net.activate(source);
  net.activate(x, 1);
  CHECK(net.at(x).stat() == forever);
  net.ask_shutdown(x, {20, 0}); // lowers STAT
  CHECK(net.at(x).stat() == logical_time{20, 1});
  net.run();
  CHECK(net.tags(x) == tags{{10, 0}, {20, 0}});
  net.take_final(x, {30, 0}, {20, 0}); // and raises it again
  CHECK(net.at(x).stat() == logical_time{30, 1});
  net.ask_shutdown(x, {25, 0}); // another round
  CHECK(net.at(x).stat() == logical_time{25, 1});
  net.take_final(x, {27, 0}, {25, 0});
  net.run();
  CHECK(net.tags(x) == tags{{10, 0}, {20, 0}});
  CHECK(net.left(x));
}

TEST_CASE("the barrier permits the answered tag, and nothing beyond") {
  lab net;
  auto x = net.add(busy_at({{10, 0}, {20, 0}, {20, 1}}));
  net.assemble();
  net.start_all();
  net.ask_shutdown(x, {20, 0});
  net.run();
  CHECK(net.tags(x) == tags{{10, 0}, {20, 0}});
}

} // namespace stat_rules_test
