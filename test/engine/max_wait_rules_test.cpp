// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 10.10 of the semantics: connections with a maximal wait.

#include "lab.hpp"
#include "random.hpp"

#include "caf/rosia/graph_error.hpp"

#include "catch.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace max_wait_rules_test {

using namespace engine_test;
using Catch::Matchers::ContainsSubstring;
using tags = std::vector<logical_time>;
using texts = std::vector<std::string>;

namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();

/// Returns a node that writes at these times, as fast as possible.
script source(std::vector<std::int64_t> times) {
  script x;
  x.inputs = 0;
  x.start = [times = std::move(times)](code& me) {
    for (auto t : times)
      me.wait(ns(t), [t](code& self) {
        self.write(0, static_cast<std::uint64_t>(t));
      });
  };
  return x;
}

/// Returns a node that has something to do at these times, and writes down its
/// values: "5ns" at its tag, "5ns for 3ns" if it is tardy. Passes them on.
script receiver(std::vector<std::int64_t> times = {},
                std::uint32_t inputs = 1) {
  script x;
  x.inputs = inputs;
  x.start = [times = std::move(times)](code& me) {
    for (auto t : times)
      me.wait(ns(t), [](code&) {});
  };
  x.react = [](code& me, std::uint32_t) {
    for (std::uint32_t i = 0; i < me.role.inputs; ++i)
      if (me.present(i)) {
        auto text = to_string(me.now());
        if (me.intended(i) != me.now())
          text += " for " + to_string(me.intended(i));
        me.log.push_back(text);
      }
    me.write();
  };
  return x;
}

script sink() {
  script x;
  x.outputs = 0;
  return x;
}

/// A late sender, and a receiver that waits for it for at most 10 ns.
struct pair_lab : lab {
  explicit pair_lab(
    std::vector<std::int64_t> times, std::vector<std::int64_t> own,
    const delay& d = {}, std::uint32_t max_in_flight = 1024)
    : from(add(source(std::move(times)))), to(add(receiver(std::move(own)))) {
    connect_waiting(from, to, 10, d);
    assemble({.max_in_flight = max_in_flight});
    hold(from, to);
    start_all();
  }

  const texts& log() {
    return code_of(to).log;
  }

  node_id from;
  node_id to;
};

} // namespace

// -- the bound ----------------------------------------------------------------

TEST_CASE("10.10.1 a receiver waits for a late sender at most as long as its "
          "connection allows") {
  pair_lab net{{}, {5, 7, 30}};
  net.run_until(15);
  CHECK(net.tags(net.to).empty());
  // The bound exceeds 5 ns.
  net.run_until(16);
  CHECK(net.tags(net.to) == tags{{5, 0}});
  net.run_until(17);
  CHECK(net.tags(net.to) == tags{{5, 0}});
  net.run_until(18);
  CHECK(net.tags(net.to) == tags{{5, 0}, {7, 0}});
  CHECK(net.next_wake() == 41);
}

TEST_CASE("10.10.1 a receiver does not wait if the promise is greater") {
  pair_lab net{{100}, {5, 7}};
  net.release(net.from, net.to);
  net.run();
  CHECK(net.tags(net.to) == tags{{5, 0}, {7, 0}, {100, 0}});
  CHECK(net.clock() == 0);
}

TEST_CASE("10.10.1 a value that arrives in time has its own tag") {
  pair_lab net{{8}, {5, 15}};
  net.run_until(17);
  net.release(net.from, net.to);
  net.run();
  CHECK(net.log() == texts{"8ns"});
  CHECK(net.tardy_values.empty());
  CHECK(net.at(net.to).max_waits()->find(0)->tardy.value() == 0);
}

TEST_CASE("10.10.1 a value at the bound is in time") {
  pair_lab net{{6}, {5, 15}};
  net.run_until(16); // the bound is 6 ns
  net.release(net.from, net.to);
  net.run();
  CHECK(net.log() == texts{"6ns"});
  pair_lab late{{5}, {5, 15}};
  late.run_until(16);
  late.release(late.from, late.to);
  late.run();
  CHECK(late.log() == texts{"16ns for 5ns"});
}

