// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 5 of the semantics: the end of nodes.

#include "lab.hpp"

#include "catch.hpp"

#include <algorithm>
#include <stdexcept>

namespace ending_rules_test {

using namespace engine_test;
using Catch::Matchers::ContainsSubstring;
using engine::ending;
using tags = std::vector<logical_time>;

namespace {

/// Returns a node that writes every `period` nanoseconds from (0, 0) on.
script timer(std::int64_t period, int count) {
  script x;
  x.inputs = 0;
  x.start = [period, count](code& me) {
    me.write();
    for (auto i = 1; i < count; ++i)
      me.wait(ns(i * period), [](code& self) { self.write(); });
  };
  return x;
}

script relay() {
  script x;
  x.react = [](code& me, std::uint32_t) { me.write(); };
  return x;
}

script sink() {
  script x;
  x.outputs = 0;
  return x;
}

script sensor() {
  script x;
  x.external = true;
  x.react = [](code& me, std::uint32_t) { me.write(); };
  return x;
}

/// A chain of a timer, a relay and a sink.
struct chain : lab {
  explicit chain(std::int64_t period = 10, int count = 100) {
    source = add(timer(period, count));
    middle = add(relay());
    target = add(sink());
    connect(source, middle);
    connect(middle, target);
    assemble();
  }

  /// Runs while messages from the source to the middle are held back.
  void run_held() {
    hold(source, middle);
    start_all();
    run();
  }

  void release_source() {
    release(source, middle);
    run();
  }

  void expect_end(logical_time final) {
    for (auto i : {source, middle, target}) {
      CHECK(left(i));
      CHECK(at(i).outcome() == ending::final_tag);
      CHECK(tags(i).back() == final);
      CHECK(code_of(i).shutdowns == 1);
    }
  }

  node_id source, middle, target;
};

} // namespace

// -- by itself ----------------------------------------------------------------

TEST_CASE("5.1 a source is done when start() returned and its queue is empty") {
  lab net;
  auto x = net.add(timer(10, 3));
  net.assemble();
  net.start_all();
  CHECK_FALSE(net.left(x));
  net.run();
  CHECK(net.left(x));
  CHECK(net.at(x).outcome() == ending::done);
  CHECK(net.at(x).logical() == logical_time{20, 0});
}

TEST_CASE("5.1 a node is done when every upstream has said no_more, and it has "
          "nothing left to execute") {
  chain net{10, 3};
  net.run_held();
  CHECK(net.left(net.source));
  CHECK_FALSE(net.left(net.middle));
  net.release_source();
  for (auto i : {net.middle, net.target}) {
    CHECK(net.left(i));
    CHECK(net.at(i).outcome() == ending::done);
    CHECK(net.tags(i) == tags{{0, 0}, {10, 0}, {20, 0}});
  }
}

TEST_CASE("a node that awaits something is not done") {
  lab net;
  auto source = net.add(timer(10, 1));
  script role;
  role.realtime = true;
  role.react = [](code& me, std::uint32_t) {
    me.wait(ns(50), [](code& self) { self.log.emplace_back("done"); });
  };
  auto x = net.add(role);
  net.connect(source, x);
  net.assemble();
  net.start_all();
  net.run_until(49);
  CHECK_FALSE(net.left(x));
  net.run_until(50);
  CHECK(net.left(x));
  CHECK(net.code_of(x).log.size() == 1);
}

TEST_CASE("a node without inputs and without start() is done at once") {
  lab net;
  script role;
  role.inputs = 0;
  auto x = net.add(role);
  auto target = net.add(sink());
  net.connect(x, target);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.left(x));
  CHECK(net.left(target));
  CHECK(net.tags(target).empty());
}

TEST_CASE("a node with a physical action does not end by itself") {
  lab net;
  auto x = net.add(sensor());
  auto target = net.add(sink());
  net.connect(x, target);
  net.assemble();
  net.start_all();
  net.run_until(1000);
  CHECK_FALSE(net.left(x));
  CHECK_FALSE(net.left(target));
}

// -- by request ---------------------------------------------------------------

