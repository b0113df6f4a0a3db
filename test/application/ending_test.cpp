// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The ways in which an application ends: by itself, by request, at a given tag,
// aborted.

#include "support.hpp"

#include "application/application_access.hpp"
#include "distinct_signals.hpp"

#include <csignal>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ending_test {

using rosia::after;
using rosia::microsteps;
using rosia::task;

namespace {

// Requests an end when it receives a value.
struct stopper : rosia::node {
  stopper(rosia::delay later, int code) : wait(later), status(code) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { request_shutdown(wait, status); }};

  rosia::delay wait;
  int status;
};

// Stores the tags at which it ran.
struct ticker : rosia::node {
  explicit ticker(std::chrono::nanoseconds x) : period(x) {
    // nop
  }

  task start() {
    for (;;) {
      last = now();
      co_await after(period);
    }
  }

  void shutdown() {
    ++shutdowns;
    at_shutdown = now();
  }

  std::chrono::nanoseconds period;
  logical_time last;
  logical_time at_shutdown = rosia::never;
  int shutdowns = 0;
};

// Runs `fun` in another thread after the node's start().
class outsider {
public:
  template <class Fun>
  outsider(std::atomic<bool>& started, Fun fun)
    : thread_([&started, fun = std::move(fun)] {
        eventually([&] { return started.load(); });
        fun();
      }) {
    // nop
  }

  ~outsider() {
    thread_.join();
  }

private:
  std::thread thread_;
};

} // namespace

// -- by itself ----------------------------------------------------------------

TEST_CASE("an application without nodes ends at once", "[ending]") {
  test_system sys{GENERATE(1u, 2u)};
  for (int i = 0; i < 3; ++i) {
    auto opts = fast();
    if (i == 1)
      opts.stop_after = at(1s);
    rosia::application app{sys, opts};
    CHECK(app.run() == 0);
  }
}

TEST_CASE("final_tag() is forever until an end is agreed on, and the final tag "
          "in shutdown()",
          "[ending]") {
  struct watcher : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{
      this, "on_in", {in}, [this] { seen.push_back(final_tag()); }};
    void shutdown() {
      at_shutdown = final_tag();
      last = now();
    }
    std::vector<logical_time> seen;
    logical_time at_shutdown, last;
  };
  test_system sys{GENERATE(1u, 2u)};
  auto opts = fast();
  SECTION("an end by itself does not change it") {
    rosia::application app{sys, opts};
    auto from = app.create<source<int>>("from", one_seven);
    auto to = app.create<watcher>("to");
    app.connect(from, &source<int>::out, to, &watcher::in);
    CHECK(app.run() == 0);
    CHECK(to->seen == std::vector{rosia::forever});
    CHECK(to->at_shutdown == rosia::forever);
    CHECK(app.status().final == rosia::forever);
  }
  SECTION("with stop_after it is known from the start") {
    opts.stop_after = at(3s);
    rosia::application app{sys, opts};
    auto from = app.create<source<int>>("from", one_seven);
    auto clock = app.create<ticker>("clock", 2s);
    auto to = app.create<watcher>("to");
    app.connect(from, &source<int>::out, to, &watcher::in);
    CHECK(app.run() == 0);
    CHECK(to->seen == std::vector{at(3s)});
    CHECK(app.status().final == at(3s));
    CHECK(clock->final_tag() == at(3s));
    CHECK(clock->at_shutdown == at(2s));
  }
  SECTION("by request, it is exactly the requested tag of the only source") {
    rosia::application app{sys, opts};
    struct asker : rosia::node {
      rosia::output_port<int> out{this, "out"};
      task start() {
        for (auto i = 0;; ++i) {
          out(i);
          if (i == 3)
            request_shutdown(50ms, 7);
          co_await after(100ms);
        }
      }
    };
    auto from = app.create<asker>("from");
    auto to = app.create<watcher>("to");
    app.connect(from, &asker::out, to, &watcher::in);
    CHECK(app.run() == 7);
    CHECK(to->seen.size() == 4);
    CHECK(to->at_shutdown == at(350ms));
    CHECK(to->last == at(300ms));
    CHECK(app.status().final == at(350ms));
  }
}

TEST_CASE("a status out of the range of exit statuses is refused", "[ending]") {
  error_capture capture;
  test_system sys;
  auto bad = GENERATE(256, -1, 1000);
  rosia::application app{sys, with_log(fast())};
  app.create<script>("x", [bad](script& self) {
    self.request_shutdown(1s, bad);
  });
  CHECK_THROWS_AS(app.abort(bad), std::invalid_argument);
  CHECK(app.run() == 1);
  CHECK_THAT(
    capture.text(),
    ContainsSubstring(
      "x: error in 'start' at tag 0s: request_shutdown() with "
      "the status "
      + std::to_string(bad) + ": a process ends with a status from 0 to 255"));
}

