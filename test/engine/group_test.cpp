// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Rules for groups. random_graph_test.cpp checks that groups have no other
// effects.

#include "lab.hpp"

#include "catch.hpp"

namespace group_test {

using namespace engine_test;
using tags = std::vector<logical_time>;

namespace {

/// Returns a node that writes at start, and every `period` nanoseconds, `count`
/// times.
script ticker(std::int64_t period, int count) {
  script x;
  x.inputs = 0;
  auto tick = std::make_shared<std::function<void(code&, int)>>();
  *tick = [period, count, again = tick.get()](code& me, int n) {
    me.write();
    if (n < count)
      me.wait(ns(period), [again, n](code& self) { (*again)(self, n + 1); });
  };
  x.start = [tick](code& me) { (*tick)(me, 0); };
  return x;
}

/// Returns a node that forwards its values.
script relay() {
  script x;
  x.react = [](code& me, std::uint32_t) { me.write(); };
  return x;
}

script sink(std::uint32_t inputs = 1) {
  script x;
  x.inputs = inputs;
  x.outputs = 0;
  x.triggers = {{}};
  for (std::uint32_t i = 0; i < inputs; ++i)
    x.triggers[0].push_back(i);
  return x;
}

} // namespace

TEST_CASE(
  "messages between members are executed in the same call, without a wake") {
  lab net;
  auto source = net.add(ticker(10, 3));
  auto middle = net.add(relay());
  auto last = net.add(sink());
  net.connect(source, middle);
  net.connect(middle, last, ns(5));
  net.assemble();
  net.start_all();
  net.run();
  // This graph in a group, for comparison.
  lab grouped;
  grouped.add(ticker(10, 3));
  grouped.add(relay());
  grouped.add(sink());
  grouped.connect(source, middle);
  grouped.connect(middle, last, ns(5));
  grouped.assemble();
  grouped.fuse(source, middle);
  grouped.fuse(source, last);
  grouped.start_all();
  grouped.activate(source);
  for (auto id : {source, middle, last}) {
    CHECK(grouped.left(id));
    CHECK((grouped.tags(id) == net.tags(id)));
    CHECK((grouped.history_of(id) == net.history_of(id)));
  }
  CHECK(grouped.activations == 1);
  CHECK(grouped.wakes == 0);
  CHECK(grouped.promises.empty());
  CHECK(net.wakes > 0);
}

TEST_CASE(
  "a waiting member does not hold up members that do not depend on it") {
  lab net;
  auto slow = net.add(ticker(10, 3));
  auto waits = net.add(sink());
  auto source = net.add(ticker(10, 3));
  auto goes_on = net.add(sink());
  net.connect(slow, waits);
  net.connect(source, goes_on);
  net.assemble();
  net.fuse(waits, source);
  net.fuse(waits, goes_on);
  for (auto id : {waits, source, goes_on})
    net.start(id);
  net.run();
  CHECK(net.tags(waits).empty());
  CHECK(net.left(source));
  CHECK((net.tags(goes_on) == tags{{0, 0}, {10, 0}, {20, 0}, {30, 0}}));
  net.start_all();
  net.run();
  CHECK((net.tags(waits) == net.tags(goes_on)));
}

TEST_CASE("a member that runs ahead of another member is held back as without "
          "a group") {
  lab net;
  auto source = net.add(ticker(10, 20));
  auto slow = net.add(ticker(10, 20));
  auto last = net.add(sink(2));
  net.connect(source, last);
  net.connect({slow, 0, last, 1, {}, false});
  net.assemble({.max_in_flight = 4});
  net.fuse(source, last);
  net.start(source);
  net.start(last);
  net.run();
  CHECK(net.tags(last).empty());
  CHECK(net.unexecuted(0) == 4);
  net.start_all();
  net.run();
  CHECK(net.tags(last).size() == 21);
}

TEST_CASE("a member executes nothing past its own request, even if nothing "
          "held it back before") {
  lab net;
  auto source = net.add(ticker(10, 9));
  auto role = sink();
  role.react = [](code& me, std::uint32_t) {
    if (me.now() == logical_time{30, 0})
      me.request();
  };
  auto last = net.add(role);
  auto other = net.add(sink());
  net.connect(source, last);
  net.connect(source, other);
  net.assemble();
  net.fuse(source, last);
  net.fuse(source, other);
  net.start_all();
  net.run();
  REQUIRE(net.requests.size() == 1);
  CHECK(net.tags(last).back() == logical_time{30, 0});
  CHECK(net.tags(other).back() == logical_time{90, 0});
}

TEST_CASE("a loop within a group needs no table") {
  lab net;
  auto first = net.add(ticker(1, 0));
  auto role = relay();
  role.react = [](code& me, std::uint32_t) {
    if (me.now() < logical_time{100, 0})
      me.write();
  };
  auto there = net.add(role);
  auto back = net.add(role);
  net.connect(first, there);
  net.connect(there, back, ns(1));
  net.connect(back, there, ns(1));
  net.assemble();
  net.fuse(there, back);
  net.fuse(there, first);
  net.start_all();
  net.activate(first);
  CHECK(net.left(there));
  CHECK(net.left(back));
  CHECK(net.tags(there).size() == 51);
  CHECK(net.activations == 1);
}

TEST_CASE(
  "in a loop within a group, a failed member does not end other members") {
  lab net;
  auto role = relay();
  role.react = [](code& me, std::uint32_t) {
    if (me.now() >= logical_time{50, 0})
      throw std::runtime_error("ouch");
    me.write();
  };
  auto first = net.add(ticker(1, 0));
  auto there = net.add(relay());
  auto back = net.add(role);
  net.connect(first, there);
  net.connect(there, back, ns(1));
  net.connect(back, there, ns(1));
  net.assemble();
  net.fuse(there, back);
  net.fuse(there, first);
  net.start_all();
  net.activate(first);
  CHECK(net.failures.size() == 1);
  CHECK(net.left(first));
  CHECK_FALSE(net.left(there));
  CHECK_FALSE(net.left(back));
}

TEST_CASE(
  "a member of a loop promises more to the rest of the loop, outside of "
  "the group, while another member executes [4.7]") {
  lab net;
  script clock;
  clock.inputs = 0;
  auto tick = std::make_shared<std::function<void(code&)>>();
  *tick = [again = tick.get()](code& me) {
    if (me.now() < logical_time{100'000, 0})
      me.wait(ns(10), *again);
  };
  clock.start = [tick](code& me) { (*tick)(me); };
  auto role = relay();
  role.inputs = 2;
  role.triggers = {{0, 1}};
  auto waiting = relay();
  waiting.start = [](code& me) { me.wait(ns(5000), [](code&) {}); };
  auto busy = net.add(clock);
  auto inner = net.add(role);
  auto outer = net.add(waiting);
  net.connect(busy, inner);
  net.connect(inner, outer, ns(1000));
  net.connect({outer, 0, inner, 1, ns(1000), false});
  net.assemble();
  net.fuse(busy, inner);
  net.start_all();
  // The clock runs past the tags below which nothing arrives from outside.
  for (auto budget : {900u, 5u, 5u, 5u}) {
    net.activate(busy, budget);
    net.activate(outer);
  }
  CHECK_FALSE(net.left(busy));
  CHECK((net.tags(outer) == tags{{5000, 0}}));
}

TEST_CASE("messages queued between members remain after a split") {
  lab net;
  auto source = net.add(ticker(10, 5));
  auto last = net.add(sink());
  net.connect(source, last, ns(1000));
  net.assemble();
  net.fuse(source, last);
  net.start_all();
  net.activate(source, 3); // budget for three tags
  CHECK(net.unexecuted(0) == 4);
  net.split({last});
  net.run();
  CHECK(net.tags(last).size() == 6);
  CHECK(net.left(last));
}

TEST_CASE("members keep their measurements when another member leaves") {
  lab net;
  auto source = net.add(ticker(10, 9));
  auto first = net.add(relay());
  auto last = net.add(sink());
  net.connect(source, first);
  net.connect(first, last);
  net.assemble();
  net.fuse(source, first);
  net.fuse(source, last);
  auto& group = *net.at(source).group();
  group.measure(true);
  auto samples = [&](node_id id) {
    std::size_t i = 0;
    while (i < group.size() && group.member(i).id() != id)
      ++i;
    return group.load(i).samples;
  };
  net.start_all();
  net.activate(source, 15); // budget for five tags of each
  auto of_source = samples(source);
  auto of_last = samples(last);
  CHECK(of_source > 0);
  CHECK(of_last > 0);
  net.split({first});
  CHECK(samples(source) == of_source);
  CHECK(samples(last) == of_last);
  net.fuse(source, first);
  CHECK(samples(first) == 0);
  CHECK(samples(last) == of_last);
}

TEST_CASE("each call visits only members that are connected with the outside, "
          "or that have something to do") {
  lab net;
  auto source = net.add(ticker(10, 2));
  auto middle = net.add(relay());
  auto last = net.add(sink());
  auto idle = net.add(sink());
  net.connect(source, middle);
  net.connect(middle, last);
  net.connect({source, 0, idle, 0, ns(1000), false});
  net.assemble();
  for (auto id : {middle, last, idle})
    net.fuse(source, id);
  auto& group = *net.at(source).group();
  CHECK(group.attended() == 4); // none of them has started
  net.start_all();
  net.activate(source, 4); // both events of its first tag, and a later one
  net.activate(source, 1);
  CHECK(group.attended() == 0);
  net.run();
  CHECK(net.tags(last).size() == 3);
  CHECK(net.tags(idle).size() == 3);
  CHECK(net.left(idle));
}

TEST_CASE(
  "a call of a part of a loop visits only members that have something to "
  "do") {
  lab net;
  auto first = relay();
  first.start = [](code& me) { me.write(); };
  first.react = [](code& me, std::uint32_t) {
    if (me.now() < logical_time{100'000, 0})
      me.write();
  };
  std::vector<node_id> ring{net.add(first)};
  while (ring.size() < 8)
    ring.push_back(net.add(relay()));
  for (std::size_t i = 0; i < ring.size(); ++i)
    net.connect(ring[i], ring[(i + 1) % ring.size()], ns(1000));
  net.assemble();
  for (std::size_t i = 1; i < ring.size(); ++i)
    net.fuse(ring[0], ring[i]);
  net.start_all();
  net.activate(ring[0], 3);
  REQUIRE(net.divide(ring[0], 2));
  for (auto i : {0, 7, 0, 7}) {
    net.activate(ring[static_cast<std::size_t>(i)]);
    auto& part = *net.at(ring[static_cast<std::size_t>(i)]).group();
    CHECK(part.is_part());
    CHECK(part.attended() == 0);
  }
  net.run();
  CHECK(net.tags(ring[7]).size() == 13);
  for (auto id : ring)
    CHECK(net.left(id));
}

TEST_CASE("in physical time, a call ends at the first tag that must wait") {
  lab net;
  auto soon = ticker(10, 20);
  auto late = ticker(100, 2);
  soon.realtime = late.realtime = true;
  auto first = net.add(soon);
  auto second = net.add(late);
  net.assemble();
  net.fuse(first, second);
  net.start_all();
  net.run_until(10);
  auto& group = *net.at(first).group();
  CHECK(group.attended() == 0);
  CHECK(group.wake_at() == 20);
  net.run_until(95);
  CHECK(group.wake_at() == 100);
  net.run_until(200);
  CHECK(net.tags(first).size() == 20);
  CHECK((net.tags(second) == tags{{100, 0}, {200, 0}}));
}

TEST_CASE("a loop that takes physical values is called for a checkpoint, "
          "although nothing happens in it") {
  lab net;
  auto sensor = relay();
  sensor.external = true;
  auto first = net.add(sensor);
  auto second = net.add(relay());
  net.connect(first, second);
  net.connect(second, first, ns(3));
  net.assemble();
  net.fuse(first, second);
  net.take_checkpoints(10);
  net.start_all();
  net.run();
  CHECK(net.at(first).group()->wake_at() != engine::node::no_wake);
  net.run_until(35);
  CHECK(net.parts_of(first).size() >= 2);
  CHECK(net.parts_of(second).size() >= 2);
}

TEST_CASE("members that say in one call that they are done are examined in the "
          "next one, if the budget of the call is used up") {
  // The receiver is examined first, and is done only after its sender.
  for (std::size_t budget = 1; budget <= 6; ++budget) {
    lab net;
    auto source = ticker(10, 1);
    auto receiver = sink();
    source.at_shutdown = receiver.at_shutdown = {0};
    source.triggers = {{}};
    receiver.start = [](code& me) { me.wait(ns(5), [](code&) {}); };
    auto from = net.add(source);
    auto to = net.add(receiver);
    net.connect(from, to, ns(20));
    net.assemble();
    net.fuse(from, to);
    net.start_all();
    for (auto i = 0; i < 20; ++i)
      net.activate(from, budget);
    CHECK(std::ranges::count_if(
            net.reports,
            [](auto& x) { return x.second.type == report::kind::done; })
          == 2);
  }
}

TEST_CASE("a newcomer leaves the group before it executes a tag") {
  lab net;
  auto source = net.add(ticker(10, 2));
  auto last = net.add(sink());
  net.connect(source, last);
  net.assemble();
  net.fuse(source, last, true);
  net.start_all();
  net.activate(source);
  CHECK(net.tags(last).empty());
  CHECK(net.at(last).group() != net.at(source).group());
  net.run();
  CHECK(net.tags(last).size() == 3);
  CHECK(net.left(last));
}

TEST_CASE(
  "a resumed reaction may write to its own node while a message of the tag "
  "waits behind other messages") {
  lab net;
  tags executed;
  auto role = sink(3);
  role.outputs = 1;
  role.start
    = [](code& me) { me.wait(ns(20), [](code& self) { self.write(); }); };
  role.react = [&](code& me, std::uint32_t) { executed.push_back(me.now()); };
  auto source = net.add(ticker(10, 0));
  auto last = net.add(role);
  net.connect({source, 0, last, 0, ns(10), false});
  net.connect({source, 0, last, 1, ns(20), false});
  net.connect({last, 0, last, 2, ns(5), false});
  // A message without an observer is kept apart.
  net.assemble({.traces = false});
  net.fuse(source, last);
  net.start_all();
  net.run();
  CHECK((executed == tags{{10, 0}, {20, 0}, {25, 0}}));
  CHECK(net.left(last));
}

} // namespace group_test
