// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Logical time and physical time. No test depends on the machine's speed: late
// tags are permitted, early tags are not.

#include "support.hpp"

namespace realtime_test {

using rosia::after;
using rosia::microsteps;
using rosia::task;

namespace {

// Checks at each of its tags that it does not run early.
struct watcher : rosia::node {
  watcher(std::chrono::nanoseconds x, int most) : period(x), limit(most) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};

  task start() {
    for (int i = 0; i < limit; ++i) {
      if (i > 0)
        co_await after(period);
      look();
      out(i);
    }
  }

  void look() {
    ++looks;
    if (elapsed().count() < now().ns)
      ++early;
  }

  std::chrono::nanoseconds period;
  int limit;
  int looks = 0;
  int early = 0;
};

struct downstream : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          got.emplace_back(now(), *in);
                          if (elapsed().count() < now().ns)
                            ++early;
                        }};
  record<int> got;
  int early = 0;
};

struct collector : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::input_port<int> more{this, "more"};
  rosia::reaction on_any{this, "on_any", {in, more}, [] {}};
};

} // namespace

TEST_CASE("in real-time mode a tag runs no earlier than its physical time",
          "[realtime]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, real_time()};
  auto from = app.create<watcher>("from", 2ms, 20);
  auto to = app.create<downstream>("to");
  auto delayed = app.create<downstream>("delayed");
  app.connect(from, &watcher::out, to, &downstream::in);
  app.connect(from, &watcher::out, delayed, &downstream::in, 5ms);
  auto begin = std::chrono::steady_clock::now();
  CHECK(app.run() == 0);
  auto took = std::chrono::steady_clock::now() - begin;
  CHECK(took >= 43ms);
  CHECK(from->looks == 20);
  CHECK(from->early == 0);
  REQUIRE(to->got.size() == 20);
  REQUIRE(delayed->got.size() == 20);
  for (int i = 0; i < 20; ++i) {
    CHECK(to->got[static_cast<std::size_t>(i)] == sent<int>{2ms * i, i});
    CHECK(
      delayed->got[static_cast<std::size_t>(i)] == sent<int>{2ms * i + 5ms, i});
  }
  CHECK(to->early == 0);
  CHECK(delayed->early == 0);
}

TEST_CASE("real-time mode is the default of an application", "[realtime]") {
  CHECK(rosia::options{}.realtime);
  test_system sys;
  rosia::application app{sys};
  CHECK(app.opts().realtime);
}

TEST_CASE("3.19 without real-time mode, no node waits", "[realtime]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto from = app.create<watcher>("from", 24h, 1000);
  auto to = app.create<downstream>("to");
  app.connect(from, &watcher::out, to, &downstream::in);
  CHECK(app.run() == 0);
  CHECK(to->got.size() == 1000);
}

TEST_CASE("a node may differ from its application", "[realtime]") {
  test_system sys;
  SECTION("and wait alone") {
    rosia::application app{sys, fast()};
    auto free = app.create<watcher>("free", 1h, 10);
    auto bound = app.create<watcher>("bound", 1ms, 10);
    bound->realtime(true);
    CHECK(app.run() == 0);
    CHECK(free->early == 9);
    CHECK(bound->early == 0);
  }
  SECTION("and run ahead alone") {
    rosia::application app{sys, real_time()};
    auto free = app.create<watcher>("free", 1h, 10);
    auto bound = app.create<watcher>("bound", 1ms, 10);
    free->realtime(false);
    CHECK(app.run() == 0);
    CHECK(free->early == 9);
    CHECK(bound->early == 0);
  }
  SECTION("and hold up its receivers") {
    rosia::application app{sys, fast()};
    auto from = app.create<watcher>("from", 1ms, 10);
    from->realtime(true);
    auto to = app.create<downstream>("to");
    app.connect(from, &watcher::out, to, &downstream::in);
    CHECK(app.run() == 0);
    CHECK(to->early == 0);
  }
}

TEST_CASE("waiting is interrupted by earlier work", "[realtime]") {
  struct sleeper : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::physical_action<int> call{this, "call"};
    rosia::reaction on_any{
      this, "on_any", {call, in}, [this] {
        called = called || call.is_present();
        received = received || in.is_present();
        if (called && received)
          request_shutdown();
      }};
    task start() {
      started = true;
      co_await after(1h);
      woken = true;
    }
    std::atomic<bool> started = false;
    bool called = false;
    bool received = false;
    bool woken = false;
  };
  test_system sys{GENERATE(1u, 2u)};
  rosia::application app{sys, real_time()};
  auto node = app.create<sleeper>("node");
  auto feeder = app.create<source<int>>(
    "feeder", std::vector<source<int>::item>{{20ms, 1}});
  app.connect(feeder, &source<int>::out, node, &sleeper::in);
  auto& call = node->call;
  auto& started = node->started;
  std::thread caller{[&] {
    eventually([&] { return started.load(); });
    call.schedule(1);
  }};
  CHECK(app.run() == 0);
  caller.join();
  CHECK(node->called);
  CHECK(node->received);
  CHECK_FALSE(node->woken);
}