TEST_CASE(
  "5.4 request_shutdown(d) requests tag + d; without d, the current tag") {
  lab net;
  script role;
  role.inputs = 0;
  role.start = [](code& me) {
    me.wait(ns(5), [](code& self) {
      self.request();
      self.request(ns(10), 3);
      self.request(steps(2), 4);
    });
  };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  REQUIRE(net.requests.size() == 3);
  CHECK(net.requests[0].proposal == logical_time{5, 0});
  CHECK(net.requests[0].status == 0);
  CHECK(net.requests[1].proposal == logical_time{15, 0});
  CHECK(net.requests[1].status == 3);
  CHECK(net.requests[2].proposal == logical_time{5, 2});
  CHECK(net.requests[2].status == 4);
  CHECK(net.requests[2].node == x);
}

TEST_CASE(
  "5.5 a node executes nothing past its own request before the final tag "
  "is decided") {
  lab net;
  auto role = timer(10, 100);
  auto write = role.start;
  role.start = [write](code& me) {
    write(me);
    me.request(ns(25), 3);
  };
  auto source = net.add(role);
  auto middle = net.add(relay());
  net.connect(source, middle);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(source).back() == logical_time{20, 0});
  CHECK(
    net.at(source).look().held_back.kind == engine::blocker_kind::agreement);
  SECTION("so the end is exactly at the request if no other node is past it") {
    lab_coordinator coordinator{net};
    coordinator.run();
    CHECK(coordinator.finals == tags{{25, 0}});
    CHECK(coordinator.status() == 3);
    for (auto i : {source, middle})
      CHECK(net.tags(i).back() == logical_time{20, 0});
  }
  SECTION("not even while an end at a later tag is negotiated") {
    net.ask_shutdown(source, {50, 0});
    CHECK(net.answers.back().second == logical_time{50, 0});
    net.run();
    CHECK(net.tags(source).back() == logical_time{20, 0});
    net.take_final(source, {50, 0}, {50, 0});
    net.run();
    CHECK(net.tags(source).back() == logical_time{20, 0});
    net.ask_shutdown(source, {25, 0});
    CHECK(net.answers.back().second == logical_time{25, 0});
    net.take_final(source, {30, 0}, {25, 0});
    net.run();
    CHECK(net.left(source));
    CHECK(net.tags(source).back() == logical_time{30, 0});
  }
  SECTION("nor after an earlier end requested by another node") {
    net.ask_shutdown(source, never);
    CHECK(net.answers.back().second == logical_time{20, 0});
    net.take_final(source, {40, 0}, never);
    net.run();
    CHECK(net.tags(source).back() == logical_time{20, 0});
    net.take_final(source, {40, 0}, {25, 0});
    net.run();
    CHECK(net.tags(source).back() == logical_time{40, 0});
  }
}

TEST_CASE("a node that answered does not leave before it knows the final "
          "tag") {
  chain net{10, 3};
  net.run_held();
  REQUIRE(net.left(net.source));
  net.ask_shutdown(net.middle, {45, 0});
  net.release_source();
  CHECK(net.tags(net.middle).back() == logical_time{20, 0});
  CHECK_FALSE(net.left(net.middle));
  net.take_final(net.middle, {45, 0}, {45, 0});
  net.run();
  CHECK(net.left(net.middle));
  CHECK(net.at(net.middle).final() == logical_time{45, 0});
  // The other node was not asked, because it ended by itself.
  CHECK(net.left(net.target));
  CHECK(net.at(net.target).outcome() == ending::done);
}

TEST_CASE("the least of a node's own requests holds it") {
  lab net;
  auto role = timer(10, 100);
  auto write = role.start;
  role.start = [write](code& me) {
    write(me);
    me.request(ns(45));
    me.request(ns(15));
    me.request(ns(75));
  };
  auto source = net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(source).back() == logical_time{10, 0});
  lab_coordinator coordinator{net};
  coordinator.run();
  // The round of the first request is done. The second request lowers the final
  // tag.
  CHECK(coordinator.finals == tags{{45, 0}, {15, 0}});
  CHECK(coordinator.ignored_proposals == tags{{75, 0}});
  CHECK(net.tags(source).back() == logical_time{10, 0});
}

