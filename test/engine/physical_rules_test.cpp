// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 3 of the semantics: values from outside, physical connections, and
// real-time mode.

#include "lab.hpp"

#include "catch.hpp"

#include <limits>
#include <memory>

namespace physical_rules_test {

using namespace engine_test;
using Catch::Matchers::ContainsSubstring;
using tags = std::vector<logical_time>;
using numbers = std::vector<std::uint64_t>;
using texts = std::vector<std::string>;

namespace {

/// Returns a node that writes the value of its physical action.
script sensor() {
  script x;
  x.external = true;
  x.react = [](code& me, std::uint32_t) { me.write(0, me.values()[0]); };
  return x;
}

/// Returns a node that writes every nanosecond, `count` times.
script timer(std::int64_t period, int count) {
  script x;
  x.inputs = 0;
  auto tick = std::make_shared<std::function<void(code&, int)>>();
  *tick = [period, count, again = tick.get()](code& me, int n) {
    me.write(0, static_cast<std::uint64_t>(n));
    if (n + 1 < count)
      me.wait(ns(period), [again, n](code& self) { (*again)(self, n + 1); });
  };
  x.start = [tick](code& me) { (*tick)(me, 0); };
  return x;
}

script sink() {
  script x;
  x.outputs = 0;
  return x;
}

/// A lab in which the physical action of node 0 is scheduled just before the
/// node reads its inbox.
class lab_with_late_call : public lab {
public:
  std::int64_t called_at = 0;

private:
  void meanwhile() override {
    if (called_at == 0 || ++looks_ != 2)
      return;
    move_clock(called_at);
    call(0, 0, 1);
  }

  int looks_ = 0; // number of reads of the clock and the inbox
};

} // namespace

// -- stamps -------------------------------------------------------------------

TEST_CASE("3.15 a node stamps a value with elapsed time when it accepts it") {
  lab net;
  auto x = net.add(sensor());
  net.assemble();
  net.start_all();
  net.run_until(40);
  CHECK(net.call(x, 0, 1));
  net.set_clock(50); // later than the call
  net.run();
  CHECK(net.tags(x) == tags{{50, 0}});
}

TEST_CASE("no value is stamped with a time before its arrival") {
  lab_with_late_call net;
  auto x = net.add(sensor());
  net.assemble();
  net.start_all();
  net.run();
  net.call(x, 0, 0);
  net.called_at = 50;
  net.activate(x);
  CHECK(net.tags(x) == tags{{50, 0}, {50, 1}});
}

TEST_CASE("1.3 a value that arrives after the last microstep of an instant is "
          "an error of its node") {
  constexpr auto all = std::numeric_limits<std::uint32_t>::max();
  auto role = sensor();
  role.start = [](code& me) { me.wait(steps(all), [](code&) {}); };
  lab net;
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(x) == tags{{0, all}});
  SECTION("at the same instant") {
    CHECK(net.call(x, 0, 1));
    CHECK(net.call(x, 0, 2));
    net.run();
    REQUIRE(net.failures.size() == 1);
    CHECK_THAT(
      net.failures[0].second.text,
      ContainsSubstring("microstep overflows after tag 0s+4294967295"));
  }
  SECTION("at a later one") {
    net.run_until(5);
    CHECK(net.call(x, 0, 1));
    net.run();
    CHECK(net.tags(x).back() == logical_time{5, 0});
    CHECK(net.failures.empty());
  }
}

TEST_CASE("a stamp is later than what the node executed") {
  // Without real-time mode, logical time is far ahead of elapsed time.
  lab net;
  auto source = net.add(timer(100, 3));
  auto role = sensor();
  role.inputs = 2;
  role.triggers = {{1}, {0}};
  role.react = {};
  auto x = net.add(role);
  net.connect(source, x);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(x).back() == logical_time{200, 0});
  net.call(x, 1);
  net.run();
  CHECK(net.tags(x).back() == logical_time{200, 1});
}

TEST_CASE("the first stamp is after the start") {
  lab net;
  auto x = net.add(sensor());
  net.assemble();
  net.call(x, 0, 7); // before the node has started
  net.start_all();
  net.run();
  CHECK(net.tags(x) == tags{{0, 1}});
}

TEST_CASE(
  "3.15 a stamp is the microstep after the last one, if that is later") {
  lab net;
  auto x = net.add(sensor());
  auto target = net.add(sink());
  net.connect(x, target);
  net.assemble();
  net.start_all();
  net.run_until(10);
  for (std::uint64_t i = 0; i < 3; ++i)
    net.call(x, 0, i);
  net.run();
  net.call(x, 0, 3);
  net.run();
  CHECK(net.tags(x) == tags{{10, 0}, {10, 1}, {10, 2}, {10, 3}});
  CHECK(net.code_of(x).taken == 4);
  net.set_clock(11);
  net.run();
}

