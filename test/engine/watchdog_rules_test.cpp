// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 10.8 of the semantics: watchdogs.

#include "lab.hpp"
#include "random.hpp"

#include "catch.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace watchdog_rules_test {

using namespace engine_test;
using Catch::Matchers::ContainsSubstring;
using tags = std::vector<logical_time>;
using texts = std::vector<std::string>;

namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();

/// Returns a node that starts its watchdog with its first value, and again with
/// each further one. It writes down inputs and expiries, and writes a value for
/// each expiry.
script watcher(std::int64_t timeout) {
  script x;
  x.watchdogs = {timeout};
  x.expire = [](code& me, std::uint32_t) {
    me.log.push_back("handler after " + to_string(me.now()));
  };
  x.react = [](code& me, std::uint32_t) {
    if (me.present()) {
      me.log.push_back("value at " + to_string(me.now()));
      me.start_watchdog();
    }
    if (me.expired()) {
      me.log.push_back("expired at " + to_string(me.now()));
      me.write();
    }
  };
  return x;
}

/// Returns such a node whose `start()` starts the watchdog.
script armed(std::int64_t timeout) {
  auto x = watcher(timeout);
  x.start = [](code& me) { me.start_watchdog(); };
  return x;
}

/// Returns a node that writes at these times.
script source(std::vector<std::int64_t> times, bool realtime = true) {
  script x;
  x.inputs = 0;
  x.realtime = realtime;
  x.start = [times = std::move(times)](code& me) {
    for (auto t : times)
      me.wait(ns(t), [](code& self) { self.write(); });
  };
  return x;
}

script sink() {
  script x;
  x.outputs = 0;
  x.react
    = [](code& me, std::uint32_t) { me.log.push_back(to_string(me.now())); };
  return x;
}

/// Returns the error of the only node that has failed.
engine::failure error_of(const lab& net) {
  REQUIRE(net.failures.size() == 1);
  return net.failures[0].second;
}

} // namespace

TEST_CASE("10.8.1 a watchdog expires its timeout after the tag of start()") {
  lab net;
  auto from = net.add(source({10, 30, 35}));
  auto x = net.add(watcher(20));
  net.connect(from, x);
  net.assemble();
  net.start_all();
  net.run_until(100);
  CHECK(net.code_of(x).log
        == texts{"value at 10ns", "handler after 10ns", "value at 30ns",
                 "expired at 30ns", "value at 35ns", "handler after 35ns",
                 "expired at 55ns"});
}

TEST_CASE(
  "10.8.1 start(extra) expires later, another start() moves the expiry, "
  "stop() cancels it") {
  lab net;
  script role;
  role.inputs = 0;
  role.realtime = true;
  role.watchdogs = {20};
  role.acts = {{0}};
  role.start = [](code& me) {
    me.start_watchdog(0, 5);
    me.wait(ns(24), [](code& self) {
      self.start_watchdog(0, 100);
      self.start_watchdog();
      self.wait(ns(19), [](code& again) {
        again.start_watchdog();
        again.wait(ns(19), [](code& last) { last.stop_watchdog(); });
      });
      self.wait(ns(60), [](code& last) { last.start_watchdog(0, 5); });
    });
  };
  role.react
    = [](code& me, std::uint32_t) { me.log.push_back(to_string(me.now())); };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(200);
  CHECK(net.code_of(x).log == texts{"109ns"});
  CHECK(net.left(x));
}

TEST_CASE("10.8.1 a timeout of 0 expires at once, after the tag of start()") {
  lab net;
  auto x = net.add(armed(0));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.code_of(x).log == texts{"handler after 0s", "expired at 0s+1"});
}

TEST_CASE("10.8.1 an expiry that does not fit never comes") {
  lab net;
  script role = watcher(most);
  role.inputs = 0;
  role.realtime = true;
  role.start = [](code& me) {
    me.wait(ns(5), [](code& self) { self.start_watchdog(0, 7); });
  };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(1000);
  CHECK(net.next_wake() == engine::node::no_wake);
  CHECK_FALSE(net.left(x));
  CHECK(net.code_of(x).log.empty());
  net.ask_shutdown(x, {1000, 0});
  net.take_final(x, {1000, 0}, {1000, 0});
  net.run_until(1001);
  CHECK(net.left(x));
}