TEST_CASE("10.10.1 a tardy value is stamped like a physical one") {
  pair_lab net{{3, 4, 9}, {5}};
  net.run_until(25);
  CHECK(net.tags(net.to) == tags{{5, 0}});
  net.release(net.from, net.to);
  net.run();
  // The stamps are later than the last one, and elapsed time.
  CHECK(net.log() == texts{"9ns", "25ns for 3ns", "25ns+1 for 4ns"});
  REQUIRE(net.tardy_values.size() == 2);
  CHECK(net.tardy_values[1].arrival == logical_time{4, 0});
  CHECK(net.tardy_values[1].due == logical_time{25, 1});
  CHECK(net.at(net.to).max_waits()->find(0)->tardy.value() == 2);
}

TEST_CASE("10.10.1 what had arrived when elapsed time was read is in time, "
          "however late the node looks") {
  pair_lab net{{8}, {5, 9}};
  net.run_until(14);
  net.release(net.from, net.to);
  net.set_clock(1000); // before the node is called
  net.run();
  CHECK(net.log() == texts{"8ns"});
}

TEST_CASE("10.10.1 elapsed time is compared to the arrival, with the delay") {
  pair_lab net{{8}, {25, 35}, ns(20)};
  net.run_until(38);
  CHECK(net.tags(net.to) == tags{{25, 0}});
  net.release(net.from, net.to);
  net.run();
  CHECK(net.log() == texts{"28ns"});
}

TEST_CASE("10.10.1 a wait of 0 follows elapsed time") {
  lab net;
  auto from = net.add(source({5}));
  auto to = net.add(receiver({5, 7}));
  net.connect_waiting(from, to, 0);
  net.assemble();
  net.hold(from, to);
  net.start_all();
  net.run_until(6);
  CHECK(net.tags(to) == tags{{5, 0}});
  net.release(from, to);
  net.run();
  CHECK(net.code_of(to).log == texts{"6ns for 5ns"});
}

TEST_CASE("10.10.1 the longest wait never ends") {
  lab net;
  auto from = net.add(source({5}));
  auto to = net.add(receiver({7}));
  net.connect_waiting(from, to, most);
  net.assemble();
  net.hold(from, to);
  net.start_all();
  net.run_until(most - 1);
  CHECK(net.tags(to).empty());
  net.release(from, to);
  net.run();
  CHECK(net.code_of(to).log == texts{"5ns"});
}

TEST_CASE("10.10.1 each connection has its wait") {
  lab net;
  auto first = net.add(source({1}));
  auto second = net.add(source({1}));
  auto to = net.add(receiver({5}, 2));
  net.connect(wire{first, 0, to, 0, {}, false, 0, 10});
  net.connect(wire{second, 0, to, 1, {}, false, 0, 20});
  net.assemble();
  net.hold(first, to);
  net.hold(second, to);
  net.start_all();
  net.run_until(20);
  CHECK(net.tags(to).empty());
  net.release(second, to);
  net.run();
  CHECK(net.tags(to) == tags{{1, 0}, {5, 0}});
  net.release(first, to);
  net.run();
  CHECK(net.code_of(to).log == texts{"1ns", "20ns for 1ns"});
}

TEST_CASE("10.10.1 other receivers know no less: no promise is broken") {
  // The network fails if a message breaks a promise.
  lab net;
  auto from = net.add(source({3, 40}));
  auto middle = net.add(receiver());
  auto to = net.add(receiver({5, 30}));
  net.connect_waiting(from, middle, 10);
  net.connect(middle, to);
  net.assemble();
  net.hold(from, middle);
  net.start_all();
  net.run_until(15);
  CHECK(net.tags(to).empty());
  // The middle node has no event: its receiver has requested the bound.
  net.run_until(16);
  CHECK(net.tags(to) == tags{{5, 0}});
  CHECK(net.tags(middle).empty());
  net.release(from, middle);
  net.run();
  CHECK(net.code_of(middle).log == texts{"16ns for 3ns", "40ns"});
  CHECK(net.code_of(to).log == texts{"16ns", "40ns"});
}