TEST_CASE("a node with nothing to do ends at once", "[ending]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  auto node = app.create<relay<int>>("node");
  CHECK(app.run() == 0);
  CHECK(node->shutdowns == 1);
}

TEST_CASE("a source ends when its start() returned and its queue is empty, "
          "and then all nodes that depend only on it",
          "[ending]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto from = app.create<source<int>>(
    "from", std::vector<source<int>::item>{{{}, 1}, {1h, 2}, {1h, 3}});
  auto middle = app.create<relay<int>>("middle");
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &source<int>::out, middle, &relay<int>::in, 1h);
  app.connect(middle, &relay<int>::out, to, &recorder<int>::in);
  CHECK(app.run() == 0);
  CHECK(to->got == record<int>{{1h, 1}, {2h, 2}, {3h, 3}});
  CHECK(from->shutdowns == 1);
  CHECK(middle->shutdowns == 1);
  CHECK(to->shutdowns == 1);
}

TEST_CASE("a loop ends by itself when it holds no more values", "[ending]") {
  struct counter : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction on_in{this, "on_in", {in}, [this]() -> task {
                            last = *in;
                            if (last < 1'000) {
                              co_await after(1s);
                              out(last + 1);
                            }
                          }};
    void start() {
      out(0);
    }
    int last = 0;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto a = app.create<counter>("a");
  auto b = app.create<relay<int>>("b");
  auto c = app.create<relay<int>>("c");
  app.connect(a, &counter::out, b, &relay<int>::in);
  app.connect(b, &relay<int>::out, c, &relay<int>::in);
  app.connect(c, &relay<int>::out, a, &counter::in, microsteps(1));
  CHECK(app.run() == 0);
  CHECK(a->last == 1'000);
  CHECK(b->shutdowns == 1);
}

// -- by request ---------------------------------------------------------------

TEST_CASE("a request at tag + d ends all nodes there: everything up to and "
          "including the final tag is executed, and nothing after it",
          "[ending]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto clock = app.create<rosia::timer>("clock", 10ms);
  auto stop = app.create<stopper>("stop", after(50ms), 0);
  auto once = app.create<source<int>>(
    "once", std::vector<source<int>::item>{{100ms, 1}});
  auto to = app.create<recorder<logical_time>>("to");
  app.connect(once, &source<int>::out, stop, &stopper::in);
  app.connect(clock, &rosia::timer::output, to, &recorder<logical_time>::in);
  CHECK(app.run() == 0);
  REQUIRE(!to->got.empty());
  // At 100 ms the recorder may be at any tag, but when it is asked, it stops.
  CHECK(to->got.back().tag >= at(150ms));
  for (std::size_t i = 0; i < to->got.size(); ++i)
    REQUIRE(to->got[i].tag == at(10ms * i));
  CHECK(to->shutdowns == 1);
}

TEST_CASE("7.4 all nodes stop at the same final tag, at or after the request",
          "[ending]") {
  for (int i = 0; i < 20; ++i) {
    test_system sys{static_cast<std::size_t>(1 + i % 4)};
    rosia::application app{sys, fast()};
    std::vector<rosia::node_ref<ticker>> nodes;
    for (int k = 0; k < 8; ++k)
      nodes.push_back(app.create<ticker>("n" + std::to_string(k), 1ms));
    auto once = app.create<source<int>>(
      "once", std::vector<source<int>::item>{{5ms, 1}});
    auto stop = app.create<stopper>("stop", after(20ms), 0);
    app.connect(once, &source<int>::out, stop, &stopper::in);
    CHECK(app.run() == 0);
    for (auto& x : nodes) {
      CHECK(x->shutdowns == 1);
      CHECK(x->last >= at(25ms));
      CHECK(x->last == nodes[0]->last);
      CHECK(x->at_shutdown == x->last);
    }
  }
}

TEST_CASE("in real time a request ends at the requested tag, if no node is "
          "ahead",
          "[ending]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  auto clock = app.create<rosia::timer>("clock", 1ms);
  auto once
    = app.create<source<int>>("once", std::vector<source<int>::item>{{5ms, 1}});
  auto stop = app.create<stopper>("stop", after(1min), 0);
  auto now = app.create<stopper>("now", after(10ms), 4);
  auto to = app.create<recorder<logical_time>>("to");
  app.connect(clock, &rosia::timer::output, to, &recorder<logical_time>::in);
  // The later tag is requested first; another round lowers the barrier.
  app.connect(once, &source<int>::out, stop, &stopper::in);
  app.connect(once, &source<int>::out, now, &stopper::in, 1ms);
  CHECK(app.run() == 4);
  // 6 ms + 10 ms, unless the machine was so slow that a node was past it.
  CHECK(to->got.back().tag >= at(16ms));
  CHECK(to->got.back().tag < at(1min));
}

TEST_CASE("a request without a delay is for the current tag", "[ending]") {
  struct quitter : rosia::node {
    rosia::output_port<int> out{this, "out"};
    task start() {
      for (int i = 0;; ++i) {
        out(i);
        if (i == 3)
          request_shutdown();
        co_await after(1h);
      }
    }
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, real_time()};
  auto from = app.create<quitter>("from");
  from->realtime(false);
  auto to = app.create<recorder<int>>("to");
  to->realtime(false);
  app.connect(from, &quitter::out, to, &recorder<int>::in);
  CHECK(app.run() == 0);
  REQUIRE(to->got.size() >= 4);
  CHECK(to->got[3] == sent<int>{3h, 3});
}

TEST_CASE("5.17 run() returns the status when all nodes have reported",
          "[ending]") {
  struct last : rosia::node {
    explicit last(std::function<bool()> x) : wait(std::move(x)) {
      // nop
    }
    void start() {
      request_shutdown(after(1ms), 7);
    }
    void shutdown() {
      waited = wait();
      finished = true;
    }
    std::function<bool()> wait;
    bool waited = false;
    std::atomic<bool> finished = false;
  };
  test_system sys{2};
  rosia::application app{sys, fast()};
  app.create<script>("first", [](auto&) {});
  auto node = app.create<last>("last", [&] {
    return eventually([&] { return app.status().nodes[0].has_left; });
  });
  CHECK(app.run() == 7);
  CHECK(node->finished);
  CHECK(node->waited);
}

TEST_CASE("the status of a request is the application's", "[ending]") {
  test_system sys;
  auto status = GENERATE(0, 1, 3, 42, 128, 255);
  rosia::application app{sys, fast()};
  app.create<script>("a", [&](script& self) {
    self.request_shutdown(after(1ms), status);
  });
  CHECK(app.run() == status);
}

TEST_CASE("the first status other than 0 wins", "[ending]") {
  struct requester : rosia::node {
    task start() {
      request_shutdown(after(1h), 0);
      request_shutdown(after(1h), 7);
      co_await after(1ms);
      request_shutdown(after(1h), 8);
      co_await after(1ms);
      request_shutdown(after(1ms), 0);
      co_await after(1ms);
      request_shutdown(after(0s), 9);
    }
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  app.create<requester>("a");
  app.create<ticker>("b", 1h);
  CHECK(app.run() == 7);
}

TEST_CASE("a request of a node that ends by itself before takes effect",
          "[ending]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  app.create<script>("a", [](script& self) {
    self.request_shutdown(after(1h), 6);
  });
  CHECK(app.run() == 6);
}

