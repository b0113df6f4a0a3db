// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 4 of the semantics: bounded memory.

#include "lab.hpp"

#include "catch.hpp"

namespace back_pressure_rules_test {

using namespace engine_test;
using tags = std::vector<logical_time>;

namespace {

/// Returns a node that writes every nanosecond, from `first` on.
script writes(std::int64_t first, std::int64_t count) {
  script x;
  x.inputs = 0;
  x.start = [first, count](code& me) {
    for (auto i = first; i < first + count; ++i)
      me.wait(ns(i), [](code& self) { self.write(); });
  };
  return x;
}

script sink(std::uint32_t inputs = 1) {
  script x;
  x.inputs = inputs;
  x.outputs = 0;
  return x;
}

} // namespace

TEST_CASE(
  "a node starts no tag while a connection holds max_in_flight messages "
  "due before it that the receiver has not executed") {
  lab net;
  auto source = net.add(writes(1, 10));
  auto target = net.add(sink());
  net.connect(source, target);
  net.assemble({.max_in_flight = 3});
  net.start_all();
  net.activate(source);
  CHECK(net.tags(source) == tags{{1, 0}, {2, 0}, {3, 0}});
  CHECK_FALSE(net.scheduled(source)); // sleeps until it is woken
  net.activate(target);               // executes all its messages
  CHECK(net.tags(target).size() == 3);
  CHECK(net.scheduled(source));
  net.activate(source);
  CHECK(net.tags(source).size() == 6);
  net.run();
  CHECK(net.tags(target).size() == 10);
}

TEST_CASE("one message in flight is enough") {
  lab net;
  auto source = net.add(writes(1, 10));
  auto target = net.add(sink());
  net.connect(source, target);
  net.assemble({.max_in_flight = 1});
  net.start_all();
  net.activate(source);
  CHECK(net.tags(source).size() == 1);
  net.run();
  CHECK(net.tags(target).size() == 10);
}

TEST_CASE("4.20 a receiver acks executed messages before it becomes idle") {
  lab net;
  auto source = net.add(writes(1, 10));
  auto other = net.add(writes(3, 1));
  auto target = net.add(sink(2));
  net.connect(source, target);
  net.connect({other, 0, target, 1, {}, false});
  net.assemble({.max_in_flight = 4});
  net.start(source);
  net.start(other);
  net.start(target);
  net.activate(source); // sends 1 to 4; 1 and 2 can be executed
  net.activate(target);
  CHECK(net.tags(target) == tags{{1, 0}, {2, 0}});
  CHECK(net.scheduled(source));
  net.activate(source);
  CHECK(net.tags(source).back() == logical_time{6, 0});
}

TEST_CASE("a receiver that is only interrupted acks as well") {
  lab net;
  auto source = net.add(writes(1, 10));
  auto target = net.add(sink());
  net.connect(source, target);
  net.assemble({.max_in_flight = 4});
  net.start_all();
  net.activate(source);
  CHECK(net.activate(target, 2) == engine::node::state::more);
  CHECK(net.scheduled(source));
}

TEST_CASE("4.19 messages that a long delay merely stores do not count") {
  // If all messages counted, source and other would wait for each other: the
  // target cannot execute messages after 100 before the other node has sent.
  lab net;
  auto source = net.add(writes(1, 50));
  auto middle = net.add(sink());
  auto target = net.add(sink(2));
  net.connect(source, target, ns(100));
  net.connect(source, middle);
  net.assemble({.max_in_flight = 2});
  net.start(source);
  net.start(middle);
  for (auto i = 0; i < 60; ++i) {
    net.activate(source);
    net.activate(middle);
  }
  CHECK(net.tags(source).size() == 50);
  CHECK(net.unexecuted(0) == 50);
  net.start(target);
  net.run();
  CHECK(net.tags(target).size() == 50);
}

TEST_CASE("messages count once they are due before the next tag") {
  lab net;
  auto source = net.add(writes(1, 50));
  auto target = net.add(sink());
  net.connect(source, target, ns(10));
  net.assemble({.max_in_flight = 2});
  net.start_all();
  net.activate(source);
  // At 13, two messages were due before: those of 1 and 2, at 11 and 12.
  CHECK(net.tags(source).back() == logical_time{12, 0});
}

TEST_CASE("4.21 the globally earliest event is never paused") {
  // Two paths of different length meet. The short one is saturated until the
  // long one delivers the messages needed to execute it.
  lab net;
  script role;
  role.inputs = 0;
  role.outputs = 2;
  role.start = [](code& me) {
    for (std::int64_t i = 1; i <= 20; ++i)
      me.wait(ns(i), [](code& self) {
        self.write(0);
        if (self.now().ns % 7 == 0)
          self.write(1);
      });
  };
  auto source = net.add(role);
  script relay;
  relay.react = [](code& me, std::uint32_t) { me.write(); };
  auto middle = net.add(relay);
  auto target = net.add(sink(2));
  net.connect({source, 0, target, 0, {}, false});
  net.connect({source, 1, middle, 0, {}, false});
  net.connect({middle, 0, target, 1, {}, false});
  net.assemble({.max_in_flight = 1});
  net.start_all();
  net.run();
  CHECK(net.tags(target).size() == 20);
  CHECK(net.left(target));
}

TEST_CASE("4.22 as long as a graph has an event to execute, it executes one") {
  // All graphs of three nodes, with the least room for messages. Each node has
  // two events, and forwards three values.
  auto spread = GENERATE(false, true);
  auto back = GENERATE(steps(1), ns(2));
  for (auto graph = 0u; graph < 1u << 9; ++graph) {
    lab net;
    for (node_id i = 0; i < 3; ++i) {
      auto x = writes(1 + i, 2);
      x.inputs = 1;
      x.outputs = 2;
      x.react = [left = 3](code& me, std::uint32_t) mutable {
        if (left-- > 0)
          me.write(1);
      };
      net.add(x);
    }
    for (node_id from = 0; from < 3; ++from)
      for (node_id to = 0; to < 3; ++to)
        if ((graph >> (from * 3 + to) & 1u) != 0)
          for (auto output : {0u, 1u})
            net.connect(
              {from, output, to, 0, from < to ? delay{} : back, false});
    network_options options{.max_in_flight = 1};
    if (spread)
      options.processes = {0, 1, 2};
    net.assemble(options);
    net.start_all();
    net.run();
    // Nothing is in transit, and no node is woken: without an event to execute,
    // all nodes have ended.
    for (node_id i = 0; i < 3; ++i)
      if (!net.left(i))
        FAIL_CHECK("graph " << graph << ": node " << i << " waits at "
                            << net.at(i).logical() << " for its next tag "
                            << net.at(i).next_tag());
  }
}

TEST_CASE("back-pressure in a loop does not deadlock") {
  lab net;
  script x;
  x.inputs = 2;
  x.start = [](code& me) {
    for (std::int64_t i = 1; i <= 30; ++i)
      me.wait(ns(i), [](code& self) { self.write(); });
  };
  auto a = net.add(x);
  script relay;
  relay.react = [](code& me, std::uint32_t) { me.write(); };
  auto b = net.add(relay);
  net.connect(a, b, ns(3));
  net.connect(b, a, steps(1));
  net.connect({b, 0, a, 1, ns(7), false});
  net.assemble({.max_in_flight = 1});
  net.start_all();
  net.run();
  CHECK(net.tags(b).size() == 30);
  CHECK(net.left(a));
}

TEST_CASE("a receiver that left does not hold up its senders") {
  lab net;
  auto source = net.add(writes(1, 10));
  auto target = net.add(sink());
  net.connect(source, target);
  net.assemble({.max_in_flight = 2});
  net.start_all();
  net.activate(source);
  CHECK(net.tags(source).size() == 2);
  net.abort(target);
  CHECK(net.scheduled(source));
  net.run();
  CHECK(net.tags(source).size() == 10);
}

TEST_CASE("an activation ends when it has thousands of messages to send") {
  lab net;
  auto source = net.add(writes(1, 100));
  auto target = net.add(sink(100));
  for (std::uint32_t i = 0; i < 100; ++i)
    net.connect({source, 0, target, i, {}, false});
  net.assemble();
  net.start_all();
  CHECK(net.activate(source, 1000) == engine::node::state::more);
  CHECK(net.tags(source).size() < 50);
  net.run();
  CHECK(net.tags(target).size() == 100);
  CHECK(net.left(target));
}

} // namespace back_pressure_rules_test
