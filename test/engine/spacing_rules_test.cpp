// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 10.5 of the semantics: the spacing of actions, and actions from
// outside.

#include "lab.hpp"

#include "catch.hpp"

#include <limits>
#include <utility>

namespace spacing_rules_test {

using namespace engine_test;
using caf::rosia::spacing;
using caf::rosia::spacing_policy;
using Catch::Matchers::ContainsSubstring;
using std::chrono::nanoseconds;
using tags = std::vector<logical_time>;
using texts = std::vector<std::string>;
using enum caf::rosia::spacing_policy;

namespace {

constexpr auto last_step = std::numeric_limits<std::uint32_t>::max();
constexpr auto last_ns = std::numeric_limits<std::int64_t>::max();

/// A call of `schedule` at the time `at`, for `at + d`.
struct request {
  std::int64_t at;
  delay d;
};

spacing every(std::int64_t ns, spacing_policy policy) {
  return {nanoseconds{ns}, policy};
}

/// Returns a node whose action has a spacing. Its log has the events, with the
/// number of their request, and the requests that returned false.
script scheduler(const spacing& x, std::vector<request> requests) {
  script result;
  result.inputs = 0;
  result.actions = 1;
  result.spacings = {x};
  result.start = [requests](code& me) {
    for (std::uint64_t i = 0; i < requests.size(); ++i) {
      auto& [at, d] = requests[i];
      auto schedule = [i, d = d](code& self) {
        if (!self.schedule(d, i))
          self.log.push_back("not " + std::to_string(i));
      };
      if (at == 0)
        schedule(me);
      else
        me.wait(ns(at), schedule);
    }
  };
  result.react = [](code& me, std::uint32_t) {
    std::string text = to_string(me.now());
    for (auto value : me.scheduled())
      text += ' ' + std::to_string(value);
    me.log.push_back(text);
  };
  return result;
}

/// Returns the log of such a node.
texts log_of(const spacing& x, std::vector<request> requests) {
  lab net;
  net.add(scheduler(x, std::move(requests)));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.failures.empty());
  CHECK(net.left(0));
  return net.code_of(0).log;
}

script sink() {
  script result;
  result.outputs = 0;
  return result;
}

/// Returns a node with a physical action that has options. It writes and logs
/// its values.
script sensor(const spacing& x, const delay& after = {}) {
  script result;
  result.external = true;
  result.spaced = {{0, x, after}};
  result.lead = after;
  result.react = [](code& me, std::uint32_t) {
    me.write(0, me.values()[0]);
    me.log.push_back(
      to_string(me.now()) + ' ' + std::to_string(me.values()[0]));
  };
  return result;
}

/// A lab with such a node, and a receiver of what it writes.
struct observed : lab {
  explicit observed(script role) {
    role.realtime = true;
    add(std::move(role));
    add(sink());
    connect(0, 1);
    assemble();
    start_all();
    run();
  }

  /// Schedules the action at these times, with the time as the value.
  void call_at(const std::vector<std::int64_t>& times) {
    for (auto at : times) {
      run_until(at);
      CHECK(call(0, 0, static_cast<std::uint64_t>(at)));
      run();
    }
  }

  const texts& log() {
    return code_of(0).log;
  }
};

} // namespace

// -- policies -----------------------------------------------------------------

TEST_CASE("10.5.2 an event that is far enough from the last one occurs at its "
          "tag with every policy") {
  for (auto policy : {defer, drop, replace, update}) {
    CHECK(log_of(every(10, policy), {{0, ns(5)}, {0, ns(15)}, {3, ns(22)}})
          == texts{"5ns 0", "15ns 1", "25ns 2"});
    CHECK(log_of(every(10, policy), {{0, ns(5)}, {7, ns(8)}})
          == texts{"5ns 0", "15ns 1"});
  }
}

TEST_CASE("10.5.2 defer moves an event to the last one's tag + the spacing") {
  CHECK(log_of(every(10, defer), {{0, ns(10)}, {0, ns(19)}, {0, ns(5)}})
        == texts{"10ns 0", "20ns 1", "30ns 2"});
  CHECK(log_of(every(10, defer), {{0, ns(10)}, {12, ns(3)}})
        == texts{"10ns 0", "20ns 1"});
}