TEST_CASE("requests from all nodes at once end the application once",
          "[ending]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  struct eager_to_stop : ticker {
    using ticker::ticker;
    task start() {
      for (;;) {
        request_shutdown();
        co_await after(period);
      }
    }
  };
  std::vector<rosia::node_ref<eager_to_stop>> nodes;
  for (int i = 0; i < 50; ++i)
    nodes.push_back(app.create<eager_to_stop>("n" + std::to_string(i), 1ms));
  CHECK(app.run() == 0);
  for (auto& x : nodes)
    CHECK(x->shutdowns == 1);
}

TEST_CASE(
  "a request for a tag at or above the final one has no effect, and is logged",
  "[ending]") {
  error_capture capture;
  {
    test_system sys;
    auto opts = with_log(fast_until(1ms));
    rosia::application app{sys, opts};
    app.create<script>("a", [](script& self) {
      self.request_shutdown(after(1s), 5);
    });
    app.create<ticker>("b", 1ms);
    CHECK(app.run() == 5);
  }
  CHECK_THAT(
    capture.text(),
    ContainsSubstring(
      "info     rosia: a request to end at tag 1s "
      "changes nothing: the application ends at tag "
      "1ms already"));
}

TEST_CASE("a node that ended by itself is not asked", "[ending]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto gone = app.create<source<int>>("gone", one_seven);
  auto clock = app.create<ticker>("clock", 1ms);
  auto once = app.create<source<int>>(
    "once", std::vector<source<int>::item>{{100ms, 1}});
  auto stop = app.create<stopper>("stop", after(1ms), 0);
  app.connect(once, &source<int>::out, stop, &stopper::in);
  CHECK(app.run() == 0);
  CHECK(gone->shutdowns == 1);
  CHECK(clock->last >= at(101ms));
}