TEST_CASE("10.8.1 only the node's code starts and stops a watchdog") {
  lab net;
  auto x = net.add(armed(20));
  net.assemble();
  auto text = [&](auto&& call) -> std::string {
    try {
      call();
    } catch (const std::logic_error& e) {
      return e.what();
    }
    return "no error";
  };
  std::string outside
    = "watchdog 'a0' was started outside of the node's reactions; its node "
      "starts and stops it, in reactions or start()";
  CHECK(text([&] { net.code_of(x).start_watchdog(); }) == outside);
  net.start_all();
  CHECK(text([&] { net.code_of(x).start_watchdog(); }) == outside);
  CHECK_THAT(text([&] { net.code_of(x).stop_watchdog(); }),
             ContainsSubstring("'a0' was stopped outside of"));
  net.run_until(20);
  CHECK(net.code_of(x).log.size() == 2);
}

TEST_CASE(
  "10.8.1 another node's code does not start a watchdog, even while the "
  "node's own code runs") {
  lab net;
  node_id other = 1;
  auto first = armed(20);
  std::string problem;
  first.start = [&](code&) {
    // The other node is called within the code of this one.
    net.start(other);
  };
  script second;
  second.start = [&](code&) {
    try {
      net.code_of(0).start_watchdog();
    } catch (const std::logic_error& e) {
      problem = e.what();
    }
  };
  net.add(first);
  net.add(second);
  net.assemble();
  net.start(0);
  CHECK_THAT(problem, ContainsSubstring("outside of the node's reactions"));
}

TEST_CASE("10.8.1 a negative extra time is an error of the node") {
  lab net;
  auto role = armed(20);
  role.start = [](code& me) { me.start_watchdog(0, -5); };
  net.add(role);
  net.assemble();
  net.start_all();
  CHECK(error_of(net).text
        == "watchdog 'a0' was started with an extra time of -5ns; it is 0 or "
           "more");
}

TEST_CASE("10.8.1 a watchdog is neither started nor stopped in shutdown()") {
  lab net;
  auto role = armed(0);
  role.shutdown = [](code& me) { me.start_watchdog(); };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.left(x));
  REQUIRE(net.shutdown_failures.size() == 1);
  CHECK(net.shutdown_failures[0].second.text
        == "watchdog 'a0' was started in shutdown(), when the node is ending "
           "already");
}

TEST_CASE("10.8.2 the handler runs at once, even if the node waits for other "
          "nodes") {
  lab net;
  auto from = net.add(source({10}));
  auto x = net.add(armed(20));
  net.connect(from, x);
  net.assemble();
  net.hold(from, x);
  net.start_all();
  net.run_until(20);
  CHECK(net.code_of(x).log == texts{"handler after 0s"});
  net.run_until(40);
  CHECK(net.tags(x).empty());
  net.release(from, x);
  net.run();
  CHECK(net.code_of(x).log
        == texts{"handler after 0s", "value at 10ns", "handler after 10ns",
                 "expired at 20ns", "expired at 30ns"});
}

TEST_CASE("10.8.2 an expiry is stamped after what the node executed") {
  // As fast as possible, logical time is ahead of elapsed time.
  lab net;
  auto from = net.add(source({10, 100}, false));
  auto x = net.add(armed(20));
  auto to = net.add(sink());
  net.connect(from, x);
  net.connect(x, to);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.code_of(x).log == texts{"value at 10ns", "value at 100ns"});
  net.run_until(119);
  CHECK(net.code_of(x).log.size() == 2);
  net.run_until(120);
  CHECK(net.code_of(x).log.back() == "expired at 120ns");
  CHECK(net.left(x));
}

TEST_CASE("10.8.2 an expiry behind the node's tags gets its next microstep") {
  lab net;
  auto from = net.add(source({100}, false));
  auto role = armed(20);
  role.react = [](code& me, std::uint32_t) {
    me.log.push_back(
      (me.expired() ? "expired at " : "value at ") + to_string(me.now()));
  };
  auto x = net.add(role);
  net.connect(from, x);
  net.assemble();
  net.start_all();
  net.run();
  net.run_until(20);
  CHECK(
    net.code_of(x).log
    == texts{"value at 100ns", "handler after 100ns", "expired at 100ns+1"});
}

