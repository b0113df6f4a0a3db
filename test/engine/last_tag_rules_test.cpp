// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 10.6 of the semantics: the last tag.

#include "lab.hpp"

#include "engine/checkpointing.hpp"

#include "catch.hpp"

#include <limits>
#include <stdexcept>

namespace last_tag_rules_test {

using namespace engine_test;
using Catch::Matchers::ContainsSubstring;
using engine::ending;
using kind = engine::blocker_kind;
using tags = std::vector<logical_time>;
using texts = std::vector<std::string>;

namespace {

/// Records the tag, and the values of the first input.
void note(code& me) {
  auto text = to_string(me.now());
  for (std::uint32_t i = 0; i < me.role.inputs; ++i)
    if (me.present(i))
      for (auto value : me.values(i))
        text += ' ' + std::to_string(value);
  me.log.push_back(text);
}

/// Returns a node that writes 1 at each of `count` tags, from (0, 0) on every
/// `period`, and their number at the last tag.
script counter(std::int64_t period, std::uint64_t count) {
  script x;
  x.inputs = 0;
  x.triggers = {{}};
  x.at_shutdown = {0};
  x.start = [=](code& me) {
    me.write(0, 1);
    for (std::uint64_t i = 1; i < count; ++i)
      me.wait(ns(static_cast<std::int64_t>(i) * period), [](code& self) {
        self.write(0, 1);
      });
  };
  x.react = [=](code& me, std::uint32_t) {
    note(me);
    me.write(0, count);
  };
  return x;
}

/// Returns a node that forwards the sum of its values.
script relay(std::uint32_t inputs = 1) {
  script x;
  x.inputs = inputs;
  x.react = [](code& me, std::uint32_t) {
    note(me);
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < me.role.inputs; ++i)
      if (me.present(i))
        for (auto value : me.values(i))
          sum += value;
    me.write(0, sum);
  };
  return x;
}

script sink() {
  auto x = relay();
  x.outputs = 0;
  x.react = [](code& me, std::uint32_t) { note(me); };
  return x;
}

/// A counter, a relay and a sink, each connected without delay.
struct chain : lab {
  explicit chain(std::uint64_t count = 3, bool together = false) {
    source = add(counter(10, count));
    middle = add(relay());
    target = add(sink());
    connect(source, middle);
    connect(middle, target);
    assemble();
    if (together) {
      fuse(source, middle);
      fuse(middle, target);
    }
  }

  node_id source, middle, target;
};

} // namespace

// -- what runs ----------------------------------------------------------------

TEST_CASE("10.6.1 at the last tag, reactions to it run, and everything that "
          "they cause without delay") {
  for (auto together : {false, true}) {
    CAPTURE(together);
    chain net{100, together};
    lab_coordinator coordinator{net, logical_time{20, 0}};
    net.start_all();
    coordinator.run();
    REQUIRE(coordinator.over());
    CHECK(coordinator.status() == 0);
    CHECK(net.tags(net.source) == tags{{10, 0}, {20, 0}, {20, 1}});
    CHECK(net.code_of(net.source).log == texts{"20ns+1"});
    CHECK(net.code_of(net.target).log
          == texts{"0s 1", "10ns 1", "20ns 1", "20ns+1 100"});
    for (auto i : {net.source, net.middle, net.target}) {
      CHECK(net.at(i).outcome() == ending::final_tag);
      CHECK(net.at(i).logical() == logical_time{20, 1});
      CHECK(net.at(i).last_before_end() == logical_time{20, 0});
      CHECK(net.code_of(i).shutdowns == 1);
    }
  }
}

TEST_CASE("10.6.1 nothing else that was due at the last tag runs") {
  lab net;
  script x;
  x.inputs = 1;
  x.actions = 1;
  x.at_shutdown = {0};
  x.triggers = {{0}};
  x.acts = {{0}};
  x.start = [](code& me) {
    me.schedule(ns(20), 7);
    me.wait(ns(20), [](code& self) {
      self.log.emplace_back("resumed");
      self.schedule(steps(1), 8);
      self.wait(steps(1), [](code& again) { again.log.emplace_back("late"); });
    });
  };
  x.react = [](code& me, std::uint32_t) {
    note(me);
    for (auto value : me.scheduled())
      me.log.push_back("action " + std::to_string(value));
  };
  auto source = net.add(counter(19, 3));
  auto target = net.add(x);
  net.connect(source, target, ns(1));
  net.assemble();
  // A message of the source, sent at 19ns, arrives at 20ns; one sent at 19ns+1
  // would arrive then as well.
  lab_coordinator coordinator{net, logical_time{20, 0}};
  net.start_all();
  coordinator.run();
  CHECK(coordinator.over());
  CHECK(net.code_of(target).log
        == texts{"1ns 1", "resumed", "20ns 1", "action 7", "20ns+1"});
  CHECK(net.code_of(target).discarded == 1);
  CHECK(net.shutdown_failures.empty());
}