TEST_CASE("a request reaches nodes in loops", "[ending]") {
  struct counter : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction on_in{this, "on_in", {in}, [this] {
                            last = *in;
                            if (last == 100)
                              request_shutdown(after(1ms));
                            out(last + 1);
                          }};
    void start() {
      out(0);
    }
    void shutdown() {
      ++shutdowns;
    }
    int last = 0;
    int shutdowns = 0;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto a = app.create<counter>("a");
  auto b = app.create<relay<int>>("b");
  app.connect(a, &counter::out, b, &relay<int>::in, 1us);
  app.connect(b, &relay<int>::out, a, &counter::in);
  CHECK(app.run() == 0);
  // 100 was reached at 101 us.
  CHECK(a->last >= 1'100);
  CHECK(a->shutdowns == 1);
  CHECK(b->shutdowns == 1);
}

// -- stop_after ---------------------------------------------------------------

TEST_CASE("stop_after is the last tag", "[ending]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast_until(30ms)};
  auto clock = app.create<rosia::timer>("clock", 10ms);
  auto to = app.create<recorder<logical_time>>("to");
  auto late = app.create<recorder<logical_time>>("late");
  app.connect(clock, &rosia::timer::output, to, &recorder<logical_time>::in);
  app.connect(clock, &rosia::timer::output, late, &recorder<logical_time>::in,
              microsteps(1));
  CHECK(app.run() == 0);
  CHECK(to->got.size() == 4);
  CHECK(to->got.back().tag == at(30ms));
  // A value that arrives a microstep after the final tag is not delivered.
  CHECK(late->got.size() == 3);
  CHECK(to->shutdowns == 1);
}

TEST_CASE("stop_after with a microstep", "[ending]") {
  test_system sys;
  rosia::application app{sys, fast_until(at(0s, 2))};
  auto from = app.create<source<int>>(
    "from",
    std::vector<source<int>::item>{
      {{}, 0}, {microsteps(1), 1}, {microsteps(1), 2}, {microsteps(1), 3}});
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &source<int>::out, to, &recorder<int>::in);
  CHECK(app.run() == 0);
  CHECK(to->got == record<int>{{0s, 0}, {at(0s, 1), 1}, {at(0s, 2), 2}});
}

TEST_CASE("stop_after at the start still runs start() and the inputs at (0, 0)",
          "[ending]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast_until(0s)};
  auto from = app.create<rosia::timer>("from", 1ns);
  auto to = app.create<recorder<logical_time>>("to");
  app.connect(from, &rosia::timer::output, to, &recorder<logical_time>::in);
  CHECK(app.run() == 0);
  CHECK(to->got == record<logical_time>{{0s, at(0s)}});
}

TEST_CASE("an earlier request takes precedence over stop_after", "[ending]") {
  test_system sys;
  auto opts = real_time();
  opts.stop_after = at(1h);
  rosia::application app{sys, opts};
  app.create<ticker>("a", 1h);
  app.create<script>("b", [](script& self) {
    self.request_shutdown(after(1ms), 2);
  });
  CHECK(app.run() == 2);
}

TEST_CASE(
  "a node with a physical action stays until stop_after passed in physical "
  "time",
  "[ending]") {
  test_system sys;
  auto opts = fast_until(30ms);
  rosia::application app{sys, opts};
  auto bell = app.create<doorbell>("bell");
  auto& ring = bell->ring;
  auto begin = std::chrono::steady_clock::now();
  auto elapsed = [begin] { return std::chrono::steady_clock::now() - begin; };
  auto taken = false;
  auto in_time = false;
  {
    outsider caller{bell->started, [&] {
                      std::this_thread::sleep_for(5ms);
                      taken = ring.schedule(1);
                      in_time = elapsed() < 30ms;
                    }};
    CHECK(app.run() == 0);
  }
  CHECK(elapsed() >= 30ms);
  // On a slow machine the call may be too late. The node stamps the value when
  // it accepts it, so its tag may be beyond the end even if the call was in
  // time.
  if (in_time)
    CHECK(taken);
  CHECK(bell->got.size() <= (taken ? 1u : 0u));
  CHECK_FALSE(ring.schedule(2));
}

// -- aborted ------------------------------------------------------------------