TEST_CASE(
  "5.6 a node answers the later of its logical time and the proposal, and "
  "stays below its barrier") {
  chain net;
  net.start_all();
  net.activate(net.source, 3); // executes 10, 20, 30
  net.ask_shutdown(net.source, {20, 0});
  net.ask_shutdown(net.middle, {20, 0});
  CHECK(net.answers[0].second == logical_time{30, 0});
  CHECK(net.answers[1].second == logical_time{20, 0});
  net.run();
  CHECK(net.tags(net.source).back() == logical_time{30, 0});
  CHECK(net.tags(net.middle).back() == logical_time{20, 0});
  CHECK_FALSE(net.left(net.source));
}

TEST_CASE("a node that executed nothing answers at least (0, 0)") {
  chain net;
  net.ask_shutdown(net.source, never);
  CHECK(net.answers[0].second == logical_time{0, 0});
}

TEST_CASE(
  "5.8 every node executes everything up to and including the final tag, "
  "then calls shutdown() and exits") {
  chain net;
  lab_coordinator coordinator{net};
  net.start_all();
  coordinator.request({45, 0}, 0);
  coordinator.run();
  CHECK(coordinator.finals == tags{{45, 0}});
  net.expect_end({40, 0});
  CHECK(coordinator.status() == 0);
}

TEST_CASE("5.7 all stop at the maximum of the answers") {
  chain net;
  lab_coordinator coordinator{net};
  net.start_all();
  net.activate(net.source, 7);
  coordinator.request(never, 5);
  coordinator.run();
  CHECK(coordinator.finals == tags{{70, 0}});
  net.expect_end({70, 0});
  CHECK(coordinator.status() == 5);
}

TEST_CASE(
  "start() and events at (0, 0) run although the end is requested at once") {
  chain net;
  lab_coordinator coordinator{net};
  coordinator.request(never, 0);
  coordinator.run();
  CHECK(coordinator.finals == tags{{0, 0}});
  CHECK_FALSE(net.left(net.target));
  net.start_all();
  coordinator.run();
  CHECK(net.tags(net.target) == tags{{0, 0}});
  CHECK(coordinator.status() == 0);
}

TEST_CASE("5.8 the values that arrive beyond the final tag are counted") {
  lab net;
  script role;
  role.inputs = 0;
  role.start
    = [](code& me) { me.wait(ns(5), [](code& self) { self.write(); }); };
  auto a = net.add(role);
  auto b = net.add({});
  auto c = net.add({});
  net.connect(a, b, steps(1));
  net.connect(a, c);
  net.assemble();
  lab_coordinator coordinator{net, logical_time{5, 0}};
  net.start_all();
  coordinator.run();
  CHECK(coordinator.status() == 0);
  CHECK(net.tags(b).empty());
  CHECK(net.tags(c) == tags{{5, 0}});
  using counts = std::map<node_id, std::size_t>;
  CHECK(net.beyond_final == counts{{b, 1}});
}

TEST_CASE("stop_after is in effect from the start") {
  chain net;
  lab_coordinator coordinator{net, logical_time{30, 0}};
  net.start_all();
  coordinator.run();
  net.expect_end({30, 0});
  CHECK(net.answers.empty());
}

TEST_CASE(
  "5.10 for a request below the final tag nodes answer again, and their "
  "barrier is lowered") {
  chain net;
  lab_coordinator coordinator{net, logical_time{900, 0}};
  net.start_all();
  net.activate(net.source, 2);
  coordinator.request({10, 0}, 0);
  coordinator.run();
  CHECK(coordinator.finals == tags{{20, 0}});
  net.expect_end({20, 0});
}

TEST_CASE("5.9 a request at or above the final tag changes nothing") {
  chain net;
  lab_coordinator coordinator{net, logical_time{40, 0}};
  net.start_all();
  coordinator.request({40, 0}, 0);
  coordinator.request({90, 0}, 0);
  coordinator.run();
  CHECK(coordinator.ignored_proposals == tags{{40, 0}, {90, 0}});
  net.expect_end({40, 0});
}

TEST_CASE("a node that already left counts with its last logical time: the "
          "other nodes follow it") {
  lab net;
  auto fast = net.add(timer(10, 100));
  auto slow = net.add(timer(10, 100));
  net.assemble();
  lab_coordinator coordinator{net, logical_time{50, 0}};
  net.start(fast);
  net.run();
  REQUIRE(net.left(fast));
  net.start(slow);
  coordinator.serve();
  coordinator.request({20, 0}, 0);
  coordinator.run();
  CHECK(coordinator.finals.back() == logical_time{50, 0});
  CHECK(net.tags(slow).back() == logical_time{50, 0});
}