TEST_CASE(
  "10.8.2 an expiry is stamped after the last stamp, and counts as one") {
  lab net;
  script role;
  role.external = true;
  role.realtime = true;
  role.watchdogs = {20, 20};
  role.start = [](code& me) {
    me.start_watchdog(1);
    me.start_watchdog(0);
  };
  role.react = [](code& me, std::uint32_t) {
    me.log.push_back(
      std::string{me.present() ? "value" : ""} + (me.expired(0) ? "first" : "")
      + (me.expired(1) ? "second" : "") + " at " + to_string(me.now()));
  };
  role.expire = [](code& me, std::uint32_t i) {
    me.log.push_back("handler " + std::to_string(i));
  };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  net.call(x, 0);
  net.set_clock(20);
  net.run();
  net.call(x, 0);
  net.run();
  CHECK(net.code_of(x).log
        == texts{"handler 0", "handler 1", "first at 20ns", "second at 20ns+1",
                 "value at 20ns+2", "value at 20ns+3"});
}

TEST_CASE("10.8.2 a start() of code that runs at the expiry takes precedence") {
  lab net;
  auto from = net.add(source({10}));
  auto role = armed(20);
  role.react = [&net](code& me, std::uint32_t) {
    if (me.expired()) {
      me.log.push_back("expired at " + to_string(me.now()));
      return;
    }
    net.set_clock(25);
    me.start_watchdog();
  };
  auto x = net.add(role);
  net.connect(from, x);
  net.assemble();
  net.start_all();
  net.run_until(25);
  CHECK(net.code_of(x).log.empty());
  net.run_until(30);
  CHECK(net.code_of(x).log == texts{"handler after 10ns", "expired at 30ns"});
}

TEST_CASE("10.8.2 a watchdog expires between two tags that are due") {
  lab net;
  script role;
  role.inputs = 0;
  role.watchdogs = {20};
  role.expire = [](code& me, std::uint32_t) { me.log.push_back("handler"); };
  role.start = [&net](code& me) {
    me.start_watchdog();
    me.wait(ns(1), [&net](code& self) {
      net.set_clock(30);
      self.log.push_back("1");
    });
    me.wait(ns(2), [](code& self) { self.log.push_back("2"); });
    me.wait(ns(40), [](code& self) { self.log.push_back("40"); });
  };
  role.react = [](code& me, std::uint32_t) { me.log.push_back("expired"); };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.code_of(x).log == texts{"1", "handler", "2", "expired", "40"});
}

TEST_CASE("10.8.2 a handler that throws is an error of the node at the stamp") {
  lab net;
  auto role = armed(20);
  role.expire
    = [](code&, std::uint32_t) { throw std::runtime_error("no light"); };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(50);
  auto error = error_of(net);
  CHECK(error.reaction == "handler of a0");
  CHECK(error.tag == logical_time{20, 0});
  CHECK(error.text == "no light");
  CHECK(net.tags(x).empty());
}

TEST_CASE("10.8.2 a handler has the limits of shutdown()") {
  lab net;
  auto role = armed(20);
  std::string outside
    = " outside of the node's reactions, in the handler of a watchdog";
  std::string expected;
  auto forbid = [&](std::string text, std::function<void(code&)> call) {
    expected = std::move(text);
    role.expire
      = [call = std::move(call)](code& me, std::uint32_t) { call(me); };
  };
  SECTION("it does not write") {
    forbid("output 'o0' was written" + outside
             + "; schedule a physical action instead",
           [](code& me) { me.write(); });
  }
  SECTION("it makes no promise") {
    forbid("a promise for output 'o0' was made" + outside, [](code& me) {
      me.promise(ns(5));
    });
  }
  SECTION("it does not schedule") {
    role.actions = 1;
    forbid("action 'a0' was scheduled" + outside
             + "; schedule a physical action instead",
           [](code& me) { me.schedule(ns(5)); });
  }
  SECTION("it requests no end") {
    forbid("request_shutdown()" + outside, [](code& me) { me.request(); });
  }
  SECTION("it starts no watchdog") {
    forbid("watchdog 'a0' was started" + outside
             + "; its node starts and stops it, in reactions or start()",
           [](code& me) { me.start_watchdog(); });
  }
  SECTION("it stops no watchdog") {
    forbid("watchdog 'a0' was stopped" + outside
             + "; its node starts and stops it, in reactions or start()",
           [](code& me) { me.stop_watchdog(); });
  }
  net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(20);
  CHECK(error_of(net).text == expected);
}