TEST_CASE("6.5 the timeout aborts with status 129", "[ending]") {
  error_capture capture;
  {
    test_system sys{GENERATE(1u, 2u)};
    auto opts = fast();
    opts.timeout = 20ms;
    rosia::application app{sys, opts};
    auto idle = app.create<doorbell>("idle");
    auto busy = app.create<ticker>("busy", 1ns);
    auto waits = app.create<ticker>("waits", 1h);
    waits->realtime(true);
    CHECK(app.run() == 129);
    CHECK(idle->shutdowns == 1);
    CHECK(busy->shutdowns == 1);
    CHECK(waits->shutdowns == 1);
    CHECK(waits->last == at(0s));
  }
  CHECK_THAT(capture.text(),
             ContainsSubstring("error    rosia: the application did not end "
                               "within its timeout (20ms): it is aborted"));
}

TEST_CASE("a timeout of zero aborts at once", "[ending]") {
  error_capture capture;
  test_system sys;
  auto opts = fast();
  opts.timeout = 0s;
  rosia::application app{sys, opts};
  app.create<doorbell>("idle");
  CHECK(app.run() == 129);
}

TEST_CASE("an application that ends in time leaves no timeout behind",
          "[ending]") {
  test_system sys;
  auto opts = fast();
  opts.timeout = 1ms;
  for (int i = 0; i < 3; ++i) {
    rosia::application app{sys, opts};
    CHECK(app.run() == 0);
  }
}

TEST_CASE(
  "5.14 code that does not return within the grace period ends the process, "
  "with the node's name",
  "[ending]") {
  error_capture capture;
  auto status = status_in_child([] {
    test_system sys;
    auto opts = fast();
    opts.timeout = 10ms;
    opts.grace_period = 10ms;
    rosia::application app{sys, opts};
    app.create<script>("stuck", [](script&) {
      for (;;)
        std::this_thread::sleep_for(1h);
    });
    app.create<doorbell>("fine");
    app.run();
    return 7;
  });
  auto log = capture.text();
  CHECK(status == 129);
  CHECK_THAT(
    log, ContainsSubstring(
           "critical rosia: node 'stuck' did not end within "
           "grace_period (10ms): start() at tag 0s is still "
           "running after "));
  CHECK_THAT(log, !ContainsSubstring("fine"));
}

/// Ends by itself, and stays in `shutdown()` until released.
struct lingering : rosia::node {
  explicit lingering(std::function<void()> f) : fun(std::move(f)) {
    // nop
  }

  void start() {
    // nop
  }

  void shutdown() {
    fun();
  }

  std::function<void()> fun;
};

TEST_CASE("a shutdown() that does not return ends the process, even if its "
          "node ended by itself",
          "[ending]") {
  error_capture capture;
  auto status = status_in_child([] {
    test_system sys;
    auto opts = fast();
    opts.grace_period = 10ms;
    rosia::application app{sys, opts};
    app.create<lingering>("stuck", [] {
      for (;;)
        std::this_thread::sleep_for(1h);
    });
    app.create<lingering>("fine", [] {});
    app.run();
    return 7;
  });
  auto log = capture.text();
  CHECK(status == 129);
  CHECK_THAT(log, ContainsSubstring(
                    "error    rosia: shutdown() of node 'stuck' did not return "
                    "within grace_period (10ms): the application is aborted"));
  CHECK_THAT(
    log, ContainsSubstring(
           "critical rosia: node 'stuck' did not end within "
           "grace_period (10ms): shutdown() at tag 0s is still "
           "running after "));
  CHECK_THAT(log, !ContainsSubstring("fine"));
}

TEST_CASE("a shutdown() that returns late aborts the application", "[ending]") {
  error_capture capture;
  test_system sys;
  auto opts = fast();
  opts.grace_period = 2s;
  rosia::application app{sys, opts};
  app.create<lingering>("slow", [&] {
    CHECK(capture.sees("shutdown() of node 'slow' did not return within"));
  });
  CHECK(app.run() == 129);
}

TEST_CASE("a node that does not answer is reported before the abort",
          "[ending]") {
  error_capture capture;
  {
    test_system sys;
    auto opts = with_log(fast(), "warning");
    opts.negotiation_timeout = 2min;
    rosia::application app{sys, opts};
    app.create<script>("slow", [&](script&) {
      // Repeatedly.
      CHECK(capture.sees("node 'slow' did not answer within ", 2));
    });
    app.create<script>("asking", [](script& x) { x.request_shutdown(); });
    app.create<doorbell>("idle");
    CHECK(app.run() == 0);
  }
  auto log = capture.text();
  CHECK_THAT(
    log, ContainsSubstring(
           "s (negotiation_timeout: 120s): start() at tag 0s is still running "
           "after "));
  CHECK_THAT(log, !ContainsSubstring("node 'idle'"));
}

