// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 4 of the semantics: loops.

#include "lab.hpp"

#include "catch.hpp"

#include <limits>
#include <memory>
#include <stdexcept>

namespace loop_rules_test {

using namespace engine_test;
using tags = std::vector<logical_time>;

namespace {

/// Returns a node that forwards its values for a number of rounds, and
/// optionally writes at the start.
script relay(int rounds, bool starts = false) {
  script x;
  if (starts)
    x.start = [](code& me) { me.write(); };
  auto left = std::make_shared<int>(rounds);
  x.react = [left](code& me, std::uint32_t) {
    if (--*left >= 0)
      me.write();
  };
  return x;
}

/// Returns a node that yields before it forwards a value.
script yielder(const delay& d, int rounds) {
  auto x = relay(rounds, true);
  auto left = std::make_shared<int>(rounds);
  x.react = [left, d](code& me, std::uint32_t) {
    if (--*left >= 0)
      me.wait(d, [](code& self) { self.write(); });
  };
  return x;
}

script busy_at(tags when, std::uint32_t inputs = 1) {
  script x;
  x.inputs = inputs;
  x.start = [when](code& me) {
    for (auto& t : when)
      me.wait(delay::from_parts(t.ns, t.microstep), [](code&) {});
  };
  return x;
}

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

script sink() {
  auto x = busy_at({});
  x.outputs = 0;
  return x;
}

/// Returns a node whose last input is a physical action.
script sensor(std::uint32_t inputs = 1) {
  script x;
  x.inputs = inputs + 1;
  x.external = true;
  return x;
}

/// Returns options for this number of nodes: all in one process, or each in a
/// separate one.
network_options placed(std::size_t nodes) {
  network_options result;
  if (GENERATE(false, true))
    for (engine::process_id i = 0; i < nodes; ++i)
      result.processes.push_back(i);
  CAPTURE(result.processes);
  return result;
}

/// Connects a ring whose last connection takes a microstep.
void connect_ring(lab& net, const std::vector<node_id>& nodes) {
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
    net.connect(nodes[i], nodes[i + 1]);
  net.connect(nodes.back(), nodes.front(), steps(1));
}

} // namespace

TEST_CASE(
  "4.13 a loop has no null messages, and its cost does not depend on how "
  "long a member yields") {
  auto cost = [](std::int64_t pause) {
    lab net;
    auto plant = net.add(yielder(ns(pause), 50));
    auto controller = net.add(relay(1000));
    net.connect(plant, controller);
    net.connect(controller, plant, steps(1));
    net.assemble();
    net.start_all();
    net.run();
    CHECK(net.promises.empty());
    CHECK(net.asks.empty());
    CHECK(net.left(plant));
    CHECK(net.tags(controller).size() == 51);
    CHECK(net.tags(plant).size() == 101);
    return std::pair{net.activations, net.wakes};
  };
  // Promises alone would advance by microsteps.
  CHECK(cost(1) == cost(1'000'000'000));
  auto [activations, wakes] = cost(1'000'000'000);
  CHECK(activations < 51 * 6);
  CHECK(wakes < 51 * 6);
}

TEST_CASE(
  "4.14 a member's bound includes promises from outside and the members' "
  "queues, plus distances") {
  lab net;
  auto a = net.add(busy_at({{30, 0}}, 2));
  auto b = net.add(busy_at({{50, 0}}));
  auto source = net.add(busy_at({{12, 0}}, 0));
  net.connect(a, b, ns(5));
  net.connect(b, a, ns(3));
  net.connect({source, 0, a, 1, {}, false});
  net.assemble();
  net.start(a);
  net.start(b);
  net.start(source);
  net.activate(a);
  net.activate(b);
  CHECK(net.at(a).stat() == logical_time{12, 0}); // from outside
  CHECK(net.at(b).stat() == logical_time{17, 0}); // through a
  net.activate(source);
  net.activate(a, 1);
  // a itself around the loop, and b: 30 + 8, and 50 + 3. a executed 30.
  CHECK(net.tags(a) == tags{{30, 0}});
}

TEST_CASE("a message in transit to a member bounds it") {
  lab net;
  auto a = net.add(relay(0, true));
  auto b = net.add(busy_at({{7, 0}, {8, 0}}));
  net.connect(a, b, ns(7));
  net.connect(b, a, ns(1));
  net.assemble();
  net.start(b);
  net.run();
  CHECK(net.tags(b) == tags{}); // a has not started
  net.start(a);                 // its message is in the inbox of b
  net.activate(a);
  CHECK(net.at(a).stat() == logical_time{8, 0});
  net.run();
  CHECK(net.tags(b) == tags{{7, 0}, {8, 0}});
}

TEST_CASE("a message in transit keeps members from running past it") {
  // a, b and c in a ring. c must not execute past the message in transit to b.
  lab net;
  auto a = net.add(relay(0, true));
  auto b = net.add(relay(5));
  auto c = net.add(busy_at({{4, 0}, {6, 0}}));
  net.connect(a, b, ns(5));
  net.connect(b, c);
  net.connect(c, a, ns(1));
  net.assemble();
  for (auto i : {b, c, a})
    net.start(i);
  net.activate(a);
  net.activate(c);
  net.activate(c);
  CHECK(net.tags(c) == tags{{4, 0}});
  CHECK(net.at(c).stat() == logical_time{5, 0});
  net.run();
  CHECK(net.tags(c) == tags{{4, 0}, {5, 0}, {6, 0}});
}

TEST_CASE(
  "a node connected to itself is a loop, and receives its own messages") {
  lab net;
  auto x = net.add(relay(3, true));
  net.connect(x, x, ns(10));
  net.assemble(placed(1));
  net.start_all();
  net.run();
  CHECK(net.tags(x) == tags{{10, 0}, {20, 0}, {30, 0}, {40, 0}});
  CHECK(net.left(x));
}

TEST_CASE("5.2 a loop is done when its loop time table holds only forever") {
  lab net;
  std::vector<node_id> ring;
  for (auto i = 0; i < 4; ++i)
    ring.push_back(net.add(relay(3, i == 0)));
  connect_ring(net, ring);
  auto target = net.add(sink());
  net.connect(ring[2], target);
  net.assemble(placed(5));
  net.start_all();
  net.run();
  for (auto i : ring) {
    CHECK(net.left(i));
    CHECK(net.at(i).outcome() == engine::ending::done);
  }
  CHECK(net.left(target));
}

TEST_CASE("a loop is not done as long as an outside node may send") {
  lab net;
  std::vector<node_id> ring;
  for (auto i = 0; i < 3; ++i) {
    auto x = relay(1);
    x.inputs = 2;
    ring.push_back(net.add(x));
  }
  connect_ring(net, ring);
  auto source = net.add(writes_at({{100, 0}}));
  net.connect({source, 0, ring[1], 1, {}, false});
  net.assemble(placed(4));
  for (auto i : ring)
    net.start(i);
  net.run();
  for (auto i : ring)
    CHECK_FALSE(net.left(i));
  net.start(source);
  net.run();
  CHECK(net.tags(ring[0]) == tags{{100, 1}});
  for (auto i : ring)
    CHECK(net.left(i));
}

TEST_CASE("5.2 a loop with a physical connection never ends by itself") {
  lab net;
  auto a = net.add(relay(1, true));
  auto b = net.add(relay(1));
  net.connect(a, b);
  net.connect_physical(b, a);
  net.assemble(placed(2));
  net.start_all();
  net.run_until(1'000'000);
  CHECK_FALSE(net.left(a));
  CHECK_FALSE(net.left(b));
  CHECK(net.tags(a).size() == 1);
  for (auto i : {a, b})
    net.take_final(i, {2'000'000, 0}, never);
  net.run();
  CHECK(net.left(a));
  CHECK(net.left(b));
}

TEST_CASE("nested loops, and loops that share a node, are one loop") {
  lab net;
  auto shared = yielder(ns(10), 4);
  shared.inputs = 2;
  auto x = net.add(shared);
  auto a = net.add(relay(100));
  auto b = net.add(relay(100));
  auto c = net.add(relay(100));
  net.connect(x, a);
  net.connect(a, x, steps(1));
  net.connect(x, b);
  net.connect(b, c);
  net.connect(c, b, ns(500)); // within
  net.connect({c, 0, x, 1, steps(1), false});
  net.assemble(placed(4));
  CHECK(net.graph().in_same_loop(a, c));
  net.take_final(x, {300, 0}, {300, 0});
  for (auto i : {a, b, c})
    net.take_final(i, {300, 0}, {300, 0});
  net.start_all();
  net.run();
  // Both ways around deliver a message at the same tag.
  CHECK(net.tags(x).front() == logical_time{0, 1});
  CHECK(net.tags(a).size() == 5);
  for (auto i : {x, a, b, c})
    CHECK(net.left(i));
}

TEST_CASE(
  "the exits of a loop promise what its loop time table bounds, when asked") {
  lab net;
  auto a = net.add(yielder(ns(100), 3));
  auto b = net.add(relay(100));
  auto role = busy_at({{50, 0}, {150, 0}, {170, 0}}, 2);
  auto target = net.add(role);
  net.connect(a, b);
  net.connect(b, a, steps(1));
  net.connect(b, target); // 2
  net.assemble(placed(3));
  net.start_all();
  net.run();
  CHECK(net.left(target));
  CHECK(
    net.tags(target)
    == tags{{0, 0}, {50, 0}, {100, 0}, {150, 0}, {170, 0}, {200, 0}, {300, 0}});
}

TEST_CASE(
  "in a loop, a bound request goes to the members' clocks, never around") {
  lab net;
  auto x = net.add(sensor());
  auto a = net.add(relay(10));
  auto b = net.add(relay(10));
  auto target = net.add(busy_at({{500, 0}}));
  net.connect(x, a);
  net.connect(a, b);
  net.connect(b, x, steps(1));
  net.connect(b, target); // 3
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.asked_on(3) == tags{{500, 0}});
  CHECK(net.asks.size() == 1);
  CHECK(net.next_wake() == 501);
  auto before = net.activations;
  net.run_until(500);
  CHECK(net.activations == before); // no polling
  net.run_until(501);
  CHECK(net.tags(target) == tags{{500, 0}});
  CHECK(net.promises.size() <= 3); // only through the exit
  CHECK(net.activations < before + 10);
}

TEST_CASE(
  "in a loop, a bound request goes once to each member's outside connections") {
  lab net;
  auto clock = net.add(sensor(0));
  auto a = net.add(busy_at({}, 2));
  auto b = net.add(busy_at({{70, 0}}));
  net.connect(a, b, ns(10));
  net.connect(b, a, ns(1));
  net.connect({clock, 0, a, 1, ns(5), false}); // 2
  net.assemble();
  net.start_all();
  net.run();
  // b waits for 70: a must pass 60, and the clock 55.
  REQUIRE(net.asked_on(2).size() == 1);
  CHECK(net.asked_on(2)[0].ns == 60);
  CHECK(net.asks.size() == 1);
  CHECK(net.next_wake() == 56);
  net.run_until(55);
  CHECK(net.tags(b).empty());
  net.run_until(56);
  CHECK(net.tags(b) == tags{{70, 0}});
}

TEST_CASE("in a loop, the entry of a member that takes values from outside is "
          "bounded by elapsed time") {
  lab net;
  auto role = sensor();
  role.react = [](code& me, std::uint32_t) {
    if (me.present(1))
      me.write();
  };
  auto x = net.add(role);
  auto a = net.add(busy_at({{20, 0}, {30, 0}, {40, 0}}));
  net.connect(x, a);
  net.connect(a, x, ns(1));
  net.assemble();
  net.start_all();
  net.run_until(25);
  CHECK(net.tags(a) == tags{{20, 0}});
  net.call(x, 1);
  net.run();
  CHECK(net.tags(a) == tags{{20, 0}, {25, 0}});
  net.run_until(41);
  CHECK(net.tags(a) == tags{{20, 0}, {25, 0}, {30, 0}, {40, 0}});
}

TEST_CASE(
  "a member's own clock and its own requested bound meet around the loop") {
  lab net;
  auto role = sensor();
  role.start = [](code& me) { me.wait(ns(50), [](code&) {}); };
  auto x = net.add(role);
  net.connect(x, x, ns(8));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.next_wake() == 43); // 42 + 8 is not greater than 50
  net.run_until(42);
  CHECK(net.tags(x).empty());
  net.run_until(43);
  CHECK(net.tags(x) == tags{{50, 0}});
}

TEST_CASE("a loop of more than 256 members behaves as a small one") {
  lab net;
  std::vector<node_id> ring;
  for (auto i = 0; i < 300; ++i)
    ring.push_back(net.add(i == 0 ? yielder(ns(1000), 3) : relay(100)));
  connect_ring(net, ring);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.promises.empty());
  CHECK(net.tags(ring[299]) == tags{{0, 0}, {1000, 0}, {2000, 0}, {3000, 0}});
  for (auto i : ring)
    CHECK(net.left(i));
}

TEST_CASE("one round of a ring wakes each member once") {
  lab net;
  std::vector<node_id> ring;
  for (auto i = 0; i < 100; ++i)
    ring.push_back(net.add(relay(50, i == 0)));
  connect_ring(net, ring);
  net.assemble();
  net.start_all();
  net.run();
  auto hops = 100 * 50;
  CHECK(net.sends.size() >= static_cast<std::size_t>(hops));
  // Otherwise the number would be quadratic.
  CHECK(net.wakes < net.sends.size() * 2 + 1000);
  CHECK(net.activations < net.sends.size() * 2 + 1000);
}

TEST_CASE("members leave a loop at the final tag together") {
  lab net;
  std::vector<node_id> ring;
  for (auto i = 0; i < 4; ++i)
    ring.push_back(net.add(relay(1000, i == 0)));
  for (std::size_t i = 0; i < 4; ++i)
    net.connect(ring[i], ring[(i + 1) % 4], ns(1));
  net.assemble(placed(4));
  net.start_all();
  for (auto i : ring)
    net.take_final(i, {30, 0}, {30, 0});
  net.run();
  for (auto i : ring) {
    CHECK(net.left(i));
    CHECK(net.at(i).outcome() == engine::ending::final_tag);
    CHECK(net.at(i).logical() <= logical_time{30, 0});
  }
  CHECK(net.at(ring[2]).logical() == logical_time{30, 0});
}

TEST_CASE("an aborted member does not let other members continue") {
  lab net;
  auto a = net.add(relay(1000, true));
  auto b = net.add(busy_at({{5, 0}, {6, 0}, {20, 0}}));
  net.connect(a, b, ns(5));
  net.connect(b, a, ns(5));
  net.assemble();
  net.start_all();
  net.activate(b, 1);
  CHECK(net.tags(b) == tags{{5, 0}});
  net.abort(a); // at 10 it would have written a message that arrives at 15
  net.run();
  CHECK(net.tags(b).back() < logical_time{15, 0});
}

TEST_CASE("unsent messages of a failed member keep the other members waiting") {
  lab net;
  auto role = busy_at({});
  role.start = [](code& me) {
    me.wait(ns(3), [](code& self) { self.write(); });
    me.wait(ns(4), [](code&) { throw std::runtime_error("ouch"); });
  };
  auto a = net.add(role);
  auto b = net.add(busy_at({{1, 0}, {3, 1}}));
  net.connect(a, b);
  net.connect(b, a, ns(5));
  net.assemble(placed(2));
  net.start_all();
  net.run();
  REQUIRE(net.failures.size() == 1);
  net.abort(a);
  net.run();
  CHECK(net.tags(b) == tags{{1, 0}});
}

TEST_CASE("1.3 a loop executes the last microstep of an instant") {
  constexpr auto all = std::numeric_limits<std::uint32_t>::max();
  script role;
  role.start = [](code& me) {
    me.wait(steps(all - 1), [](code& self) { self.write(); });
  };
  role.react = [](code& me, std::uint32_t) { me.write(); };
  lab net;
  auto x = net.add(role);
  net.connect(x, x, steps(1));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(x) == tags{{0, all - 1}, {0, all}});
  REQUIRE(net.failures.size() == 1);
  CHECK(net.failures[0].second.text.find("microstep overflows")
        != std::string::npos);
}

} // namespace loop_rules_test