TEST_CASE("after an end was requested, nodes past the requested tag do not "
          "wait for physical time",
          "[realtime]") {
  // One node runs far ahead of physical time, so the final tag is hours away.
  // The other node must reach it as well.
  struct runner : rosia::node {
    task start() {
      for (;;) {
        last = now();
        co_await after(1min);
      }
    }
    logical_time last;
  };
  struct stopper : rosia::node {
    task start() {
      co_await after(10ms);
      request_shutdown();
    }
  };
  test_system sys;
  rosia::application app{sys, real_time()};
  auto ahead = app.create<runner>("ahead");
  ahead->realtime(false);
  auto behind = app.create<runner>("behind");
  app.create<stopper>("stopper");
  CHECK(app.run() == 0);
  CHECK(ahead->last > at(1h));
  CHECK(behind->last == ahead->last);
}

TEST_CASE("1.6 elapsed() is physical time since the common start",
          "[realtime]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  std::vector<std::chrono::nanoseconds> times;
  auto begin = std::chrono::steady_clock::now();
  struct reader : rosia::node {
    task start() {
      times.push_back(elapsed());
      co_await after(5ms);
      times.push_back(elapsed());
    }
    std::vector<std::chrono::nanoseconds> times;
  };
  auto node = app.create<reader>("node");
  CHECK(node->elapsed() == 0ns);
  CHECK(app.run() == 0);
  auto took = std::chrono::steady_clock::now() - begin;
  CHECK(node->times[0] >= 0ns);
  CHECK(node->times[1] >= 5ms);
  CHECK(node->times[1] >= node->times[0]);
  CHECK(node->times[1] <= took);
}

TEST_CASE("lag_warn logs a node that is ahead of physical time", "[realtime]") {
  error_capture capture;
  {
    test_system sys;
    auto opts = with_log(fast(), "warning");
    opts.lag_warn = 10min;
    rosia::application app{sys, opts};
    app.create<watcher>("runner", 1h, 5);
    app.create<watcher>("walker", 1ns, 5);
    CHECK(app.run() == 0);
  }
  auto log = capture.text();
  CHECK_THAT(
    log,
    ContainsSubstring("warning  runner: tag 3600s runs ")
      && ContainsSubstring("ahead of physical time, more than lag_warn (600s) "
                           "allows"));
  CHECK_THAT(log, !ContainsSubstring("walker"));
  // At most once per second.
  CHECK(count_of(log, "runner") == 1);
}

TEST_CASE("lag_warn logs a node that is behind physical time", "[realtime]") {
  struct slow : rosia::node {
    task start() {
      auto end = elapsed() + 5ms;
      eventually([&] { return elapsed() > end; });
      co_await after(1us);
    }
  };
  error_capture capture;
  {
    test_system sys;
    auto opts = with_log(real_time(), "warning");
    opts.lag_warn = 1ms;
    rosia::application app{sys, opts};
    app.create<slow>("slow");
    CHECK(app.run() == 0);
  }
  CHECK_THAT(
    capture.text(),
    ContainsSubstring("warning  slow: tag 1us runs ")
      && ContainsSubstring("behind physical time, more than lag_warn "
                           "(1ms) allows"));
}

TEST_CASE("lag_warn of a node applies to this node", "[realtime]") {
  struct slow : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{this, "on_in", {in}, [this] {
                            auto end = elapsed() + 5ms;
                            eventually([&] { return elapsed() > end; });
                          }};
  };
  error_capture capture;
  {
    test_system sys;
    rosia::application app{sys, with_log(real_time(), "warning")};
    app.create<watcher>("source", 1us, 2);
    auto limited = app.create<slow>("limited");
    app.create<slow>("free");
    app.connect("source.out", "limited.in");
    app.connect("source.out", "free.in");
    limited->lag_warn(1ms);
    CHECK_THROWS_WITH(limited->lag_warn(-1ms),
                      "lag_warn(-1ms) of a node: a lag is not negative");
    CHECK(app.run() == 0);
  }
  auto log = capture.text();
  CHECK_THAT(
    log, ContainsSubstring("warning  limited: tag 0s ")
           && ContainsSubstring("behind physical time, more than lag_warn "
                                "(1ms) allows"));
  CHECK(count_of(log, "warning") == 1);
}

TEST_CASE("without lag_warn, a lag of more than a second is reported once",
          "[realtime]") {
  struct slow : rosia::node {
    explicit slow(error_capture& x) : log(x) {
      // nop
    }
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{
      this, "on_in", {in}, [this] {
        CHECK(log.sees("node 'slow' is behind physical time by"));
      }};
    error_capture& log;
  };
  error_capture capture;
  {
    test_system sys;
    rosia::application app{sys, with_log(real_time(), "warning")};
    app.create<watcher>("source", 1us, 3);
    app.create<slow>("slow", capture);
    app.connect("source.out", "slow.in");
    CHECK(app.run() == 0);
  }
  auto log = capture.text();
  CHECK_THAT(
    log, ContainsSubstring("and busy: reaction 'on_in' at tag 0s is "
                           "still running after ")
           && ContainsSubstring("lag_warn=1h, as an option or for "
                                "this node, silences it"));
  CHECK(count_of(log, "warning") == 1);
}