TEST_CASE("10.5.2 drop omits an event that is too early") {
  CHECK(log_of(every(10, drop),
               {{0, ns(10)}, {0, ns(19)}, {0, ns(5)}, {0, ns(20)}, {21, ns(8)}})
        == texts{"not 1", "not 2", "10ns 0", "20ns 3", "not 4"});
}

TEST_CASE("10.5.2 replace gives the last event the new value if that event is "
          "pending, and defers otherwise") {
  CHECK(log_of(every(10, replace), {{0, ns(10)}, {0, ns(19)}, {0, ns(5)}})
        == texts{"10ns 2"});
  CHECK(log_of(every(10, replace), {{0, ns(10)}, {12, ns(3)}, {13, ns(3)}})
        == texts{"10ns 0", "20ns 2"});
}

TEST_CASE("10.5.2 update moves the last event if that is pending, but not "
          "nearer to the event before it, and defers otherwise") {
  CHECK(
    log_of(every(10, update), {{0, ns(10)}, {3, ns(12)}}) == texts{"15ns 1"});
  CHECK(log_of(every(10, update), {{0, ns(10)}, {3, ns(2)}}) == texts{"5ns 1"});
  CHECK(log_of(every(10, update), {{0, ns(10)}, {0, ns(22)}, {3, ns(9)}})
        == texts{"10ns 0", "20ns 2"});
  CHECK(log_of(every(10, update),
               {{0, ns(10)}, {0, ns(22)}, {3, ns(24)}, {11, ns(20)}})
        == texts{"10ns 0", "31ns 3"});
  CHECK(log_of(every(10, update), {{0, ns(10)}, {12, ns(3)}})
        == texts{"10ns 0", "20ns 1"});
}

TEST_CASE("10.5.2 an event is pending until its tag begins") {
  // Reactions resume before actions are present.
  CHECK(log_of(every(10, update), {{0, ns(10)}, {10, ns(5)}})
        == texts{"10ns 0", "20ns 1"});
  CHECK(log_of(every(10, replace), {{0, ns(10)}, {10, ns(5)}})
        == texts{"10ns 0", "20ns 1"});
}

TEST_CASE("10.5.2 a spacing of 0 is one microstep") {
  std::vector<request> twice{{0, ns(5)}, {0, ns(5)}, {0, ns(5)}};
  CHECK(log_of(every(0, defer), twice) == texts{"5ns 0", "5ns+1 1", "5ns+2 2"});
  CHECK(log_of(every(0, drop), twice) == texts{"not 1", "not 2", "5ns 0"});
  CHECK(log_of(every(0, replace), twice) == texts{"5ns 2"});
  CHECK(log_of(every(0, update), twice) == texts{"5ns 2"});
  CHECK(log_of(every(0, defer), {{0, ns(5)}, {0, steps(3)}})
        == texts{"5ns 0", "5ns+1 1"});
}

TEST_CASE("10.5.2 a spacing leads to the first microstep of its instant") {
  auto role = scheduler(every(10, defer), {});
  role.start = [](code& me) {
    me.wait(steps(4), [](code& self) {
      self.schedule(steps(1), 0);
      self.schedule(ns(10), 1);
      self.schedule(ns(11), 2);
    });
  };
  lab net;
  net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.code_of(0).log == texts{"0s+5 0", "10ns 1", "20ns 2"});
}

TEST_CASE("10.5.2 the last microstep of an instant has no next one") {
  auto run = [](spacing_policy policy) {
    auto role = scheduler(every(0, policy), {});
    role.start = [](code& me) {
      me.wait(steps(last_step - 1), [](code& self) {
        for (std::uint64_t i = 0; i < 2; ++i)
          if (!self.schedule(steps(1), i))
            self.log.push_back("not " + std::to_string(i));
      });
    };
    lab net;
    net.add(role);
    net.assemble();
    net.start_all();
    net.run();
    return net.failures.empty()
             ? net.code_of(0).log
             : texts{net.failures[0].second.text};
  };
  CHECK_THAT(run(defer)[0], ContainsSubstring("0s+4294967295"));
  CHECK(run(drop) == texts{"not 1", "0s+4294967295 0"});
  CHECK(run(replace) == texts{"0s+4294967295 1"});
  CHECK(run(update) == texts{"0s+4294967295 1"});
}

