// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Watchdogs: section 10.8 of the semantics, seen through the harness.

#include "caf/rosia/watchdog.hpp"

#include "support.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace watchdog_test {

using Catch::Matchers::ContainsSubstring;
using rosia::graph_error;
using rosia::test::harness;

namespace {

/// Halts if no frame arrives for 50 ms.
struct guard : rosia::node {
  rosia::input_port<int> frame{this, "frame"};
  rosia::output_port<std::string> halt{this, "halt"};
  rosia::watchdog dog{
    this, "dog", 50ms, [this] { log().error("no frame for 50 ms"); }};
  rosia::reaction on_frame{this, "on_frame", {frame}, [this] { dog.start(); }};
  rosia::reaction on_dog{
    this, "on_dog", {dog}, rosia::reads(), rosia::writes(halt), [this] {
      halt(dog.is_present() ? "halt" : "nothing");
    }};
};

/// Uses its watchdog in code of every kind.
struct thorough : rosia::node {
  rosia::watchdog dog{this, "dog", 10ms};
  rosia::tick late{this, "late", rosia::once, 60ms};
  rosia::output_port<logical_time> out{this, "out"};

  void start() {
    dog.start(100ms);
  }

  rosia::startup at_start{this, "at_start", [this] { dog.start(); }};

  rosia::reaction on_dog{
    this, "on_dog", {dog}, [this]() -> rosia::task {
      out(now());
      if (now() < at(50ms)) {
        dog.start(5ms);
        co_await rosia::after(15ms - 1ns);
        dog.start();
      }
    }};

  rosia::reaction on_late{this, "on_late", {late}, [this] { dog.stop(); }};
};

/// Expires at once, again and again.
struct eager : rosia::node {
  rosia::watchdog dog{this, "dog", 0ms};
  rosia::output_port<logical_time> out{this, "out"};
  int left = 3;

  void start() {
    dog.start();
  }

  rosia::reaction on_dog{
    this, "on_dog", {dog}, [this] {
      out(now());
      if (--left > 0)
        dog.start();
    }};
};

/// Its handlers run in the order of the expiries.
struct several : rosia::node {
  rosia::watchdog a{this, "a", 10ms, [this] { log().info("a"); }};
  rosia::watchdog b{this, "b", 10ms, [this] { log().info("b"); }};
  rosia::watchdog c{this, "c", 5ms, [this] { log().info("c"); }};
  rosia::output_port<std::string> out{this, "out"};

  void start() {
    b.start();
    a.start();
    c.start();
  }

  rosia::reaction on_any{
    this, "on_any", {a, b, c}, [this] {
      out(std::string{a.is_present() ? "a" : ""} + (b.is_present() ? "b" : "")
          + (c.is_present() ? "c" : ""));
    }};
};

/// Runs a handler that a test chooses.
struct handled : rosia::node {
  explicit handled(std::function<void(handled&)> fun)
    : dog{this, "dog", 10ms, [this, fun = std::move(fun)] { fun(*this); }} {
    // nop
  }

  rosia::output_port<int> out{this, "out"};
  rosia::action<int> later{this, "later"};
  rosia::watchdog dog;

  void start() {
    dog.start();
  }

  rosia::reaction on_dog{this, "on_dog", {dog}, [this] { out(1); }};
};

/// Stops and starts watchdogs where it may not.
struct misused : rosia::node {
  rosia::watchdog dog{this, "dog", 10ms};

  void start() {
    dog.start();
  }

  void shutdown() {
    dog.start();
  }
};

struct negative : rosia::node {
  rosia::watchdog dog{this, "dog", -5ms};
};

struct negative_extra : rosia::node {
  rosia::watchdog dog{this, "dog", 5ms};

  void start() {
    dog.start(-1ms);
  }
};

struct patient : rosia::node {
  rosia::watchdog dog{this, "dog", std::chrono::years{1000}};
  rosia::tick step{this, "step", rosia::once, 10ms};