TEST_CASE("10.10.1 a receiver in a loop lets its loop continue") {
  for (auto processes : {false, true}) {
    INFO(processes);
    lab net;
    auto from = net.add(source({3}));
    auto x = net.add(receiver({}, 2));
    auto y = net.add(receiver({5}));
    auto quiet = receiver({5}, 2);
    quiet.react
      = [](code& me, std::uint32_t) { me.log.push_back(to_string(me.now())); };
    auto z = net.add(quiet);
    net.connect_waiting(from, x, 10);
    net.connect(wire{x, 0, z, 0, ns(1), false});
    net.connect(wire{z, 0, x, 1, ns(1), false});
    net.connect(wire{y, 0, z, 1, {}, false});
    network_options options;
    if (processes)
      options.processes = {0, 0, 1, 1};
    net.assemble(options);
    net.hold(from, x);
    net.start_all();
    net.run_until(13);
    CHECK(net.tags(z).empty());
    net.run_until(16);
    CHECK(net.tags(z) == tags{{5, 0}});
    net.release(from, x);
    net.run_until(40);
    CHECK(net.code_of(x).log == texts{"16ns for 3ns"});
    CHECK(net.tags(z) == tags{{5, 0}, {17, 0}});
  }
}

TEST_CASE("10.10.1 a tardy value precedes one that is in time at its tag") {
  lab net;
  auto from = net.add(source({3, 16}));
  auto to = net.add(receiver({5}));
  net.connect_waiting(from, to, 10);
  net.assemble();
  net.hold(from, to);
  net.start_all();
  net.run_until(16);
  net.release(from, to);
  net.run();
  CHECK(net.tags(to) == tags{{5, 0}, {16, 0}});
  CHECK(net.code_of(to).values() == std::vector<std::uint64_t>{3, 16});
  CHECK(net.code_of(to).log == texts{"16ns for 3ns"});
}

// -- flow control -------------------------------------------------------------

TEST_CASE("10.10.1 a tardy value is acked when it is taken, and dropped if "
          "too many wait") {
  pair_lab net{{1, 2, 3, 4, 100}, {5, 50}, {}, 2};
  net.run_until(40);
  // The sender is under back-pressure.
  CHECK(net.unexecuted(0) == 2);
  net.release(net.from, net.to);
  net.activate(net.to);
  CHECK(net.unexecuted(0) == 0);
  // The stamped values wait for the bound.
  net.hold(net.from, net.to);
  net.run();
  CHECK(net.sends.size() == 4);
  for (auto i = 0; i < 2; ++i)
    net.deliver(net.from, net.to);
  net.release(net.from, net.to);
  net.activate(net.to);
  CHECK(net.drops.size() == 2);
  CHECK(net.drops[0].reason == engine::drop_reason::queue_full);
  CHECK(net.drops[0].input == 0);
  net.run();
  CHECK(net.log() == texts{"40ns for 1ns", "40ns+1 for 2ns", "100ns"});
  CHECK(net.at(net.to).max_waits()->find(0)->tardy.value() == 4);
}

// -- the end ------------------------------------------------------------------

TEST_CASE("10.10.2 a receiver does not end before its sender") {
  pair_lab net{{}, {5}};
  net.run_until(1000);
  CHECK(net.left(net.from));
  CHECK_FALSE(net.left(net.to));
  CHECK(net.next_wake() == engine::node::no_wake);
  net.release(net.from, net.to);
  net.run();
  CHECK(net.left(net.to));
}

TEST_CASE("10.10.2 at a requested end, a receiver waits for the end of its "
          "sender, and drops what would be later") {
  pair_lab net{{3, 12, 50}, {5, 9, 30}};
  for (auto id : {net.from, net.to})
    net.take_final(id, {12, 0}, {12, 0});
  net.run_until(100);
  CHECK(net.tags(net.to) == tags{{5, 0}, {9, 0}});
  CHECK(net.left(net.from));
  CHECK_FALSE(net.left(net.to));
  auto x = net.at(net.to).look().held_back;
  CHECK(x.kind == engine::blocker_kind::input);
  CHECK(x.connection == 0);
  CHECK(x.node == net.from);
  CHECK(x.bound == logical_time{});
  net.release(net.from, net.to);
  net.run();
  CHECK(net.left(net.to));
  CHECK(net.log().empty());
  REQUIRE(net.tardy_values.size() == 2);
  CHECK(net.tardy_values[0].due == forever);
  REQUIRE(net.drops.size() == 2);
  CHECK(net.drops[0].reason == engine::drop_reason::past_final_tag);
}