TEST_CASE("10.5.2 an event that would be at forever counts as none") {
  // Nothing is moved there.
  for (auto policy : {defer, replace})
    CHECK(log_of(every(last_ns, policy), {{0, ns(10)}, {12, ns(50)}})
          == texts{"10ns 0", "not 1"});
  CHECK(log_of(every(last_ns, update), {{0, ns(10)}, {3, ns(50)}, {60, ns(1)}})
        == texts{"53ns 1", "not 2"});
  // An event that is scheduled for it leaves no trace.
  for (auto policy : {defer, drop, replace, update})
    CHECK(log_of(every(10, policy), {{0, ns(last_ns)}, {1, ns(4)}})
          == texts{"not 0", "5ns 1"});
  // The last tags.
  CHECK(
    log_of(every(1, defer), {{0, ns(last_ns - 1)}, {0, ns(5)}, {0, ns(9)}})
    == texts{"not 1", "not 2", to_string(logical_time{last_ns - 1, 0}) + " 0"});
}

TEST_CASE("10.5.2 actions have separate spacings") {
  auto role = scheduler(every(10, drop), {});
  role.actions = 3;
  role.acts = {{0, 1, 2}};
  role.spacings = {every(10, drop), std::nullopt, every(5, defer)};
  role.react = {};
  role.start = [](code& me) {
    CHECK(me.schedule(ns(5), 0, 0));
    CHECK(me.schedule(ns(5), 0, 1));
    CHECK(me.schedule(ns(5), 0, 1));
    CHECK(me.schedule(ns(5), 0, 2));
    CHECK_FALSE(me.schedule(ns(6), 0, 0));
    CHECK(me.schedule(ns(6), 0, 2));
    CHECK(me.schedule(ns(4), 0, 1));
  };
  lab net;
  net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(0) == tags{{4, 0}, {5, 0}, {10, 0}});
}

// -- withdrawn events ---------------------------------------------------------

TEST_CASE("10.5.3 nothing is executed at the tag of a withdrawn event, and "
          "promises rise") {
  // Messages restart a timeout.
  for (auto fused : {false, true}) {
    lab net;
    script source;
    source.inputs = 0;
    source.start = [](code& me) {
      for (auto at : {4, 8, 13, 40})
        me.wait(ns(at), [](code& self) { self.write(); });
    };
    auto role = scheduler(every(10, update), {});
    role.inputs = 1;
    role.triggers = {{0}, {}};
    role.acts = {{}, {0}};
    role.start = [](code& me) { me.schedule(ns(10)); };
    role.react = [](code& me, std::uint32_t reaction) {
      if (reaction == 0)
        me.schedule(ns(10));
      else
        me.write();
    };
    auto x = net.add(source);
    auto y = net.add(role);
    auto z = net.add(sink());
    net.connect(x, y);
    net.connect(y, z);
    net.assemble();
    if (fused) {
      net.fuse(x, y);
      net.fuse(y, z);
    }
    net.hold(x, y);
    net.start_all();
    net.run();
    if (!fused)
      CHECK(net.at(y).look().scheduled == 1);
    net.release(x, y);
    net.run();
    CHECK(net.failures.empty());
    CHECK(
      net.tags(y) == tags{{4, 0}, {8, 0}, {13, 0}, {23, 0}, {40, 0}, {50, 0}});
    CHECK(net.tags(z) == tags{{23, 0}, {50, 0}});
  }
}

TEST_CASE("10.5.3 a withdrawn event holds back no receiver") {
  auto role = scheduler(every(95, update), {{0, ns(10)}, {5, ns(95)}});
  role.realtime = true;
  lab net;
  auto x = net.add(role);
  auto y = net.add(sink());
  net.connect(x, y);
  net.assemble();
  net.start_all();
  net.run_until(4);
  CHECK(net.at(x).promise_over(0) == logical_time{5, 0});
  net.run_until(5);
  CHECK(net.at(x).promise_over(0) == logical_time{100, 0});
  CHECK(net.at(x).wake_at() == 100);
  net.run_until(100);
  CHECK(net.tags(x) == tags{{5, 0}, {100, 0}});
  CHECK(net.left(x));
}