TEST_CASE("3.14 a value from outside arrives at its physical action") {
  lab net;
  numbers seen;
  auto role = sink();
  role.external = true;
  role.react = [&seen](code& me, std::uint32_t) { seen = me.values(); };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(5);
  CHECK(net.call(x, 0, 77));
  net.run();
  CHECK(seen == numbers{77});
  CHECK(net.tags(x) == tags{{5, 0}});
  CHECK(net.code_of(x).taken == 1);
  REQUIRE(net.history_of(x).size() >= 2);
  CHECK(net.history_of(x)[1].from == engine::tracer::no_connection);
}

TEST_CASE("a physical action's reaction runs in declaration order") {
  lab net;
  auto source = net.add(timer(5, 2));
  script role;
  role.inputs = 2;
  role.triggers = {{0}, {1}, {0}};
  role.external = true;
  role.react = [](code& me, std::uint32_t reaction) {
    me.log.push_back(
      "r" + std::to_string(reaction)
      + (reaction == 1 ? "!" + std::to_string(me.values(1)[0]) : ""));
  };
  auto x = net.add(role);
  net.connect(source, x);
  net.assemble();
  net.hold(source, x);
  net.start_all();
  net.run_until(5);
  net.call(x, 1, 9); // stamped (5, 0), the tag of a message
  net.run();
  net.release(source, x);
  net.run();
  CHECK(net.code_of(x).log == texts{"r0", "r2", "r0", "r1!9", "r2"});
}

// -- physical connections -----------------------------------------------------

TEST_CASE("the receiver of a physical connection stamps its values") {
  lab net;
  auto source = net.add(timer(1, 2));
  auto x = net.add(sink());
  net.connect_physical(source, x);
  net.assemble();
  net.hold(source, x);
  net.start_all();
  net.run_until(30);
  net.release(source, x);
  net.run();
  CHECK(net.tags(x) == tags{{30, 0}, {30, 1}});
  CHECK(net.arrivals(0) == tags{never, never});
}

TEST_CASE("at one tag, values of physical connections are ordered by the "
          "connections' declaration") {
  numbers seen;
  auto check = [&seen](bool physical_first) {
    lab net;
    auto physical = net.add(timer(1, 1));
    auto logical = net.add(timer(20, 2));
    auto role = sink();
    role.react = [&seen](code& me, std::uint32_t) { seen = me.values(); };
    auto x = net.add(role);
    if (physical_first)
      net.connect_physical(physical, x);
    net.connect(logical, x);
    if (!physical_first)
      net.connect_physical(physical, x);
    net.assemble();
    net.hold(physical, x);
    net.hold(logical, x);
    net.start_all();
    net.run_until(20);
    net.release(physical, x);
    net.run();
    net.release(logical, x);
    net.run();
    REQUIRE(net.tags(x) == tags{{0, 0}, {20, 0}});
  };
  check(true);
  CHECK(seen == numbers{0, 1});
  check(false);
  CHECK(seen == numbers{1, 0});
}

TEST_CASE("3.17 a physical connection drops values when its queue is full, and "
          "counts them; its sender is never paused") {
  lab net;
  auto role = timer(1, 10);
  auto source = net.add(role);
  auto other = sink();
  other.inputs = 3;
  auto x = net.add(other);
  net.connect({source, 0, x, 2, {}, true});
  net.assemble({.max_in_flight = 4});
  net.start(source);
  net.run();
  CHECK(net.tags(source).back() == logical_time{9, 0});
  REQUIRE(net.drops.size() == 6);
  CHECK(net.drops[0].input == 2); // the receiver's input
  CHECK(net.drops[0].reason == engine::drop_reason::queue_full);
  net.start(x);
  net.run_until(1);
  CHECK(net.tags(x).size() == 4);
}

TEST_CASE("executed and dropped values make room in the queue") {
  lab net;
  auto source = net.add(timer(1, 10));
  auto x = net.add(sink());
  net.connect_physical(source, x);
  net.assemble({.max_in_flight = 1});
  net.start_all();
  for (auto i = 0; i < 10; ++i) {
    net.activate(x);
    if (i < 9)
      net.activate(source, 1);
  }
  CHECK(net.drops.empty());
  CHECK(net.tags(x).size() == 10);
}

TEST_CASE("a node whose physical upstreams have all left is done") {
  lab net;
  auto source = net.add(timer(1, 2));
  auto x = net.add(script{});
  auto target = net.add(sink());
  net.connect_physical(source, x);
  net.connect(x, target);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.left(source));
  CHECK(net.left(x));
  CHECK(net.left(target));
  CHECK(net.tags(x).size() == 2);
}