TEST_CASE("10.10.2 an aborted receiver does not wait") {
  pair_lab net{{3}, {5}};
  net.run_until(20);
  net.abort(net.to);
  net.run();
  CHECK(net.left(net.to));
}

TEST_CASE("10.10.2 such a connection is in no loop") {
  auto problem = [](auto&& connect) -> std::string {
    lab net;
    for (auto i = 0; i < 3; ++i)
      net.add(receiver({}, 3));
    connect(net);
    try {
      net.assemble();
    } catch (const caf::rosia::graph_error& e) {
      return e.what();
    }
    return "no error";
  };
  CHECK_THAT(
    problem([](lab& net) {
      net.connect(1, 2, ns(1));
      net.connect_waiting(0, 1, 10);
      net.connect(2, 0, ns(1));
    }),
    ContainsSubstring("has a maximal wait, but is part of a loop: ")
      && ContainsSubstring("make one of the connections physical"));
  CHECK_THAT(problem([](lab& net) { net.connect_waiting(0, 0, 10, ns(1)); }),
             ContainsSubstring("but is part of a loop; leave out"));
  // A physical connection closes no loop.
  CHECK(problem([](lab& net) {
          net.connect_waiting(0, 1, 10);
          net.connect_physical(1, 0);
        })
        == "no error");
}

// -- checkpoints --------------------------------------------------------------

TEST_CASE("10.10.1 a checkpoint does not wait longer for a late sender") {
  auto build = [](lab& net) {
    auto from = net.add(source({8, 15}));
    auto to = net.add(receiver());
    net.connect_waiting(from, to, 10, ns(10));
    net.assemble();
    net.take_checkpoints(0);
    return to;
  };
  lab net;
  auto to = build(net);
  net.hold(0, to);
  net.start_all();
  net.run_until(10);
  for (node_id i = 0; i < net.size(); ++i)
    net.ask_checkpoint(i);
  for (node_id i = 0; i < net.size(); ++i)
    net.take_checkpoint(i, {16, 0});
  net.run_until(26);
  CHECK(net.parts_of(to).empty());
  net.run_until(27);
  REQUIRE(net.parts_of(to).size() == 1);
  // The value that arrives at 25 ns is in the sender's part.
  lab again;
  build(again);
  auto saved = net.parts_of(0).back();
  saved.kept.yielded.clear();
  again.restore({16, 0}, {saved, net.parts_of(to)[0]});
  again.start_all();
  again.run_until(60);
  CHECK(again.code_of(to).log == texts{"18ns", "25ns"});
}

// -- recordings and replays ---------------------------------------------------

namespace {

/// Writes down what a node tells the recording.
struct notes final : engine::stamp_log {
  void add(node_id, const engine::stamped_value&) override {
    ++values;
  }

  void add(node_id, std::uint32_t connection,
           const engine::tardy_value& x) override {
    tardy.push_back(std::to_string(connection) + ": " + to_string(x.intended)
                    + " at " + to_string(x.tag));
  }

  void add(node_id, std::uint32_t, const engine::passed_deadline&) override {
    // nop
  }

  void await(node_id, logical_time first) override {
    awaited.push_back(first);
  }

  void reach(node_id, logical_time) override {
    // nop
  }

  int values = 0;
  texts tardy;
  tags awaited;
};

} // namespace

TEST_CASE("10.10.1 a recording has the tardy values, and is certain below the "
          "promise of a late sender") {
  notes log;
  lab net;
  auto from = net.add(source({3, 12, 200}));
  auto to = net.add(receiver({5, 50}));
  net.connect_waiting(from, to, 10);
  net.assemble({.stamps = &log});
  net.hold(from, to);
  net.start_all();
  net.run_until(15);
  CHECK(log.awaited.empty());
  net.run_until(20);
  CHECK(log.awaited == tags{{0, 0}});
  net.release(from, to);
  net.run();
  CHECK(log.tardy == texts{"0: 3ns at 20ns"});
  CHECK(log.values == 0);
  CHECK(log.awaited.back() == forever);
  CHECK(net.left(to));
}