// -- checkpoints --------------------------------------------------------------

TEST_CASE("10.5.3 a spacing is restored by the last tag and the pending events "
          "in any order") {
  engine::action_spacing x{every(10, update)};
  x.note({{5, 0}});
  x.note({{15, 0}});
  CHECK(x.last_present({4, 0}) == never);
  CHECK(x.last_present({5, 0}) == logical_time{5, 0});
  CHECK(x.last_present({15, 0}) == logical_time{15, 0});
  engine::action_spacing y{every(10, update)};
  y.restore({15, 0});
  y.restore({5, 0});
  CHECK(y.last() == logical_time{15, 0});
  auto place = y.place({7, 0}, {6, 0});
  REQUIRE(place);
  CHECK(place->withdraws);
  CHECK(place->tag == logical_time{15, 0});
}

// -- actions from outside -----------------------------------------------------

TEST_CASE("10.5.1 with after(d), a stamp is elapsed time + d, and promises are "
          "that far ahead") {
  auto role = sensor(every(0, defer), ns(5));
  observed net{role};
  CHECK(net.at(0).promise_over(0) == logical_time{5, 0});
  net.run_until(10);
  CHECK(net.at(0).promise_over(0) == logical_time{5, 0}); // not called
  CHECK(net.call(0, 0, 7));
  net.run();
  CHECK(net.at(0).promise_over(0) == logical_time{15, 0});
  CHECK(net.log().empty());
  net.run_until(14);
  CHECK(net.log().empty());
  net.run_until(15);
  CHECK(net.log() == texts{"15ns 7"});
}

TEST_CASE("10.5.1 a receiver gets the promise that it needs d earlier") {
  lab net;
  auto role = sensor(every(0, defer), ns(100));
  auto x = net.add(role);
  script timer;
  timer.inputs = 0;
  timer.start
    = [](code& me) { me.wait(ns(150), [](code& self) { self.write(); }); };
  auto y = net.add(timer);
  auto receiver = sink();
  receiver.inputs = 2;
  auto z = net.add(receiver);
  net.connect(x, z);
  net.connect(wire{y, 0, z, 1, {}, false});
  net.assemble();
  net.start_all();
  net.run_until(50);
  CHECK(net.tags(z).empty());
  net.run_until(51);
  CHECK(net.tags(z) == tags{{150, 0}});
}

TEST_CASE("10.5.1 values of other actions do not wait for a stamp that is "
          "later because of after(d)") {
  auto role = sensor(every(0, defer), ns(50));
  role.inputs = 2;
  role.lead = {};
  role.react = [](code& me, std::uint32_t) {
    me.log.push_back(to_string(me.now()) + (me.present(0) ? " 0" : " 1"));
  };
  observed net{role};
  CHECK(net.at(0).promise_over(0) == logical_time{0, 1});
  net.run_until(10);
  net.call(0, 0, 1); // at 60ns
  net.run_until(20);
  net.call(0, 1, 2);
  net.run_until(60);
  net.call(0, 1, 3); // that tag has been executed
  net.run_until(61);
  CHECK(net.log() == texts{"20ns 1", "60ns 0", "60ns+1 1"});
}

TEST_CASE("10.5.1 two values never get the same tag") {
  auto role = sensor(every(0, defer), ns(50));
  role.inputs = 2;
  role.lead = ns(40);
  role.spaced.push_back({1, std::nullopt, ns(40)});
  role.react = [](code& me, std::uint32_t) {
    me.log.push_back(to_string(me.now()) + (me.present(0) ? " 0" : " 1"));
  };
  observed net{role};
  net.run_until(10);
  net.call(0, 0, 0);
  net.run_until(20);
  net.call(0, 1, 0);
  net.call(0, 0, 0);
  net.run_until(100);
  CHECK(net.log() == texts{"60ns 0", "60ns+1 1", "70ns 0"});
}