TEST_CASE("10.8.2 a microstep that overflows is an error of the node") {
  constexpr auto all = std::numeric_limits<std::uint32_t>::max();
  lab net;
  auto role = armed(20);
  role.start = [](code& me) {
    me.start_watchdog();
    me.wait(steps(all), [](code&) {});
    me.wait(ns(20), [](code& self) { self.wait(steps(all), [](code&) {}); });
  };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run_until(20);
  CHECK(net.tags(x).back() == logical_time{20, all});
  CHECK_THAT(
    error_of(net).text,
    ContainsSubstring("the expiry of watchdog 'a0' cannot get a tag of "
                      "its own: the microstep overflows after tag"));
}

TEST_CASE("10.8.3 a node promises nothing beyond the expiry of a watchdog that "
          "runs") {
  lab net;
  auto from = net.add(source({10, 50}, false));
  auto x = net.add(armed(20));
  auto to = net.add(sink());
  auto other = net.add(source({5, 29, 30, 60}, false));
  net.connect(from, x);
  net.connect(x, to);
  net.connect(other, to);
  net.assemble();
  net.hold(from, x);
  net.start_all();
  net.run();
  CHECK(net.code_of(to).log.empty());
  net.deliver(from, x);
  net.run();
  // The source has promised nothing before 50.
  net.release(from, x);
  net.run();
  CHECK(net.tags(x) == tags{{10, 0}, {50, 0}});
  CHECK(net.code_of(to).log == texts{"5ns", "29ns", "30ns", "60ns"});
  net.run_until(70);
  CHECK(net.code_of(to).log.back() == "70ns");
  CHECK(net.left(to));
}

TEST_CASE(
  "10.8.3 a receiver waits for an expiry that may come, and not for one "
  "that cannot") {
  lab net;
  auto x = net.add(armed(20));
  auto to = net.add(sink());
  auto other = net.add(source({19, 20, 25}, false));
  net.connect(x, to);
  net.connect(other, to);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.code_of(to).log == texts{"19ns"});
  net.set_clock(19);
  net.run();
  CHECK(net.code_of(to).log.size() == 1);
  net.run_until(20);
  CHECK(net.code_of(to).log == texts{"19ns", "20ns", "25ns"});
  CHECK(net.tags(to) == tags{{19, 0}, {20, 0}, {25, 0}});
}

TEST_CASE("10.8.3 a node with a watchdog that runs does not end by itself") {
  lab net;
  script role;
  role.inputs = 0;
  role.realtime = true;
  role.watchdogs = {20};
  role.start = [](code& me) {
    me.start_watchdog();
    me.wait(ns(5), [](code& self) { self.stop_watchdog(); });
  };
  auto x = net.add(role);
  auto alone = net.add(armed(20));
  net.assemble();
  net.start_all();
  net.run_until(4);
  CHECK_FALSE(net.left(x));
  CHECK_FALSE(net.left(alone));
  net.run_until(5);
  CHECK(net.left(x));
  net.run_until(19);
  CHECK_FALSE(net.left(alone));
  net.run_until(20);
  CHECK(net.left(alone));
}