TEST_CASE("a node that ended by itself does not bind other nodes") {
  lab net;
  auto done = net.add(timer(1000, 2));
  auto other = net.add(timer(10, 100));
  net.assemble();
  lab_coordinator coordinator{net};
  net.start_all();
  net.activate(done);
  net.activate(other, 1);
  REQUIRE(net.left(done));
  coordinator.serve();
  coordinator.request({20, 0}, 0);
  coordinator.run();
  CHECK(coordinator.finals == tags{{20, 0}});
  CHECK(net.tags(other).back() == logical_time{20, 0});
}

TEST_CASE(
  "7.3 a message that arrives at the final tag is reacted to before its "
  "receiver's shutdown()") {
  chain net;
  for (auto i : {net.source, net.middle, net.target})
    net.take_final(i, {20, 0}, {20, 0});
  net.hold(net.middle, net.target);
  net.start_all();
  net.run();
  CHECK(net.left(net.middle));
  CHECK_FALSE(net.left(net.target));
  net.release(net.middle, net.target);
  net.run();
  net.expect_end({20, 0});
}

// -- physical actions ---------------------------------------------------------

TEST_CASE(
  "5.13 a node with a physical action accepts calls until the final tag is "
  "known and elapsed time is past the requested one") {
  lab net;
  auto x = net.add(sensor());
  auto target = net.add(sink());
  net.connect(x, target);
  net.assemble();
  net.start_all();
  net.ask_shutdown(x, {50, 0});
  net.run_until(60);
  CHECK(net.call(x, 0)); // no final tag yet
  net.run();
  for (auto i : {x, target})
    net.take_final(i, {100, 0}, {70, 0});
  net.run_until(70);
  CHECK_FALSE(net.left(x));
  CHECK(net.call(x, 0));
  net.run();
  CHECK(net.tags(x) == tags{{60, 0}, {70, 0}});
  CHECK(net.call(x, 0));
  net.run();
  CHECK(net.tags(x) == tags{{60, 0}, {70, 0}, {70, 1}});
  net.run_until(71);
  CHECK_FALSE(net.call(x, 0)); // refused
  // Its promise is not limited: the target need not wait until elapsed time is
  // 100.
  CHECK(net.left(x));
  CHECK(net.left(target));
  CHECK(net.tags(target) == net.tags(x));
}

TEST_CASE("a request for never refuses values from outside as soon as the "
          "final tag is known") {
  lab net;
  auto x = net.add(sensor());
  net.assemble();
  net.start_all();
  net.run_until(60);
  net.ask_shutdown(x, never);
  CHECK(net.call(x, 0));
  net.run();
  CHECK(net.tags(x).empty()); // its barrier is (0, 0)
  net.take_final(x, {90, 0}, never);
  net.activate(x);
  CHECK_FALSE(net.call(x, 0));
  CHECK(net.left(x));
  CHECK(net.tags(x) == tags{{60, 0}});
}

TEST_CASE("two nodes with physical actions in one loop do not wait for each "
          "other until "
          "elapsed time reaches the final tag") {
  lab net;
  auto role = sensor();
  role.inputs = 2;
  role.triggers = {{0}, {1}};
  role.react = {};
  auto x = net.add(role);
  auto y = net.add(role);
  net.connect(x, y, ns(1));
  net.connect(y, x, ns(1));
  net.assemble();
  net.start_all();
  net.run();
  for (auto i : {x, y})
    net.take_final(i, {1'000'000, 0}, {5, 0});
  net.run_until(6);
  CHECK(net.left(x));
  CHECK(net.left(y));
}

TEST_CASE("a call that was accepted before the end is executed if its stamp is "
          "not past the final tag") {
  lab net;
  auto x = net.add(sensor());
  net.assemble();
  net.start_all();
  net.run();
  net.take_final(x, {100, 0}, {40, 0});
  net.run();
  CHECK(net.call(x, 0));
  net.set_clock(45); // later than the call
  net.run();
  CHECK(net.tags(x) == tags{{45, 0}});
  CHECK(net.drops.empty());
  CHECK(net.left(x));
}