TEST_CASE("10.5.2 defer keeps a distance between the stamps of an action") {
  observed net{sensor(every(10, defer))};
  net.call_at({10, 12, 13, 55});
  net.run_until(80);
  CHECK(net.log() == texts{"10ns 10", "20ns 12", "30ns 13", "55ns 55"});
  CHECK(net.code_of(0).taken == 4);
  CHECK(net.drops.empty());
}

TEST_CASE("10.5.2 drop omits values from outside, and counts them") {
  observed net{sensor(every(10, drop))};
  net.call_at({10, 12, 19, 20});
  CHECK(net.log() == texts{"10ns 10", "20ns 20"});
  CHECK(net.code_of(0).taken == 4);
  REQUIRE(net.drops.size() == 2);
  CHECK(net.drops[0].reason == engine::drop_reason::spacing);
}

TEST_CASE("10.5.2 replace and update withdraw a pending value from outside") {
  observed replacing{sensor(every(10, replace), ns(20))};
  replacing.call_at({10, 15, 31, 32});
  replacing.run_until(100);
  CHECK(replacing.log() == texts{"30ns 15", "51ns 32"});
  CHECK(replacing.code_of(0).taken == 4);
  CHECK(replacing.drops.empty());
  observed updating{sensor(every(10, update), ns(20))};
  updating.call_at({10, 15, 34, 36});
  updating.run_until(100);
  CHECK(updating.log() == texts{"35ns 15", "56ns 36"});
  CHECK(updating.tags(0) == tags{{35, 0}, {56, 0}});
  CHECK(updating.code_of(0).taken == 4);
}

TEST_CASE("10.5.2 values from outside have a spacing in a group, too") {
  auto role = sensor(every(10, update), ns(20));
  role.realtime = true;
  lab net;
  auto x = net.add(role);
  auto y = net.add(sink());
  net.connect(x, y);
  net.assemble();
  net.fuse(x, y);
  net.start_all();
  for (auto at : {10, 15, 34, 36}) {
    net.run_until(at);
    net.call(x, 0, static_cast<std::uint64_t>(at));
    net.run();
  }
  net.run_until(100);
  CHECK(net.tags(x) == tags{{35, 0}, {56, 0}});
  CHECK(net.tags(y) == tags{{35, 0}, {56, 0}});
}

TEST_CASE("10.5.2 a value that would be deferred beyond all tags is dropped") {
  observed net{sensor(every(last_ns, defer))};
  net.call_at({10, 12});
  CHECK(net.log() == texts{"10ns 10"});
  REQUIRE(net.drops.size() == 1);
  CHECK(net.failures.empty());
}

TEST_CASE("10.5.2 a value past the final tag can no longer be withdrawn") {
  for (auto policy : {replace, update}) {
    lab net;
    auto role = sensor(every(10, policy), ns(20));
    role.realtime = true;
    net.add(role);
    net.assemble();
    lab_coordinator coordinator{net, logical_time{31, 0}};
    net.start_all();
    coordinator.run();
    for (auto at : {10, 12, 13, 14}) {
      net.set_clock(at);
      coordinator.run();
      net.call(0, 0, static_cast<std::uint64_t>(at));
      coordinator.run();
    }
    net.set_clock(32);
    coordinator.run();
    CHECK(net.left(0));
    CHECK(net.code_of(0).taken == 4);
    if (policy == replace)
      CHECK(net.code_of(0).log == texts{"30ns 14"});
    else
      CHECK(net.code_of(0).log.empty());
    CHECK(net.drops.size() == (policy == replace ? 0 : 3));
  }
}

TEST_CASE("10.5.2 values that are deferred past the final tag are dropped") {
  lab net;
  auto role = sensor(every(10, defer));
  role.realtime = true;
  net.add(role);
  net.assemble();
  lab_coordinator coordinator{net, logical_time{25, 0}};
  net.start_all();
  coordinator.run();
  for (auto at : {10, 11, 12}) {
    net.set_clock(at);
    coordinator.run();
    net.call(0, 0, 0);
    coordinator.run();
  }
  net.set_clock(26);
  coordinator.run();
  CHECK(net.tags(0) == tags{{10, 0}, {20, 0}});
  REQUIRE(net.drops.size() == 1);
  CHECK(net.drops[0].reason == engine::drop_reason::past_final_tag);
  CHECK(net.left(0));
}

} // namespace spacing_rules_test