TEST_CASE("10.8.3 the members of a loop take an expiry into account") {
  for (auto processes : {false, true})
    for (auto d : {0, 3}) {
      INFO(processes << ' ' << d);
      lab net;
      auto role = armed(20);
      role.react = [](code& me, std::uint32_t) {
        me.log.push_back(
          (me.expired() ? "expired at " : "value at ") + to_string(me.now()));
        if (me.expired())
          me.write();
      };
      auto x = net.add(role);
      auto y = net.add([] {
        script relay;
        relay.inputs = 2;
        relay.react = [](code& me, std::uint32_t) {
          me.log.push_back(to_string(me.now()));
          if (me.present(0))
            me.write();
        };
        return relay;
      }());
      auto other = net.add(source({19, 21, 90}, false));
      net.connect(x, y, ns(d == 0 ? 1 : d));
      net.connect(y, x, ns(2));
      net.connect(wire{other, 0, y, 1, {}, false});
      network_options options;
      if (processes)
        options.processes = {0, 1, 1};
      net.assemble(options);
      net.start_all();
      net.run();
      CHECK(
        net.code_of(y).log == (d == 3 ? texts{"19ns", "21ns"} : texts{"19ns"}));
      net.run_until(20);
      auto first = to_string(logical_time{20 + (d == 0 ? 1 : d), 0});
      CHECK(net.code_of(x).log
            == texts{
              "handler after 0s", "expired at 20ns",
              "value at " + to_string(logical_time{22 + (d == 0 ? 1 : d), 0})});
      CHECK(net.code_of(y).log
            == (d == 3 ? texts{"19ns", "21ns", first, "90ns"}
                       : texts{"19ns", "21ns", "90ns"}));
      net.run_until(200);
      for (auto id : {x, y, other})
        CHECK(net.left(id));
    }
}

TEST_CASE("10.8.3 in a loop, code may move an expiry to an earlier time") {
  lab net;
  script role;
  role.watchdogs = {1};
  role.acts = {{0}};
  role.start = [](code& me) {
    me.start_watchdog(0, 999);
    me.wait(ns(5), [](code& self) { self.start_watchdog(0, 9); });
  };
  role.react = [](code& me, std::uint32_t) {
    if (me.expired())
      me.write();
  };
  auto x = net.add(role);
  script relay;
  relay.inputs = 2;
  relay.react
    = [](code& me, std::uint32_t) { me.log.push_back(to_string(me.now())); };
  auto y = net.add(relay);
  auto other = net.add(source({14, 20, 2000}, false));
  net.connect(x, y);
  net.connect(y, x, ns(1));
  net.connect(wire{other, 0, y, 1, {}, false});
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.code_of(y).log == texts{"14ns"});
  net.run_until(15);
  CHECK(net.code_of(y).log == texts{"14ns", "15ns", "20ns", "2us"});
}

TEST_CASE("10.8.3 an expiry past the final tag holds no node, an earlier one "
          "does") {
  lab net;
  auto x = net.add(armed(20));
  net.assemble();
  lab_coordinator coordinator{net, logical_time{GENERATE(19, 20), 0}};
  auto final = net.at(x).final();
  net.start_all();
  coordinator.run();
  if (final.ns == 19) {
    CHECK(net.left(x));
    return;
  }
  CHECK_FALSE(net.left(x));
  net.set_clock(20);
  coordinator.run();
  CHECK(net.left(x));
  CHECK(net.code_of(x).log == texts{"handler after 0s", "expired at 20ns"});
}

TEST_CASE("10.8.3 a watchdog may start up to the final tag") {
  lab net;
  auto from = net.add(source({10}));
  auto x = net.add(watcher(5));
  net.connect(from, x);
  net.assemble();
  lab_coordinator coordinator{net, logical_time{30, 0}};
  net.start_all();
  coordinator.run();
  for (std::int64_t t : {9, 10, 14, 15}) {
    net.set_clock(t);
    coordinator.run();
  }
  CHECK(net.code_of(x).log
        == texts{"value at 10ns", "handler after 10ns", "expired at 15ns"});
  CHECK(net.left(x));
}

TEST_CASE("10.8.3 an expiry that is later than the requested end is not "
          "awaited") {
  lab net;
  auto x = net.add(armed(20));
  net.assemble();
  net.start_all();
  net.run();
  // Another node was past the requested tag.
  net.ask_shutdown(x, {5, 0});
  net.take_final(x, {30, 0}, {5, 0});
  net.run_until(5);
  CHECK_FALSE(net.left(x));
  net.run_until(6);
  CHECK(net.left(x));
  CHECK(net.code_of(x).log.empty());
}