TEST_CASE("a call accepted just before the node refuses calls is executed") {
  lab net;
  auto x = net.add(sensor());
  net.assemble();
  net.start_all();
  net.run();
  net.take_final(x, {100, 0}, {40, 0});
  net.run();
  auto taken = 0;
  net.in_the_meantime = [&] { taken += net.call(x, 0); };
  net.run_until(41);
  net.in_the_meantime = nullptr;
  CHECK(taken > 0);
  CHECK(net.left(x));
  CHECK(net.tags(x).size() == static_cast<std::size_t>(taken));
  CHECK(net.drops.empty());
}

TEST_CASE("5.13 values stamped past the final tag are counted as dropped") {
  SECTION("when the final tag is known") {
    lab net;
    auto x = net.add(sensor());
    net.assemble();
    net.start_all();
    net.run();
    net.take_final(x, {40, 0}, {40, 0});
    net.call(x, 0);
    net.set_clock(50);
    net.run();
    CHECK(net.left(x));
    CHECK(net.tags(x).empty());
    REQUIRE(net.drops.size() == 1);
    CHECK(net.drops[0].reason == engine::drop_reason::past_final_tag);
    CHECK(net.drops[0].input == 0);
    CHECK(net.code_of(x).taken == 1);
  }
  SECTION("when the final tag arrives later") {
    lab net;
    auto x = net.add(sensor());
    net.assemble();
    net.start_all();
    net.run();
    net.ask_shutdown(x, {20, 0});
    net.set_clock(50);
    net.call(x, 0);
    net.run();
    CHECK(net.tags(x).empty());
    CHECK(net.drops.empty());
    net.take_final(x, {40, 0}, {20, 0});
    net.run();
    CHECK(net.left(x));
    CHECK(net.drops.size() == 1);
    CHECK(net.code_of(x).taken == 1);
  }
}

TEST_CASE(
  "a value that arrives over a physical connection after the end is dropped") {
  lab net;
  auto source = net.add(timer(10, 3));
  auto x = net.add(relay());
  net.connect_physical(source, x);
  net.assemble();
  net.hold(source, x);
  net.start_all();
  net.run();
  net.take_final(x, {40, 0}, never);
  net.run();
  CHECK(net.left(x));
  net.release(source, x);
  net.run();
  CHECK(net.tags(x).empty());
}

// -- aborted ------------------------------------------------------------------

TEST_CASE("5.14 aborted nodes drop their queues, call shutdown() and exit") {
  chain net;
  net.hold(net.middle, net.target);
  net.start_all();
  net.activate(net.source, 5);
  net.activate(net.middle, 2);
  for (auto i : {net.source, net.middle, net.target})
    net.abort(i);
  net.release(net.middle, net.target);
  net.run();
  for (auto i : {net.source, net.middle, net.target}) {
    CHECK(net.left(i));
    CHECK(net.at(i).outcome() == ending::aborted);
    CHECK(net.code_of(i).shutdowns == 1);
  }
  CHECK(net.tags(net.middle).size() == 2);
  CHECK(net.tags(net.target).empty());
}

TEST_CASE("a node that was not started is aborted as well") {
  chain net;
  net.abort(net.target);
  CHECK(net.left(net.target));
  CHECK(net.code_of(net.target).shutdowns == 1);
  net.start(net.target);
  CHECK(net.code_of(net.target).shutdowns == 1);
}

TEST_CASE("the queue of an aborted node is counted as dropped") {
  lab net;
  auto x = net.add(sensor());
  net.assemble();
  net.start_all();
  net.run();
  net.ask_shutdown(x, never);
  net.set_clock(5);
  net.call(x, 0);
  net.run();
  net.abort(x);
  CHECK(net.drops.size() == 1);
  CHECK(net.code_of(x).taken == 1);
}

TEST_CASE("an aborted node sends nothing from which other nodes could draw "
          "conclusions") {
  // Its unsent messages are lost. Without them, its receivers must not
  // continue.
  chain net;
  net.start_all();
  net.activate(net.source, 1);
  net.activate(net.middle, 1);
  net.abort(net.middle);
  net.run();
  CHECK_FALSE(net.left(net.target));
  CHECK(net.at(net.target).stat() <= logical_time{10, 0});
}