TEST_CASE(
  "a node that does not reach the final tag is reported before the abort",
  "[ending]") {
  error_capture capture;
  {
    test_system sys;
    auto opts = with_log(fast_until(at(0s)), "warning");
    opts.grace_period = 8s;
    rosia::application app{sys, opts};
    app.create<script>("slow", [&](script&) {
      CHECK(capture.sees(
        "node 'slow' did not reach the final tag 0s, and no node made progress "
        "for 1s (grace_period: 8s): start() at "
        "tag 0s is still running after "));
    });
    CHECK(app.run() == 0);
  }
}

// -- progress -----------------------------------------------------------------

namespace {

// Takes microsteps forever, in one of three ways.
struct livelock : rosia::node {
  explicit livelock(std::string x) : loop(std::move(x)) {
    // nop
  }

  task start() {
    if (loop == "loop")
      out(0);
    if (loop == "action")
      again.schedule(microsteps(1));
    while (loop == "coroutine")
      co_await after(microsteps(1));
  }

  void shutdown() {
    ++shutdowns;
  }

  std::string loop;
  int shutdowns = 0;
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::action<void> again{this, "again"};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { out(*in + 1); }, rosia::eager};
  rosia::reaction on_again{
    this, "on_again", {again}, [this] { again.schedule(microsteps(1)); }};
};

// Requests an end at its second tag, 1 ms.
struct asks_at_1ms : rosia::node {
  task start() {
    co_await after(1ms);
    request_shutdown();
  }
};

// Takes steps of 1 ns until released, too many for a minute.
struct dawdler : rosia::node {
  explicit dawdler(std::function<bool()> f) : let_go(std::move(f)) {
    // nop
  }

  task start() {
    while (!let_go())
      co_await after(1ns);
  }

  std::function<bool()> let_go;
};

// Is minutes ahead, and reports that.
struct in_future : rosia::node {
  task start() {
    for (;;) {
      co_await after(1min);
      reached = true;
    }
  }

  std::atomic<bool> reached = false;
};

} // namespace

TEST_CASE("a node that only takes microsteps below the final tag is reported, "
          "and the application aborted",
          "[ending]") {
  auto loop = GENERATE("loop", "action", "coroutine");
  auto realtime = GENERATE(true, false);
  error_capture capture;
  {
    test_system sys;
    auto opts = realtime ? real_time() : fast();
    opts.grace_period = 200ms;
    rosia::application app{sys, opts};
    auto node = app.create<livelock>("endless", loop);
    app.connect(node, &livelock::out, node, &livelock::in);
    app.create<asks_at_1ms>("asking");
    CHECK(app.run() == 129);
    CHECK(node->shutdowns == 1);
  }
  CHECK_THAT(
    capture.text(),
    ContainsSubstring(
      "node 'endless' did not reach the final tag 1ms, and no node made "
      "progress for grace_period (200ms): "));
}