TEST_CASE("10.6.1 a reaction to the last tag may have other triggers") {
  lab net;
  auto x = sink();
  x.at_shutdown = {0};
  auto source = net.add(counter(10, 2));
  auto target = net.add(x);
  net.connect(source, target);
  net.assemble();
  lab_coordinator coordinator{net};
  net.start_all();
  coordinator.run();
  // The reaction runs once, with the value that is sent at this tag.
  CHECK(net.code_of(target).log == texts{"0s 1", "10ns 1", "10ns+1 2"});
}

TEST_CASE("10.6.1 an error at the last tag aborts the application") {
  for (auto together : {false, true}) {
    CAPTURE(together);
    lab net;
    auto x = counter(10, 2);
    x.react = [](code&, std::uint32_t) { throw std::runtime_error("no"); };
    auto source = net.add(x);
    auto target = net.add(sink());
    net.connect(source, target);
    net.assemble();
    if (together)
      net.fuse(source, target);
    lab_coordinator coordinator{net};
    net.start_all();
    coordinator.run();
    REQUIRE(coordinator.over());
    CHECK(coordinator.aborted());
    CHECK(coordinator.status() == 1);
    REQUIRE(net.failures.size() == 1);
    CHECK(net.failures[0].second.tag == logical_time{10, 1});
    for (auto i : {source, target}) {
      CHECK(net.at(i).outcome() == ending::aborted);
      CHECK(net.code_of(i).shutdowns == 1);
    }
    CHECK(net.code_of(target).log == texts{"0s 1", "10ns 1"});
  }
}

TEST_CASE("10.6.1 there is no last tag after the last microstep") {
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  chain net{2};
  lab_coordinator coordinator{net, logical_time{20, most}};
  net.start_all();
  coordinator.run();
  REQUIRE(coordinator.over());
  CHECK(coordinator.status() == 1);
  REQUIRE(!net.failures.empty());
  CHECK(net.failures[0].first == net.source);
  CHECK_THAT(net.failures[0].second.text,
             ContainsSubstring("the microstep overflows after the final tag"));
}

// -- when it runs -------------------------------------------------------------

TEST_CASE("10.6.2 a node executes the last tag once each node that sends to it "
          "without delay has said no_more") {
  chain net{2};
  lab_coordinator coordinator{net, logical_time{10, 0}};
  net.start_all();
  net.hold(net.source, net.middle);
  coordinator.run();
  CHECK(net.left(net.source));
  CHECK_FALSE(net.left(net.middle));
  CHECK_FALSE(net.left(net.target));
  net.release(net.source, net.middle);
  coordinator.run();
  CHECK(coordinator.over());
  CHECK(net.code_of(net.target).log == texts{"0s 1", "10ns 1", "10ns+1 2"});
}

TEST_CASE("10.6.2 a node waits at the last tag although no message can arrive "
          "before") {
  lab net;
  auto slow = net.add(counter(10, 2));
  auto quick = net.add(counter(10, 2));
  auto target = net.add(relay(2));
  net.connect(wire{slow, 0, target, 0, {}, false});
  net.connect(wire{quick, 0, target, 1, {}, false});
  net.assemble();
  net.start_all();
  net.run();
  net.hold(slow, target);
  for (auto i : {slow, quick, target})
    net.take_final(i, {15, 0}, {15, 0});
  net.run();
  CHECK(net.left(quick));
  CHECK_FALSE(net.left(target));
  CHECK(net.code_of(target).log == texts{"0s 1 1", "10ns 1 1"});
  net.release(slow, target);
  net.run();
  CHECK(net.left(target));
  CHECK(net.code_of(target).log.back() == "15ns+1 2 2");
}