  void start() {
    dog.start(std::chrono::years{1000});
  }

  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      if (stops)
        dog.stop();
    }};

  bool stops = false;
};

struct same_name : rosia::node {
  rosia::action<int> x{this, "dog"};
  rosia::watchdog y{this, "dog", 10ms};
};

struct late_watchdog : rosia::node {
  rosia::reaction on_dog{this, "on_dog", {dog}, [] {}};
  rosia::watchdog dog{this, "dog", 10ms};
};

} // namespace

TEST_CASE("10.8.1 a watchdog expires if it is not started again in time",
          "[watchdog]") {
  harness<guard> h;
  CHECK_FALSE(h.expiry(&guard::dog));
  for (auto t : {10ms, 40ms, 89ms})
    h.set(&guard::frame, t, 1);
  h.run_until(89ms);
  CHECK(h.expiry(&guard::dog) == 139ms);
  CHECK(h.values(&guard::halt).empty());
  h.run_until(138ms);
  CHECK(h.log().empty());
  h.run_until(139ms);
  CHECK(h.outputs(&guard::halt) == record<std::string>{{139ms, "halt"}});
  CHECK(h.log() == std::vector<std::string>{"error: no frame for 50 ms"});
  CHECK_FALSE(h.expiry(&guard::dog));
  h.set(&guard::frame, 150ms, 1);
  h.run();
  CHECK(h.outputs(&guard::halt)
        == record<std::string>{{139ms, "halt"}, {200ms, "halt"}});
  CHECK(h.ended());
}

TEST_CASE(
  "10.8.1 start(), startups, reactions and resumptions start and stop a "
  "watchdog",
  "[watchdog]") {
  harness<thorough> h;
  h.run();
  CHECK(h.values(&thorough::out)
        == std::vector<logical_time>{at(10ms), at(35ms - 1ns), at(60ms - 2ns)});
  CHECK_FALSE(h.error());
  CHECK(h.ended());
  CHECK(h.elapsed() == 60ms);
}

TEST_CASE("10.8.1 a watchdog without a timeout expires at the next microstep",
          "[watchdog]") {
  harness<eager> h;
  h.run();
  CHECK(
    h.values(&eager::out) == std::vector<logical_time>{{0, 1}, {0, 2}, {0, 3}});
  CHECK(h.ended());
}

TEST_CASE("10.8.1 a timeout is not negative, and an expiry that does not fit "
          "never comes",
          "[watchdog]") {
  CHECK(error_of<graph_error>([] { harness<negative> h; })
        == "the timeout of watchdog 'dog' is -5ms; it must not be negative");
  harness<negative_extra> extra;
  extra.run();
  REQUIRE(extra.error());
  CHECK(extra.error()->text
        == "watchdog 'dog' was started with an extra time of -1ms; it is 0 or "
           "more");
  harness<patient> h;
  h.run_until(1h);
  CHECK(h.expiry(&patient::dog) == std::chrono::nanoseconds::max());
  CHECK_FALSE(h.ended());
  h.run(); // ends it as if by a signal
  CHECK(h.ended());
  harness<patient> stopped;
  stopped->stops = true;
  stopped.run();
  CHECK(stopped.elapsed() == 10ms);
}