TEST_CASE("10.8.3 an aborted node runs no handler") {
  lab net;
  auto x = net.add(armed(20));
  net.assemble();
  net.start_all();
  net.run();
  net.abort(x);
  net.run_until(50);
  CHECK(net.left(x));
  CHECK(net.code_of(x).log.empty());
}

TEST_CASE(
  "10.8.3 checkpoints have the watchdogs that run, and the expiries that "
  "are not present yet") {
  auto build = [](lab& net, bool held) {
    auto from = net.add(source({10, 31}));
    auto x = net.add(watcher(20));
    net.connect(from, x);
    net.assemble();
    net.take_checkpoints(0);
    if (held)
      net.hold(from, x);
    return x;
  };
  lab net;
  auto x = build(net, false);
  net.start_all();
  net.run_until(12);
  for (node_id i = 0; i < net.size(); ++i)
    net.ask_checkpoint(i);
  for (node_id i = 0; i < net.size(); ++i)
    net.take_checkpoint(i, {12, 0});
  net.run_until(15);
  auto& parts = net.parts_of(x);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].kept.until == logical_time{30, 0});
  REQUIRE(parts[0].watchdogs.size() == 1);
  CHECK(parts[0].watchdogs[0].second == 30);
  lab again;
  build(again, false);
  // The source has yielded, so it cannot be saved: it is done here.
  auto saved = net.parts_of(0).back();
  saved.kept.yielded.clear();
  again.restore({12, 0}, {saved, parts[0]});
  again.start_all();
  again.run_until(60);
  CHECK(again.code_of(x).log == texts{"handler after 10ns", "expired at 30ns"});
}

TEST_CASE("10.8.3 a checkpoint has an expiry that is not present yet") {
  auto build = [](lab& net) {
    auto from = net.add(source({10, 25, 100}));
    auto x = net.add(watcher(20));
    net.connect(from, x);
    net.assemble();
    net.take_checkpoints(0);
    return x;
  };
  lab net;
  auto x = build(net);
  net.start_all();
  net.run_until(20);
  net.hold(0, x);
  net.run_until(30);
  CHECK(net.code_of(x).log == texts{"value at 10ns", "handler after 10ns"});
  for (node_id i = 0; i < net.size(); ++i)
    net.ask_checkpoint(i);
  for (node_id i = 0; i < net.size(); ++i)
    net.take_checkpoint(i, {25, 0});
  net.release(0, x);
  net.run();
  REQUIRE(net.parts_of(x).size() == 1);
  auto part = net.parts_of(x)[0];
  CHECK(part.kept.logical == logical_time{25, 0});
  CHECK(part.kept.until == logical_time{30, 0});
  using expiries = std::vector<std::pair<std::uint32_t, logical_time>>;
  CHECK(part.expired == expiries{{0, {30, 0}}});
  REQUIRE(part.watchdogs.size() == 1);
  CHECK(part.watchdogs[0].second == 45);
  lab again;
  build(again);
  auto saved = net.parts_of(0).back();
  saved.kept.yielded.clear(); // the source is done here
  again.restore({25, 0}, {saved, part});
  again.start_all();
  again.run_until(60);
  // The handler of the first expiry has run before the checkpoint.
  CHECK(again.code_of(x).log
        == texts{"expired at 30ns", "handler after 30ns", "expired at 45ns"});
}

TEST_CASE("10.8.3 a checkpoint waits for an expiry before its tag") {
  lab net;
  auto x = net.add(armed(20));
  net.assemble();
  net.take_checkpoints(30);
  net.start_all();
  net.run_until(19);
  CHECK(net.saved == 0);
  net.run_until(20);
  // The only node has left by itself, which is its part.
  REQUIRE(net.parts_of(x).size() == 1);
  CHECK(net.parts_of(x)[0].kept.left);
  CHECK(net.parts_of(x)[0].watchdogs.empty());
}