TEST_CASE("10.6.2 promises say nothing about the last tag") {
  lab net;
  auto x = counter(10, 1);
  x.start = [](code& me) {
    me.write(0, 1);
    me.promise(ns(1'000));
  };
  auto source = net.add(x);
  auto target = net.add(sink());
  net.connect(source, target);
  net.assemble();
  lab_coordinator coordinator{net, logical_time{50, 0}};
  net.start_all();
  coordinator.run();
  CHECK(coordinator.status() == 0);
  CHECK(net.code_of(target).log == texts{"0s 1", "50ns+1 1"});
}

TEST_CASE("10.6.2 values at the last tag are in the order of the connections") {
  for (auto first : {0u, 1u}) {
    lab net;
    auto a = net.add(counter(10, 1));
    auto b = net.add(counter(10, 2));
    auto target = net.add(sink());
    net.connect(b, target);
    net.connect(a, target);
    net.assemble();
    net.start_all();
    net.run();
    auto early = first == 0 ? a : b;
    auto late = first == 0 ? b : a;
    net.hold(late, target);
    for (auto i : {a, b, target})
      net.take_final(i, {10, 0}, {10, 0});
    net.run();
    CHECK(net.left(early));
    net.release(late, target);
    net.run();
    CHECK(net.code_of(target).log.back() == "10ns+1 2 1");
  }
}

// -- nodes without a last tag -------------------------------------------------

TEST_CASE("10.6.3 a node that no reaction to the last tag reaches without "
          "delay leaves at the final tag") {
  lab net;
  auto source = net.add(counter(10, 2));
  auto near = net.add(relay());
  auto far = net.add(sink());
  auto before = net.add(relay());
  net.connect(source, near);
  net.connect(near, far, ns(1));
  net.connect(before, far);
  net.assemble();
  net.start_all();
  net.run();
  net.hold(source, near);
  for (node_id i = 0; i < net.size(); ++i)
    net.take_final(i, {15, 0}, {15, 0});
  net.run();
  // It does not wait for nodes that wait at the last tag.
  CHECK(net.left(far));
  CHECK(net.left(before));
  CHECK_FALSE(net.left(near));
  net.release(source, near);
  net.run();
  CHECK(net.left(near));
  CHECK(net.tags(near).back() == logical_time{15, 1});
  CHECK(net.tags(far).back() <= logical_time{15, 0});
}

TEST_CASE("10.6.3 neither back-pressure nor physical time holds a node at the "
          "last tag") {
  lab net;
  auto x = counter(10, 2);
  x.realtime = true;
  auto source = net.add(x);
  auto other = net.add(counter(1, 5));
  auto target = net.add(sink());
  net.connect(source, target);
  net.connect(other, target, ns(1'000));
  network_options options;
  options.max_in_flight = 1;
  net.assemble(options);
  net.start_all();
  net.run_until(10);
  for (node_id i = 0; i < net.size(); ++i)
    net.take_final(i, {1'000'000, 0}, {1'000'000, 0});
  net.run();
  CHECK(net.left(source));
  CHECK(net.tags(source).back() == logical_time{1'000'000, 1});
}

// -- by itself ----------------------------------------------------------------

TEST_CASE("10.6.4 a node that is done reports its last tag, and waits for the "
          "final tag") {
  lab net;
  auto source = net.add(counter(10, 3));
  net.assemble();
  net.start_all();
  net.run();
  CHECK_FALSE(net.left(source));
  REQUIRE(net.reports.size() == 1);
  CHECK(net.reports[0].second.type == report::kind::done);
  CHECK(net.reports[0].second.tag == logical_time{20, 0});
  net.take_final(source, {35, 0}, {35, 0});
  net.run();
  CHECK(net.left(source));
  CHECK(net.tags(source).back() == logical_time{35, 1});
  CHECK(net.reports.size() == 2);
}

TEST_CASE("10.6.4 an application that ends by itself ends at the greatest tag "
          "that was executed") {
  for (auto together : {false, true}) {
    CAPTURE(together);
    lab net;
    auto a = net.add(counter(10, 3));
    auto b = net.add(relay());
    auto c = net.add(sink());
    auto longest = net.add(counter(7, 5));
    net.connect(a, b, ns(3));
    net.connect(b, c);
    net.assemble();
    if (together) {
      net.fuse(a, b);
      net.fuse(a, c);
      net.fuse(a, longest);
    }
    lab_coordinator coordinator{net};
    net.start_all();
    coordinator.run();
    REQUIRE(coordinator.over());
    CHECK(coordinator.status() == 0);
    CHECK(coordinator.finals == tags{{28, 0}});
    CHECK(net.code_of(a).log == texts{"28ns+1"});
    CHECK(net.code_of(longest).log == texts{"28ns+1"});
    // A value that is sent at the last tag with a delay never arrives.
    CHECK(net.code_of(c).log == texts{"3ns 1", "13ns 1", "23ns 1"});
    CHECK(net.at(c).outcome() == ending::done);
  }
}

TEST_CASE("10.6.4 a node that waits for the final tag lets other nodes be "
          "done") {
  for (auto physical : {false, true}) {
    CAPTURE(physical);
    lab net;
    auto a = net.add(counter(10, 2));
    auto b = net.add(relay());
    auto x = relay();
    x.at_shutdown = {0};
    auto c = net.add(x);
    if (physical)
      net.connect_physical(a, b);
    else
      net.connect(a, b, ns(2));
    net.connect(b, c, ns(2));
    net.assemble();
    lab_coordinator coordinator{net};
    net.start_all();
    coordinator.run();
    REQUIRE(coordinator.over());
    CHECK(coordinator.status() == 0);
    CHECK(net.at(b).outcome() == ending::done);
    CHECK(net.at(c).outcome() == ending::final_tag);
  }
}

TEST_CASE("10.6.4 a loop is done although its members wait for the final tag") {
  for (auto together : {0, 1, 2}) {
    CAPTURE(together);
    lab net;
    auto source = net.add(counter(10, 2));
    auto x = relay(2);
    x.at_shutdown = {0};
    x.react = [](code& me, std::uint32_t) {
      note(me);
      if (me.now().ns < 50)
        me.write(0, 1);
    };
    auto a = net.add(x);
    auto b = net.add(relay());
    net.connect(wire{source, 0, a, 0, {}, false});
    net.connect(a, b);
    net.connect(wire{b, 0, a, 1, ns(9), false});
    net.assemble();
    if (together > 0)
      net.fuse(a, b);
    if (together > 1)
      net.fuse(source, a);
    lab_coordinator coordinator{net};
    net.start_all();
    coordinator.run();
    REQUIRE(coordinator.over());
    CHECK(coordinator.status() == 0);
    auto final = coordinator.finals.at(0);
    CHECK(
      net.code_of(a).log.back() == to_string(engine::just_past(final)) + " 2");
    CHECK(net.tags(b).back() <= final);
  }
}

TEST_CASE("10.6.4 a request takes precedence over the end by itself") {
  lab net;
  auto a = net.add(counter(10, 2));
  auto b = net.add(counter(100, 1'000));
  net.assemble();
  lab_coordinator coordinator{net};
  net.start_all();
  net.activate(a);
  net.activate(a);
  coordinator.serve();
  coordinator.request({500, 0}, 0);
  coordinator.run();
  CHECK(coordinator.over());
  CHECK(coordinator.final_tag() == net.at(b).last_before_end());
  CHECK(net.tags(a).back() == engine::just_past(coordinator.final_tag()));
}

// -- without effect -----------------------------------------------------------

TEST_CASE("10.6.5 what is sent with a delay or physically, scheduled, or "
          "yielded at the last tag has no effect") {
  lab net;
  auto x = counter(10, 2);
  x.actions = 1;
  x.acts = {{0}};
  x.react = [](code& me, std::uint32_t) {
    note(me);
    me.write(0, 5);
    me.schedule(ns(1), 6);
    me.wait(ns(1), [](code& self) { self.log.emplace_back("resumed"); });
  };
  auto a = net.add(x);
  auto delayed = net.add(sink());
  auto physical = net.add(sink());
  auto direct = net.add(sink());
  net.connect(a, delayed, steps(1));
  net.connect_physical(a, physical);
  net.connect(a, direct);
  net.assemble();
  lab_coordinator coordinator{net};
  net.start_all();
  coordinator.run();
  REQUIRE(coordinator.over());
  CHECK(coordinator.status() == 0);
  // `delayed` executes the final tag.
  CHECK(net.code_of(a).log == texts{"10ns+2"});
  CHECK(net.code_of(a).discarded == 1);
  CHECK(net.code_of(delayed).log == texts{"0s+1 1", "10ns+1 1"});
  CHECK(net.code_of(physical).log.size() == 2);
  CHECK(net.code_of(direct).log == texts{"0s 1", "10ns 1", "10ns+2 5"});
}

TEST_CASE("10.6.5 a request for an end at the last tag changes nothing") {
  lab net;
  auto x = counter(10, 2);
  x.react = [](code& me, std::uint32_t) {
    note(me);
    me.request();
    me.request(ns(5));
  };
  net.add(x);
  net.assemble();
  lab_coordinator coordinator{net};
  net.start_all();
  coordinator.run();
  CHECK(coordinator.over());
  CHECK(coordinator.finals == tags{{10, 0}});
  CHECK(coordinator.ignored_proposals == tags{{10, 1}, {15, 0}});
}

TEST_CASE("10.6.5 a node that executed the last tag keeps the final tag "
          "from being lowered") {
  chain net{100};
  lab_coordinator coordinator{net, logical_time{20, 0}};
  net.start_all();
  net.hold(net.source, net.middle);
  net.run();
  CHECK(net.left(net.source));
  coordinator.request({10, 0}, 0);
  net.release(net.source, net.middle);
  coordinator.run();
  CHECK(coordinator.over());
  CHECK(coordinator.finals == tags{{20, 0}});
  CHECK(net.code_of(net.target).log.back() == "20ns+1 100");
}

TEST_CASE("10.6.5 the checkpoint at the end is that of the final tag") {
  chain first{3};
  first.take_checkpoints(0);
  lab_coordinator coordinator{first, logical_time{10, 0}};
  first.start_all();
  coordinator.run();
  REQUIRE(coordinator.over());
  std::vector<network::node_part> parts;
  for (node_id i = 0; i < first.size(); ++i) {
    REQUIRE(first.parts_of(i).size() == 1);
    parts.push_back(first.parts_of(i)[0]);
    CHECK(parts.back().covers({10, 0}));
    CHECK_FALSE(parts.back().covers({10, 1}));
  }
}

TEST_CASE("10.6.4 a node that waits for the final tag has a part of each later "
          "checkpoint") {
  lab net;
  auto a = net.add(counter(10, 2));
  auto b = net.add(relay());
  net.connect(a, b);
  net.assemble();
  net.take_checkpoints(100);
  // Instances that yielded have ended by then.
  net.start_all();
  net.run();
  for (auto i : {a, b}) {
    REQUIRE(net.parts_of(i).size() == 1);
    CHECK(net.parts_of(i)[0].covers({100, 0}));
    CHECK(net.parts_of(i)[0].covers({1'000'000, 0}));
    CHECK_FALSE(net.parts_of(i)[0].kept.left);
  }
}

// -- for observers ------------------------------------------------------------

TEST_CASE("10.6.6 a node that waits at the last tag names the sender") {
  chain net{2};
  lab_coordinator coordinator{net, logical_time{10, 0}};
  net.start_all();
  net.hold(net.source, net.middle);
  coordinator.run();
  auto x = net.at(net.target).look().held_back;
  CHECK(x.kind == kind::input);
  net.release(net.source, net.middle);
  coordinator.run();

  chain other{2};
  other.start_all();
  other.run();
  other.hold(other.source, other.middle);
  for (node_id i = 0; i < other.size(); ++i)
    other.take_final(i, {15, 0}, {15, 0});
  other.run();
  for (auto [id, connection, sender] :
       {std::tuple{other.middle, 0u, other.source},
        std::tuple{other.target, 1u, other.middle}}) {
    auto y = other.at(id).look().held_back;
    CHECK(y.kind == kind::last_tag);
    CHECK(y.connection == connection);
    CHECK(y.node == sender);
    CHECK(y.bound == logical_time{15, 1});
  }
}

TEST_CASE("10.6.6 a node that is done says that it waits for the end") {
  lab net;
  net.add(counter(10, 2));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.at(0).look().held_back.kind == kind::end);
}

TEST_CASE("10.6.6 a node that does not end at the last tag is aborted") {
  chain net{2};
  lab_coordinator coordinator{net, logical_time{10, 0}};
  net.start_all();
  net.hold(net.source, net.middle);
  coordinator.run();
  CHECK(net.left(net.source));
  coordinator.overdue();
  coordinator.run();
  CHECK(coordinator.over());
  CHECK(coordinator.status() == 129);
  CHECK(net.at(net.middle).outcome() == ending::aborted);
  CHECK(net.code_of(net.middle).shutdowns == 1);
}

} // namespace last_tag_rules_test