TEST_CASE("microsteps up to the final tag are progress", "[ending]") {
  test_system sys;
  auto opts = fast_until(at(0s, 1'000));
  opts.grace_period = 8s;
  rosia::application app{sys, opts};
  auto node = app.create<livelock>("counts", "coroutine");
  app.connect(node, &livelock::out, node, &livelock::in);
  CHECK(app.run() == 0);
}

TEST_CASE("6.4 an end requested from outside has a deadline, however small the "
          "steps of a node are",
          "[ending]") {
  error_capture capture;
  {
    test_system sys;
    auto opts = fast();
    opts.end_timeout = 200ms;
    opts.grace_period = 1min;
    rosia::application app{sys, opts};
    app.create<dawdler>("slow", [] { return false; });
    auto ahead = app.create<in_future>("ahead");
    outsider sender{ahead->reached, [&] { app.request_shutdown(); }};
    CHECK(app.run() == 129);
  }
  CHECK_THAT(capture.text(),
             ContainsSubstring("node 'slow' did not reach the final tag ")
               && ContainsSubstring(" within end_timeout (200ms): "));
}

TEST_CASE("a node's own request to end has no such deadline", "[ending]") {
  test_system sys;
  auto opts = fast();
  opts.end_timeout = 1ns;
  rosia::application app{sys, opts};
  auto node = app.create<ticker>("ticks", 1us);
  app.create<asks_at_1ms>("asking");
  CHECK(app.run() == 0);
  CHECK(node->shutdowns == 1);
}

TEST_CASE(
  "while nodes execute their remaining tags, the log reports their progress",
  "[ending]") {
  error_capture capture;
  {
    test_system sys;
    auto opts = with_log(fast(), "info");
    opts.end_timeout = 10min;
    rosia::application app{sys, opts};
    std::atomic<bool> logged = false;
    app.create<dawdler>("slow", [&] { return logged.load(); });
    auto ahead = app.create<in_future>("ahead");
    outsider sender{ahead->reached, [&] {
                      app.request_shutdown();
                      CHECK(capture.sees(": 'slow' is at "));
                      logged = true;
                    }};
    CHECK(app.run() == 0);
  }
}

TEST_CASE("a node that does not answer is named, and the application aborted",
          "[ending]") {
  error_capture capture;
  {
    test_system sys;
    auto opts = fast();
    opts.negotiation_timeout = 10ms;
    rosia::application app{sys, opts};
    std::atomic<bool> over = false;
    app.create<script>("slow", [&](script&) {
      eventually([&] { return over.load(); });
    });
    // Stays, because it could be called.
    struct impatient : doorbell {
      explicit impatient(std::atomic<bool>& x) : over(x) {
        // nop
      }
      void start() {
        request_shutdown();
      }
      void shutdown() {
        over = true;
      }
      std::atomic<bool>& over;
    };
    app.create<impatient>("impatient", over);
    app.create<doorbell>("idle");
    CHECK(app.run() == 129);
  }
  CHECK_THAT(
    capture.text(),
    ContainsSubstring(
      "node 'slow' did not answer within "
      "negotiation_timeout (10ms): start() at tag 0s is "
      "still running after "));
}

// -- signals ------------------------------------------------------------------

TEST_CASE("a signal requests an end, in any state of a node", "[ending]") {
  auto signal = GENERATE(SIGINT, SIGTERM);
  error_capture capture;
  {
    test_system sys;
    auto opts = with_log(real_time());
    opts.signals = rosia::signal_behavior::handle;
    rosia::application app{sys, opts};
    auto bell = app.create<doorbell>("bell");
    auto waits = app.create<ticker>("waits", 1h);
    auto before = handler_of(signal);
    outsider sender{bell->started, [=] {
                      eventually([=] { return handler_of(signal) != before; });
                      ::kill(::getpid(), signal);
                    }};
    CHECK(app.run() == 0);
    CHECK(bell->shutdowns == 1);
    CHECK(waits->shutdowns == 1);
    CHECK(waits->last == at(0s));
  }
  CHECK_THAT(
    capture.text(),
    ContainsSubstring(
      "rosia: signal " + std::to_string(signal)
      + ": the application ends; a second signal "
        "aborts it"));
}

TEST_CASE("signals are ignored or not handled if the options say so",
          "[ending]") {
  static std::atomic<int> own_handler = 0;
  auto previous = std::signal(SIGTERM, [](int) { ++own_handler; });
  own_handler = 0;
  auto ignored = GENERATE(true, false);
  test_system sys;
  auto opts = real_time();
  opts.signals
    = ignored ? rosia::signal_behavior::ignore : rosia::signal_behavior::none;
  rosia::application app{sys, opts};
  auto bell = app.create<doorbell>("bell");
  auto& ring = bell->ring;
  {
    outsider sender{bell->started, [&] {
                      ::kill(::getpid(), SIGTERM);
                      ring.schedule(1);
                      ring.schedule(-1);
                    }};
    CHECK(app.run() == 0);
  }
  CHECK(bell->got.size() == 2);
  CHECK(eventually([&] { return own_handler == (ignored ? 0 : 1); }));
  // After the run the process's own handler is restored.
  ::kill(::getpid(), SIGTERM);
  CHECK(eventually([&] { return own_handler == (ignored ? 1 : 2); }));
  std::signal(SIGTERM, previous);
}

TEST_CASE("several signals for one request end an application in order",
          "[ending]") {
  auto first = GENERATE(SIGINT, SIGTERM, SIGHUP);
  auto second = GENERATE(SIGINT, SIGTERM, SIGHUP);
  auto status = status_in_child([=] {
    for (auto signal : {SIGINT, SIGTERM, SIGHUP})
      std::signal(signal, SIG_DFL);
    test_system sys;
    auto opts = real_time();
    opts.signals = rosia::signal_behavior::handle;
    opts.sighup = true;
    rosia::application app{sys, opts};
    auto bell = app.create<doorbell>("bell");
    outsider sender{bell->started, [=] {
                      eventually([=] { return handler_of(first) != SIG_DFL; });
                      ::kill(::getpid(), first);
                      ::kill(::getpid(), second);
                    }};
    return app.run() == 0 && bell->shutdowns == 1 ? 7 : 8;
  });
  CHECK(status == 7);
}

TEST_CASE("a signal inherited as blocked requests an end", "[ending]") {
  auto signal = GENERATE(SIGINT, SIGTERM);
  auto status = status_in_child([signal] {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, signal);
    ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    test_system sys;
    auto opts = real_time();
    opts.signals = rosia::signal_behavior::handle;
    rosia::application app{sys, opts};
    auto bell = app.create<doorbell>("bell");
    outsider sender{bell->started, [=] { ::kill(::getpid(), signal); }};
    return app.run() == 0 && bell->shutdowns == 1 ? 7 : 8;
  });
  CHECK(status == 7);
}

namespace {

/// Runs an application; `write` writes the last part of its trace.
int run_with_slow_trace(const std::function<void()>& write) {
  for (auto signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, SIG_DFL);
  test_system sys;
  auto opts = with_log(fast());
  opts.signals = rosia::signal_behavior::handle;
  rosia::application app{sys, opts};
  app.create<source<int>>("source", one_seven);
  rosia::detail::application_access::trace(app, [&](std::string_view lines) {
    if (lines.find("\"end\"") != std::string_view::npos)
      write();
  });
  auto status = app.run();
  // A signal has no effect either while main() returns.
  std::raise(SIGTERM);
  return status == 0 ? 7 : 8;
}

} // namespace

TEST_CASE("a signal does not keep run() from completing its files",
          "[ending]") {
  auto signal = GENERATE(SIGINT, SIGTERM);
  error_capture capture;
  auto status = status_in_child([&] {
    return run_with_slow_trace([&] {
      ::kill(::getpid(), signal);
      ::kill(::getpid(), signal);
      capture.sees("its files are being written");
    });
  });
  CHECK(status == 7);
  CHECK_THAT(
    capture.text(),
    ContainsSubstring(
      "signal " + std::to_string(signal)
      + ": the application ended, and its files are being "
        "written; a second signal ends the process before they are "
        "complete"));
}

TEST_CASE("a second signal ends a process that cannot complete its files",
          "[ending]") {
  error_capture capture;
  auto status = status_in_child([&] {
    test::distinct_signals distinct;
    return run_with_slow_trace([&] {
      ::kill(::getpid(), SIGTERM);
      capture.sees("its files are being written");
      ::kill(::getpid(), SIGINT);
      for (;;)
        ::pause();
    });
  });
  CHECK(status == 128);
  CHECK_THAT(capture.text(),
             ContainsSubstring("signal 2 again: the process ends, and its "
                               "files are not complete"));
}

TEST_CASE(
  "a process with the id 1 in a container logs that it reaps no orphans",
  "[ending]") {
  constexpr auto not_allowed = 77;
  error_capture capture;
  auto status = status_in_child([] {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
      return not_allowed;
    auto first = ::fork();
    if (first == 0) {
      test_system sys;
      rosia::application app{sys, with_log(fast())};
      std::_Exit(::getpid() == 1 ? app.run() : 9);
    }
    auto status = 0;
    ::waitpid(first, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 10;
  });
  if (status == not_allowed)
    return;
  CHECK(status == 0);
  CHECK_THAT(capture.text(), ContainsSubstring("this is process 1"));
}

// -- shutdown() ---------------------------------------------------------------

TEST_CASE("shutdown() sees the node's last tag and its inputs", "[ending]") {
  struct reporter : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{this, "on_in", {in}, [] {}};
    void shutdown() {
      last = *in;
      tag = now();
      present = in.is_present();
      log().info("bye");
    }
    int last = 0;
    logical_time tag;
    bool present = true;
  };
  rosia::test::harness<reporter> h;
  h.set(&reporter::in, 1ms, 1);
  h.set(&reporter::in, 2ms, 2);
  h.run();
  CHECK(h->last == 2);
  CHECK(h->tag == at(2ms));
  CHECK_FALSE(h->present);
  CHECK(h.log() == std::vector<std::string>{"info: bye"});
}

TEST_CASE("no node is woken, started or ended twice: every node's shutdown() "
          "runs once, in all ways to end",
          "[ending]") {
  auto ending = GENERATE(0, 1, 2, 3);
  error_capture capture;
  test_system sys{GENERATE(1u, 2u, 4u)};
  auto opts = fast();
  if (ending == 1)
    opts.stop_after = at(10ms);
  rosia::application app{sys, opts};
  auto from = app.create<source<int>>(
    "from", std::vector<source<int>::item>(20, {1ms, 7}));
  auto middle = app.create<relay<int>>("middle");
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &source<int>::out, middle, &relay<int>::in);
  app.connect(middle, &relay<int>::out, to, &recorder<int>::in);
  if (ending == 2)
    app.create<script>("x", [](script& self) { self.request_shutdown(5ms); });
  if (ending == 3)
    app.create<script>("x", [](script&) { throw std::runtime_error("x"); });
  CHECK(app.run() == (ending == 3 ? 1 : 0));
  CHECK(from->shutdowns == 1);
  CHECK(middle->shutdowns == 1);
  CHECK(to->shutdowns == 1);
}

} // namespace ending_test