namespace {

/// Returns a node that starts and stops its watchdogs at random, as a function
/// of its tags and values, and sends values, until `limit`.
script random_watcher(std::uint64_t seed, random_source& numbers,
                      std::int64_t limit) {
  script x;
  x.realtime = numbers.chance(50);
  x.external = numbers.chance(20);
  x.watchdogs = {numbers.below(12), numbers.below(30)};
  auto act = [=](code& me, bool starts) {
    auto now = me.now();
    random_source choices{
      mix(seed, now.ns, now.microstep, me.present(), me.expired(0))};
    if (now.ns < limit && starts == (now == logical_time{})
        && choices.chance(60))
      me.write(0, choices.below(100));
    for (auto dog : {0u, 1u}) {
      if (choices.chance(40) && now.ns < limit)
        me.start_watchdog(dog, choices.below(9));
      else if (choices.chance(30))
        me.stop_watchdog(dog);
    }
    if (now.ns < limit && choices.chance(20))
      me.wait(ns(1 + choices.below(15)), [](code& self) {
        self.start_watchdog(1);
      });
  };
  x.start = [act](code& me) { act(me, true); };
  x.react = [act](code& me, std::uint32_t) { act(me, false); };
  if (numbers.chance(50))
    x.expire = [](code&, std::uint32_t) {};
  return x;
}

/// Runs a random graph in a random order, with random requests of an end, and
/// checks that it ends.
void run_random_graph(std::uint64_t seed) {
  INFO("seed " << seed);
  random_source numbers{seed};
  lab net;
  auto size = 2 + numbers.below(4);
  std::int64_t limit = 60;
  std::vector<node_id> external;
  for (node_id i = 0; i < size; ++i) {
    auto role = random_watcher(mix(seed, i), numbers, limit);
    if (role.external)
      external.push_back(i);
    net.add(std::move(role));
  }
  network_options options;
  if (numbers.chance(30))
    for (node_id i = 0; i < size; ++i)
      options.processes.push_back(numbers.below(2));
  for (node_id from = 0; from < size; ++from)
    for (node_id to = 0; to < size; ++to)
      if (numbers.chance(35))
        net.connect(wire{
          from, 0, to, 0,
          from < to && numbers.chance(50) ? delay{} : ns(1 + numbers.below(8)),
          false});
  net.assemble(options);
  std::optional<logical_time> stop;
  if (!external.empty() || numbers.chance(50))
    stop = logical_time{numbers.below(120), numbers.below(2)};
  lab_coordinator coordinator{net, stop};
  for (node_id i = 0; i < size; ++i)
    net.start(i);
  auto all_left = [&] {
    for (node_id i = 0; i < size; ++i)
      if (!net.left(i))
        return false;
    return true;
  };
  for (auto steps = 0; !all_left(); ++steps) {
    REQUIRE(steps < 100'000);
    std::vector<std::function<void()>> moves;
    for (node_id i = 0; i < size; ++i) {
      if (net.scheduled(i))
        moves.push_back([&net, i] { net.activate(i); });
      for (node_id j = 0; j < size; ++j)
        if (net.in_transit(i, j))
          moves.push_back([&net, i, j] { net.deliver(i, j); });
    }
    if (moves.empty() || numbers.chance(10)) {
      // Time passes: to the next wake if nothing else can happen.
      auto next = net.next_wake();
      REQUIRE((!moves.empty() || next != engine::node::no_wake));
      auto step = net.clock() + 1 + numbers.below(5);
      net.set_clock(moves.empty() ? std::max(next, step) : step);
      if (!external.empty() && numbers.chance(30))
        net.call(numbers.pick(external), 0);
    } else {
      moves[numbers.below(moves.size())]();
    }
    coordinator.serve();
  }
  for (auto& [id, error] : net.failures)
    FAIL("node " << id << ": " << error.text);
}

} // namespace

TEST_CASE("10.8.3 random graphs with watchdogs end, and no message is late") {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed)
    run_random_graph(seed);
}

TEST_CASE("a node without watchdogs takes no more memory") {
  engine::upstreams x;
  CHECK_FALSE(x.watches());
  lab net;
  auto plain = net.add(sink());
  net.assemble();
  CHECK(net.at(plain).watchdogs() == nullptr);
  CHECK(net.at(plain).events().stamped() == nullptr);
}

} // namespace watchdog_rules_test