TEST_CASE("at whatever point a member of a loop is aborted, the other members "
          "are not done and do not continue") {
  // Another member writes to it at every point of its exit: before it is marked
  // as gone, or after its queue was dropped.
  auto moments = 0;
  for (auto moment = 0; moment <= moments; ++moment) {
    lab net;
    script writer;
    writer.start
      = [](code& me) { me.wait(ns(10), [](code& x) { x.write(); }); };
    auto first = net.add(writer);
    auto aborted = net.add(relay());
    auto last = net.add(relay());
    net.connect(first, aborted);
    net.connect(aborted, last);
    net.connect(last, first, ns(1));
    net.assemble();
    net.start_all();
    net.activate(aborted);
    net.activate(last);
    auto now = 0;
    net.in_the_meantime = [&] {
      if (now++ == moment)
        net.activate(first);
    };
    net.abort(aborted);
    net.in_the_meantime = nullptr;
    moments = std::max(moments, now);
    net.run();
    CHECK(net.at(aborted).outcome() == ending::aborted);
    CHECK_FALSE(net.left(first));
    CHECK_FALSE(net.left(last));
    CHECK(net.tags(last).empty());
  }
  CHECK(moments > 1);
}

TEST_CASE("6.1 a node's error aborts the application, with status 1") {
  lab net;
  auto source = net.add(timer(10, 100));
  auto role = sink();
  role.react = [](code& me, std::uint32_t) {
    if (me.now().ns == 20)
      throw std::runtime_error("ouch");
  };
  auto x = net.add(role);
  auto bystander = net.add(sensor());
  net.connect(source, x);
  net.assemble();
  lab_coordinator coordinator{net};
  net.start_all();
  coordinator.run();
  CHECK(coordinator.status() == 1);
  for (auto i : {x, bystander}) {
    CHECK(net.at(i).outcome() == ending::aborted);
    CHECK(net.code_of(i).shutdowns == 1);
  }
}

// -- shutdown() ---------------------------------------------------------------

TEST_CASE("5.16 writing, yielding, promising or requesting in shutdown() is an "
          "error, which stops nothing") {
  auto error_of = [](std::function<void(code&)> code) {
    lab net;
    script x;
    x.inputs = 0;
    x.shutdown = std::move(code);
    auto id = net.add(x);
    auto target = net.add(sink());
    net.connect(id, target);
    net.assemble();
    net.start_all();
    net.run();
    CHECK(net.left(id));
    CHECK(net.left(target));
    CHECK(net.failures.empty());
    CHECK(net.requests.empty());
    REQUIRE(net.shutdown_failures.size() == 1);
    CHECK(net.shutdown_failures[0].second.reaction == "shutdown");
    return net.shutdown_failures[0].second.text;
  };
  CHECK_THAT(error_of([](code& me) { me.write(); }),
             ContainsSubstring("'o0'") && ContainsSubstring("shutdown()"));
  CHECK_THAT(
    error_of([](code& me) { me.request(); }), ContainsSubstring("shutdown()"));
  error_of([](code& me) { me.promise(ns(1)); });
  error_of([](code& me) { me.wait(ns(1), [](code&) {}); });
  CHECK(error_of([](code&) { throw std::runtime_error("bye"); }) == "bye");
  error_of([](code&) { throw 5; });
}

TEST_CASE("5.15 however it ends, a node closes its outputs after shutdown()") {
  lab net;
  script role;
  role.inputs = 0;
  std::size_t left_before = 99;
  role.shutdown = [&net, &left_before](code&) {
    left_before = net.left(1) ? 1 : 0;
    CHECK_FALSE(net.in_transit(0, 1));
  };
  auto x = net.add(role);
  auto target = net.add(sink());
  net.connect(x, target);
  net.assemble();
  net.start(target);
  net.run();
  net.hold(x, target);
  net.start(x);
  net.deliver_all(x, target); // the promise of start()
  net.run();
  CHECK(left_before == 0);
  CHECK(net.in_transit(x, target));
  net.release(x, target);
  net.run();
  CHECK(net.left(target));
}

} // namespace ending_rules_test
