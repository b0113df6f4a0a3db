// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The observer's view of a node: above all, what blocks it.

#include "lab.hpp"

#include "catch.hpp"

namespace snapshot_test {

using namespace engine_test;
using caf::rosia::engine::activity;
using caf::rosia::engine::blocker;
using kind = engine::blocker_kind;

namespace {

/// Returns a node that writes at each of these times.
script source(std::vector<std::int64_t> times) {
  script result;
  result.inputs = 0;
  result.start = [times](code& self) {
    for (auto t : times)
      if (t == 0)
        self.write();
      else
        self.wait(ns(t), [](code& again) { again.write(); });
  };
  return result;
}

script sink(std::uint32_t inputs = 1) {
  script result;
  result.inputs = inputs;
  result.outputs = 0;
  return result;
}

script relay() {
  script result;
  result.react = [](code& self, std::uint32_t) { self.write(); };
  return result;
}

blocker blocker_of(lab& net, node_id id) {
  return net.at(id).look().held_back;
}

} // namespace

TEST_CASE("an observer sees a node's queues and logical time") {
  lab net;
  auto fast = net.add(source({10, 20, 30}));
  auto slow = net.add(source({10, 500}));
  auto target = net.add(sink(2));
  net.connect(wire{fast, 0, target, 1, {}, false});
  net.connect(wire{slow, 0, target, 0, {}, false});
  net.assemble();
  auto before = net.at(target).look();
  CHECK(before.held_back.kind == kind::start);
  CHECK(before.doing.count == 0);
  net.hold(slow, target);
  net.start_all();
  net.run();
  net.deliver(slow, target);
  net.run();
  auto x = net.at(target).look();
  CHECK(x.logical == logical_time{0, 0});
  CHECK(x.next == logical_time{10, 0});
  REQUIRE(x.queues.size() == 1);
  CHECK(x.queues[0].input == 1);
  CHECK(x.queues[0].size == 3);
  CHECK(x.held_back.kind == kind::input);
  CHECK(x.held_back.connection == 1);
  CHECK(x.held_back.node == slow);
  CHECK(x.held_back.bound == x.stat);
  CHECK(x.doing.code == activity::start_code);
  CHECK_FALSE(x.doing.running);
  net.release(slow, target);
  net.run();
  CHECK(net.left(target));
  auto after = net.at(target).look();
  CHECK(after.logical == logical_time{500, 0});
  CHECK(after.doing.code == activity::shutdown_code);
}

TEST_CASE("an observer sees a running node, and its start time") {
  lab net;
  activity during;
  auto x = source({7});
  x.start = [&](code& self) {
    self.wait(ns(7), [&](code&) {
      net.set_clock(50);
      during = net.at(0).doing();
    });
  };
  net.add(x);
  net.assemble();
  net.start_all();
  net.set_clock(20);
  net.run();
  CHECK(during.running);
  CHECK(during.code == activity::start_code);
  CHECK(during.tag == logical_time{7, 0});
  CHECK(during.since == 20);
  CHECK(during.count == 2);
}

TEST_CASE("a node that waits for a loop names its member and the port") {
  // For a small loop, and for a large one without a matrix.
  network_options options;
  options.matrix_up_to = GENERATE(std::size_t{0}, std::size_t{256});
  lab net;
  auto a = net.add(relay());
  auto b = net.add(relay());
  auto c = net.add(source({40}));
  net.connect(a, b);
  net.connect(b, a, ns(5));
  net.connect(c, a);
  net.assemble(options);
  net.hold(c, a);
  net.start_all();
  net.run();
  net.deliver(c, a);
  net.run();
  // No message is in the loop, but the source may still send one into it.
  auto x = blocker_of(net, b);
  CHECK(x.kind == kind::loop);
  CHECK(x.node == a);
  CHECK(x.connection == 0);
  auto y = blocker_of(net, a);
  CHECK(y.kind == kind::input);
  CHECK(y.connection == 2);
}

TEST_CASE("a node in real time that waits for its tag reports it") {
  lab net;
  auto x = source({40});
  x.realtime = true;
  net.add(x);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(blocker_of(net, 0).kind == kind::clock);
  CHECK(blocker_of(net, 0).bound == logical_time{40, 0});
}

TEST_CASE("a node that answered reports that it waits for the final tag") {
  lab net;
  net.add(source({40, 90}));
  net.assemble();
  net.start_all();
  net.ask_shutdown(0, {60, 0});
  net.run();
  auto x = net.at(0).look();
  CHECK(x.held_back.kind == kind::agreement);
  CHECK(x.held_back.bound == logical_time{60, 0});
  CHECK(x.stat == logical_time{60, 1});
  CHECK(x.next == logical_time{90, 0});
}

TEST_CASE("a paused sender names its receiver") {
  lab net;
  auto x = net.add(source({10, 20, 30, 40}));
  auto other = net.add(source({500}));
  auto target = net.add(sink(2));
  net.connect(wire{x, 0, target, 0, {}, false});
  net.connect(wire{other, 0, target, 1, {}, false});
  net.hold(other, target);
  network_options options;
  options.max_in_flight = 2;
  net.assemble(options);
  net.start_all();
  net.run();
  auto y = blocker_of(net, x);
  CHECK(y.kind == kind::receiver);
  CHECK(y.connection == 0);
  CHECK(y.node == target);
}

TEST_CASE("a node that only waits for values from outside reports that") {
  lab net;
  auto button = sink(0);
  button.external = true;
  net.add(button);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(blocker_of(net, 0).kind == kind::outside);
  // When the final tag is known, it waits until the requested tag has passed.
  net.ask_shutdown(0, {60, 0});
  net.take_final(0, {60, 0}, {60, 0});
  net.run();
  CHECK(blocker_of(net, 0).kind == kind::clock);
  CHECK(blocker_of(net, 0).bound == logical_time{60, 0});
}

TEST_CASE(
  "a node that could still receive physical values names their sender") {
  lab net;
  auto x = source({40});
  x.realtime = true;
  auto from = net.add(x);
  auto to = net.add(sink());
  net.connect_physical(from, to);
  net.assemble();
  net.start_all();
  net.run();
  auto y = blocker_of(net, to);
  CHECK(y.kind == kind::sender);
  CHECK(y.node == from);
  CHECK(y.connection == 0);
}

TEST_CASE("a failed node reports that") {
  lab net;
  auto x = source({0});
  x.start = [](code&) { throw std::runtime_error("no"); };
  net.add(x);
  net.assemble();
  net.start_all();
  auto seen = net.at(0).look();
  CHECK(seen.held_back.kind == kind::failure);
  CHECK_FALSE(seen.doing.running);
}

} // namespace snapshot_test