TEST_CASE("10.10.1 after an abort, a recording stays certain below the promise "
          "of a late sender") {
  notes log;
  lab net;
  auto from = net.add(source({3, 12, 200}));
  auto x = receiver({5, 16});
  x.start = [start = x.start](code& me) {
    start(me);
    me.wait(ns(17), [](code&) { throw std::runtime_error("failure"); });
  };
  auto to = net.add(x);
  net.connect_waiting(from, to, 10);
  net.assemble({.stamps = &log});
  net.hold(from, to);
  net.start_all();
  auto fails = GENERATE(false, true);
  net.run_until(fails ? 30 : 20);
  REQUIRE(log.awaited == tags{{0, 0}});
  if (fails) { // the value of a failed node is not recorded
    net.release(from, to);
    net.run_until(31);
  }
  net.abort(to);
  net.run_until(40);
  CHECK(net.left(to));
  CHECK(log.tardy.empty());
  CHECK(log.awaited.back() == logical_time{});
}

namespace {

/// The tardy values of a connection in an earlier run.
class recorded final : public engine::tardy_source {
public:
  recorded(const network& from, std::uint32_t connection) {
    for (auto& x : from.tardy_values)
      if (x.connection == connection)
        values_.push_back({x.arrival, x.due});
  }

  std::vector<engine::tardy_value> next() override {
    // In small pieces.
    std::vector<engine::tardy_value> result;
    for (auto i = 0; i < 2 && next_ < values_.size(); ++i)
      result.push_back(values_[next_++]);
    return result;
  }

private:
  std::vector<engine::tardy_value> values_;
  std::size_t next_ = 0;
};

/// Lets a network repeat what was tardy in an earlier run.
void repeat(network& net, const network& from) {
  for (node_id id = 0; id < net.size(); ++id)
    if (auto* waits = net.at(id).max_waits())
      for (auto& x : *waits)
        x.source = std::make_unique<recorded>(
          from, net.at(id).config().in[x.connection].number);
}

} // namespace

TEST_CASE("10.10.1 a replay acks tardy values before their receiver starts") {
  pair_lab net{{1, 2, 100}, {5, 50}, {}, 2};
  net.run_until(40);
  net.release(net.from, net.to);
  net.run();
  lab again;
  auto from = again.add(source({1, 2, 100}));
  auto to = again.add(receiver({5, 50}));
  again.connect_waiting(from, to, 10);
  again.assemble({.max_in_flight = 1, .replays = true});
  repeat(again, net);
  again.start(from);
  again.run();
  CHECK(again.unexecuted(0) == 1);
  again.start(to);
  again.run();
  CHECK(again.left(to));
  CHECK(again.code_of(to).log == net.log());
}