TEST_CASE("lag_warn of a node silences the warnings of this node",
          "[realtime]") {
  struct slow : rosia::node {
    explicit slow(error_capture& x) : log(x) {
      // nop
    }
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{
      this, "on_in", {in}, [this] {
        CHECK(log.sees("node 'loud' is behind physical time by", 2));
      }};
    error_capture& log;
  };
  error_capture capture;
  {
    test_system sys{3};
    auto opts = with_log(real_time(), "warning");
    opts.lag_warn = 10ms;
    rosia::application app{sys, opts};
    app.create<watcher>("source", 1us, 1);
    app.create<slow>("loud", capture);
    auto silent = app.create<slow>("silent", capture);
    silent->lag_warn(1h);
    app.connect("source.out", "loud.in");
    app.connect("source.out", "silent.in");
    CHECK(app.run() == 0);
  }
  CHECK_THAT(capture.text(), !ContainsSubstring("node 'silent' is"));
}

TEST_CASE("lag_warn names a node whose code does not return", "[realtime]") {
  struct stuck : rosia::node {
    explicit stuck(error_capture& x) : log(x) {
      // nop
    }
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{
      this, "on_in", {in}, [this] {
        // Repeatedly.
        CHECK(log.sees("node 'stuck' is behind physical time by", 2));
      }};
    error_capture& log;
  };
  error_capture capture;
  {
    test_system sys;
    auto opts = with_log(fast(), "warning");
    opts.lag_warn = 10ms;
    rosia::application app{sys, opts};
    app.create<watcher>("source", 1us, 5);
    app.create<stuck>("stuck", capture);
    app.create<downstream>("idle");
    app.connect("source.out", "stuck.in");
    app.connect("source.out", "idle.in");
    CHECK(app.run() == 0);
  }
  auto log = capture.text();
  CHECK_THAT(
    log,
    ContainsSubstring("warning  rosia: node 'stuck' is behind physical ")
      && ContainsSubstring(
        ", more than lag_warn (10ms) allows: "
        "reaction 'on_in' at tag 0s is still running "
        "after "));
  CHECK_THAT(log, !ContainsSubstring("node 'idle' is"));
}

TEST_CASE("lag_warn names a node that other nodes hold back", "[realtime]") {
  struct spinner : rosia::node {
    rosia::output_port<int> out{this, "out"};
    // Each step returns at once, but logical time does not advance.
    task start() {
      while (!done)
        co_await after(rosia::microsteps(1));
    }
    std::atomic<bool> done = false;
  };
  error_capture capture;
  {
    test_system sys;
    auto opts = with_log(fast(), "warning");
    opts.lag_warn = 10ms;
    opts.groups = "off";
    rosia::application app{sys, opts};
    auto spin = app.create<spinner>("spinner");
    app.create<watcher>("source", 1us, 2);
    app.create<collector>("held");
    app.create<collector>("also");
    app.connect("source.out", "held.in");
    app.connect("source.out", "also.in");
    app.connect("spinner.out", "held.more", rosia::after(1ns));
    app.connect("spinner.out", "also.more", rosia::after(1ns));
    std::thread reader{[&] {
      // Repeatedly.
      CHECK(capture.sees("' is behind physical time by", 2));
      spin->done = true;
    }};
    CHECK(app.run() == 0);
    reader.join();
  }
  auto log = capture.text();
  CHECK_THAT(
    log, ContainsSubstring("warning  rosia: node 'held' is behind ")
           || ContainsSubstring("warning  rosia: node 'also' is behind "));
  CHECK_THAT(log, ContainsSubstring(
                    "waits at 'more' for 'spinner.out', which may still send a "
                    "value of tag 1ns"));
}

TEST_CASE("lag_warn names a node that gets no worker", "[realtime]") {
  error_capture capture;
  {
    test_system sys{1};
    auto opts = with_log(fast(), "warning");
    opts.lag_warn = 10ms;
    rosia::application app{sys, opts};
    auto bell = app.create<doorbell>("bell");
    std::thread other{[&] {
      eventually([&] { return bell->started.load(); });
      std::atomic<bool> busy = false;
      // CAF's overload for a function without arguments has undefined behavior.
      auto keep_worker = [&](caf::event_based_actor*, int) {
        busy = true;
        bell->ring.schedule(-1);
        CHECK(capture.sees("node 'bell' has been waiting for a worker for"));
      };
      sys.get().spawn(keep_worker, 0);
      eventually([&] { return busy.load(); });
    }};
    CHECK(app.run() == 0);
    other.join();
  }
}

TEST_CASE("without lag_warn nothing is logged", "[realtime]") {
  error_capture capture;
  {
    test_system sys;
    rosia::application app{sys, with_log(fast(), "trace")};
    app.create<watcher>("runner", 1h, 5);
    CHECK(app.run() == 0);
  }
  CHECK(capture.text().empty());
}

} // namespace realtime_test