TEST_CASE("a node whose physical upstreams have all left promises freely") {
  lab net;
  auto physical = net.add(timer(1, 1));
  auto logical = net.add(timer(100, 3));
  auto x = net.add(script{});
  auto target = net.add(sink());
  net.connect_physical(physical, x);
  net.connect(logical, x);
  net.connect(x, target);
  net.assemble();
  net.hold(physical, x);
  net.hold(logical, x);
  net.start_all();
  net.run();
  CHECK(net.promised(2).empty()); // it can only promise (0, 0)
  net.release(logical, x);
  net.run();
  CHECK(net.promised(2).back() == logical_time{200, 1});
  net.release(physical, x);
  net.run();
  CHECK(net.left(target));
}

// -- real-time mode -----------------------------------------------------------

TEST_CASE("3.18 in real-time mode a tag runs no earlier than its nanoseconds") {
  lab net;
  auto role = timer(100, 3);
  role.realtime = true;
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(x).empty());
  CHECK(net.next_wake() == 100);
  net.run_until(99);
  CHECK(net.tags(x).empty());
  net.run_until(100);
  CHECK(net.tags(x) == tags{{100, 0}});
  net.run_until(250);
  CHECK(net.tags(x).back() == logical_time{200, 0});
}

TEST_CASE("3.18 waiting for physical time is interrupted by earlier work") {
  lab net;
  auto role = sensor();
  role.realtime = true;
  role.start = [](code& me) { me.wait(ns(100), [](code&) {}); };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(30);
  CHECK(net.next_wake() == 100);
  net.call(x, 0);
  net.run();
  CHECK(net.tags(x) == tags{{30, 0}});
  CHECK(net.next_wake() == 100);
}

TEST_CASE("real-time mode is set per node") {
  lab net;
  auto slow = timer(100, 3);
  slow.realtime = true;
  auto x = net.add(slow);
  auto y = net.add(timer(100, 3));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(x).empty());
  CHECK(net.tags(y).size() == 2);
}

TEST_CASE(
  "3.20 after a shutdown request, nodes past the requested tag do not wait "
  "for physical time") {
  lab net;
  auto role = timer(100, 50);
  role.realtime = true;
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(100);
  net.ask_shutdown(x, {250, 0});
  net.take_final(x, {400, 0}, {250, 0});
  net.run();
  CHECK(net.tags(x).back() == logical_time{100, 0}); // up to it, they do
  CHECK(net.next_wake() == 200);
  net.run_until(200);
  CHECK(net.tags(x).back() == logical_time{400, 0});
  CHECK(net.left(x));
}

TEST_CASE("after a request for never, no node waits for physical time") {
  lab net;
  auto role = timer(100, 50);
  role.realtime = true;
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.ask_shutdown(x, never);
  net.take_final(x, {300, 0}, never);
  net.run();
  CHECK(net.tags(x).back() == logical_time{300, 0});
  CHECK(net.left(x));
}

TEST_CASE(
  "3.18 lag_warn reports a node whose logical time differs from physical "
  "time by more than a threshold") {
  lab net;
  auto role = timer(100, 4);
  role.lag_warn = 10;
  role.realtime = true;
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.set_clock(100);
  net.run();
  CHECK(net.lags.empty());
  net.set_clock(210);
  net.run();
  CHECK(net.lags.empty());
  net.set_clock(311);
  net.run();
  REQUIRE(net.lags.size() == 1);
  CHECK(net.lags[0].first == logical_time{300, 0});
  CHECK(net.lags[0].second == 11);
  CHECK(net.tags(x).size() == 3);
}

TEST_CASE("lag_warn also reports a node that runs ahead") {
  lab net;
  auto role = timer(100, 2);
  role.lag_warn = 10;
  net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  REQUIRE(net.lags.size() == 1);
  CHECK(net.lags[0].second == -100);
}

TEST_CASE("lag_warn reports a tag that ends too late, once") {
  lab net;
  script role;
  role.inputs = 0;
  role.outputs = 0;
  role.lag_warn = 10;
  role.realtime = true;
  role.start = [&](code& me) {
    me.wait(ns(100), [&](code& self) {
      net.set_clock(111);
      self.wait(ns(1), [&](code&) { net.set_clock(300); });
      self.wait(ns(200), [&](code&) { net.set_clock(310); });
    });
  };
  net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(100);
  // The first tag begins in time. The second begins and ends at 300.
  using lags = std::vector<std::pair<logical_time, std::int64_t>>;
  CHECK(net.lags_at_end == lags{{{100, 0}, 11}, {{101, 0}, 199}});
  CHECK(net.lags.empty());
}

} // namespace physical_rules_test