namespace {

/// Returns a node that writes, yields and keeps a state, as a function of its
/// tags and values, until `limit`.
script random_node(std::uint64_t seed, random_source& numbers,
                   std::int64_t limit) {
  script x;
  x.realtime = numbers.chance(50);
  x.actions = 1;
  auto act = [=](code& me, bool starts) {
    auto now = me.now();
    auto state
      = mix(seed, now.ns, now.microstep, me.present(), me.intended().ns);
    if (me.present())
      for (auto value : me.values())
        state = mix(state, value);
    random_source choices{state};
    if (now.ns < limit && starts == (now == logical_time{})
        && choices.chance(80))
      me.write(0, choices.below(100));
    for (auto i = choices.below(3); i > 0 && now.ns < limit; --i)
      me.schedule(ns(1 + choices.below(15)), choices.below(100));
    if (now.ns < limit && choices.chance(30))
      me.wait(ns(1 + choices.below(15)), [](code&) {});
  };
  x.start = [act](code& me) { act(me, true); };
  x.react = [act](code& me, std::uint32_t) { act(me, false); };
  return x;
}

struct random_graph {
  std::vector<script> nodes;
  std::vector<wire> wires;
  network_options options;
};

/// Returns a graph in which connections with a maximal wait are in no loop.
random_graph make_random_graph(std::uint64_t seed, random_source& numbers) {
  random_graph result;
  auto size = 2 + numbers.below(4);
  for (node_id i = 0; i < size; ++i)
    result.nodes.push_back(random_node(mix(seed, i), numbers, 60));
  // Loops are among the last nodes.
  auto first_in_loop = numbers.below(size);
  for (node_id from = 0; from < size; ++from)
    for (node_id to = 0; to < size; ++to) {
      auto inner = from >= first_in_loop && to >= first_in_loop;
      if ((from >= to && !inner) || !numbers.chance(45))
        continue;
      auto& x = result.wires.emplace_back(wire{from, 0, to, 0, {}, false});
      if (inner || numbers.chance(40))
        x.distance = ns(1 + numbers.below(8));
      if (!inner && numbers.chance(60))
        x.max_wait = numbers.pick({0, 1, 3, 10, 40});
    }
  result.options.max_in_flight = numbers.pick({1u, 2u, 1024u});
  if (numbers.chance(30))
    for (node_id i = 0; i < size; ++i)
      result.options.processes.push_back(numbers.below(2));
  return result;
}

/// Runs a graph in a random order until all nodes have left.
void run(lab& net, const random_graph& graph, random_source& numbers,
         std::optional<logical_time> stop, const network* earlier) {
  for (auto& x : graph.nodes)
    net.add(x);
  for (auto& x : graph.wires)
    net.connect(x);
  auto options = graph.options;
  options.replays = earlier != nullptr;
  net.assemble(options);
  if (earlier != nullptr)
    repeat(net, *earlier);
  lab_coordinator coordinator{net, stop};
  std::vector<node_id> unstarted(net.size());
  std::iota(unstarted.begin(), unstarted.end(), node_id{0});
  auto start_one = [&] {
    auto i = unstarted.begin()
             + static_cast<std::ptrdiff_t>(numbers.below(unstarted.size()));
    net.start(*i);
    unstarted.erase(i);
  };
  auto all_left = [&] {
    for (node_id i = 0; i < net.size(); ++i)
      if (!net.left(i))
        return false;
    return true;
  };
  for (auto steps = 0; !all_left(); ++steps) {
    REQUIRE(steps < 100'000);
    std::vector<std::function<void()>> moves;
    if (!unstarted.empty())
      moves.push_back(start_one);
    for (node_id i = 0; i < net.size(); ++i) {
      if (net.scheduled(i))
        moves.push_back([&net, i] { net.activate(i); });
      for (node_id j = 0; j < net.size(); ++j)
        if (net.in_transit(i, j))
          moves.push_back([&net, i, j] { net.deliver(i, j); });
    }
    if (moves.empty() || numbers.chance(20)) {
      // Time passes: to the next wake if nothing else can happen.
      auto next = net.next_wake();
      REQUIRE((!moves.empty() || next != engine::node::no_wake));
      auto step = net.clock() + 1 + numbers.below(5);
      net.set_clock(moves.empty() ? std::max(next, step) : step);
    } else {
      moves[numbers.below(moves.size())]();
    }
    coordinator.serve();
  }
  for (auto& [id, error] : net.failures)
    FAIL("node " << id << ": " << error.text);
}

} // namespace

TEST_CASE("10.10.1 random graphs with maximal waits end, no message is late, "
          "and a replay does the same") {
  std::size_t tardy = 0;
  std::size_t dropped = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    INFO("seed " << seed);
    random_source numbers{seed};
    auto graph = make_random_graph(seed, numbers);
    std::optional<logical_time> stop;
    if (numbers.chance(50))
      stop = logical_time{numbers.below(120), numbers.below(2)};
    lab net;
    run(net, graph, numbers, stop, nullptr);
    tardy += net.tardy_values.size();
    dropped += net.drops.size();
    lab again;
    run(again, graph, numbers, stop, &net);
    for (node_id id = 0; id < net.size(); ++id) {
      INFO("node " << id);
      CHECK(net.history_of(id) == again.history_of(id));
    }
    CHECK(again.drops.empty());
  }
  CHECK(tardy > 1000);
  CHECK(dropped > 100);
}

TEST_CASE("a node without maximal waits takes no more memory") {
  lab net;
  auto plain = net.add(sink());
  net.assemble();
  CHECK(net.at(plain).max_waits() == nullptr);
  CHECK(net.at(plain).events().stamped() == nullptr);
}

} // namespace max_wait_rules_test