TEST_CASE("10.8.1 other code does not start or stop a watchdog", "[watchdog]") {
  std::string text
    = " outside of the node's reactions; its node starts and stops it, in "
      "reactions or start()";
  harness<misused> h;
  auto start = [&] { h->dog.start(); };
  auto stop = [&] { h->dog.stop(); };
  CHECK(
    error_of<std::logic_error>(start) == "watchdog 'dog' was started" + text);
  CHECK(
    error_of<std::logic_error>(stop) == "watchdog 'dog' was stopped" + text);
  h.run_until(5ms);
  CHECK(
    error_of<std::logic_error>(start) == "watchdog 'dog' was started" + text);
  h.run();
  REQUIRE(h.shutdown_error());
  CHECK(h.shutdown_error()->text
        == "watchdog 'dog' was started in shutdown(), when the node is ending "
           "already");
  CHECK_THROWS_WITH(start(), ContainsSubstring("outside of"));
  // Not even while the node's code runs.
  std::string problem;
  harness<handled> other{[](handled&) {}};
  struct caller : rosia::node {
    explicit caller(std::function<void()> x) : fun(std::move(x)) {
      // nop
    }
    void start() {
      std::thread{fun}.join();
    }
    std::function<void()> fun;
    rosia::watchdog dog{this, "dog", 10ms};
  };
  caller* self = nullptr;
  harness<caller> threads{[&] {
    problem = error_of<std::logic_error>([&] { self->dog.start(); });
  }};
  self = &*threads;
  threads.run();
  CHECK(problem == "watchdog 'dog' was started" + text);
  CHECK_FALSE(threads.error());
}

TEST_CASE("10.8.2 of several watchdogs, each triggers at a tag of its own",
          "[watchdog]") {
  harness<several> h;
  h.run();
  CHECK(h.outputs(&several::out)
        == record<std::string>{
          {5ms, "c"}, {10ms, "a"}, {logical_time{10'000'000, 1}, "b"}});
  CHECK(h.log() == std::vector<std::string>{"info: c", "info: a", "info: b"});
}

TEST_CASE("10.8.2 the handler runs between two tags, before its reaction",
          "[watchdog]") {
  logical_time tag = rosia::never;
  std::chrono::nanoseconds elapsed{};
  harness<handled> h{[&](handled& x) {
    tag = x.now();
    elapsed = x.elapsed();
  }};
  h.run();
  CHECK(tag == logical_time{});
  CHECK(elapsed == 10ms);
  CHECK(h.values(&handled::out) == std::vector{1});
}

TEST_CASE(
  "10.8.2 a handler that throws ends the node, at the tag of the expiry",
  "[watchdog]") {
  harness<handled> h{[](handled&) { throw std::runtime_error("no light"); }};
  h.run();
  REQUIRE(h.error());
  CHECK(h.error()->reaction == "handler of dog");
  CHECK(h.error()->tag == at(10ms));
  CHECK(h.error()->text == "no light");
  CHECK(h.values(&handled::out).empty());
}

TEST_CASE(
  "10.8.2 a handler may neither write nor schedule nor request nor start",
  "[watchdog]") {
  std::string outside
    = " outside of the node's reactions, in the handler of a watchdog";
  auto text = [](std::function<void(handled&)> fun) {
    harness<handled> h{std::move(fun)};
    h.run();
    return h.error() ? h.error()->text : "no error";
  };
  CHECK(text([](handled& x) { x.out(2); })
        == "output 'out' was written" + outside
             + "; schedule a physical action instead");
  CHECK(text([](handled& x) { x.later.schedule(1ms, 2); })
        == "action 'later' was scheduled" + outside
             + "; schedule a physical action instead");
  CHECK(text([](handled& x) { x.request_shutdown(); })
        == "request_shutdown()" + outside);
  CHECK(text([](handled& x) { x.dog.start(); })
        == "watchdog 'dog' was started" + outside
             + "; its node starts and stops it, in reactions or start()");
  CHECK(text([](handled& x) { static_cast<void>(x.deadline_missed()); })
        == "deadline_missed()" + outside);
  CHECK(text([](handled&) { rosia::end_reaction(); }) == "no error");
}

TEST_CASE("a watchdog is a trigger of its node, declared before its "
          "reactions",
          "[watchdog]") {
  CHECK_THAT(error_of<graph_error>([] { harness<same_name> h; }),
             ContainsSubstring("a node has action 'dog' twice"));
  CHECK_THAT(error_of<graph_error>([] { harness<late_watchdog> h; }),
             ContainsSubstring("declare action 'dog' before reaction"));
}

} // namespace watchdog_test
