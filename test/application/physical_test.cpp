// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Values without a tag: those of physical actions and of physical connections.
// Their receiver stamps them by its clock.

#include "support.hpp"

namespace physical_test {

using rosia::after;
using rosia::microsteps;
using rosia::task;

namespace {

// Accepts values from outside, and forwards them.
struct receiver : rosia::node {
  rosia::physical_action<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          for (auto& x : in.all())
                            got.emplace_back(now(), x);
                          out(in);
                          if (*in < 0)
                            request_shutdown();
                        }};

  void start() {
    started = true;
  }

  record<int> got;
  std::atomic<bool> started = false;
};

// Blocks its worker until released.
struct gate {
  std::atomic<bool> reached = false;
  std::atomic<bool> open = false;

  void pass() {
    reached = true;
    eventually([this] { return open.load(); });
  }
};

bool strictly_increase(const record<int>& xs) {
  for (std::size_t i = 1; i < xs.size(); ++i)
    if (xs[i].tag <= xs[i - 1].tag)
      return false;
  return true;
}

std::vector<int> values(const record<int>& xs) {
  std::vector<int> result;
  for (auto& x : xs)
    result.push_back(x.value);
  return result;
}

} // namespace

// -- physical actions ---------------------------------------------------------

TEST_CASE("a physical action may be scheduled from any thread, and each "
          "accepted call is "
          "reacted to once, at a separate tag",
          "[physical]") {
  constexpr int threads = 3;
  constexpr int calls = 300;
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto bell = app.create<doorbell>("bell");
  auto to = app.create<recorder<int>>("to");
  app.connect(bell, &doorbell::out, to, &recorder<int>::in);
  auto& ring = bell->ring;
  std::vector<std::thread> callers;
  std::atomic<int> finished = 0;
  for (int t = 0; t < threads; ++t)
    callers.emplace_back([&, t] {
      for (int i = 0; i < calls; ++i)
        while (!ring.schedule(t * calls + i))
          std::this_thread::yield(); // its queue is full
      if (++finished == threads)
        while (!ring.schedule(-1))
          std::this_thread::yield();
    });
  CHECK(app.run() == 0);
  for (auto& x : callers)
    x.join();
  CHECK(strictly_increase(bell->got));
  CHECK(bell->got == to->got);
  auto seen = values(bell->got);
  REQUIRE(seen.size() == threads * calls + 1);
  CHECK(seen.back() == -1);
  seen.pop_back();
  // Each thread's calls are in order.
  for (int t = 0; t < threads; ++t) {
    auto next = t * calls;
    for (auto x : seen)
      if (x / calls == t) {
        REQUIRE(x == next);
        ++next;
      }
    CHECK(next == (t + 1) * calls);
  }
}

TEST_CASE(
  "a physical action's tag is not before the physical time of the call, and "
  "not before the node's executed tags",
  "[physical]") {
  struct sensor : rosia::node {
    rosia::physical_action<std::chrono::nanoseconds> sample{this, "sample"};
    rosia::reaction on_sample{
      this, "on_sample", {sample}, [this] {
        auto called = *sample;
        if (at(called) > now() || at(elapsed()) < at(called))
          early = true;
        last = now();
        if (++samples == 50)
          request_shutdown();
      }};
    task start() {
      for (;;) {
        if (now() <= last && now() != logical_time{})
          early = true;
        last = now();
        sample.schedule(elapsed());
        co_await after(100us);
      }
    }
    logical_time last = rosia::never;
    bool early = false;
    int samples = 0;
  };
  test_system sys{GENERATE(1u, 2u)};
  auto opts = GENERATE(true, false) ? real_time() : fast();
  rosia::application app{sys, opts};
  auto node = app.create<sensor>("node");
  CHECK(app.run() == 0);
  CHECK(node->samples >= 50);
  CHECK_FALSE(node->early);
}

TEST_CASE("several calls at one physical time are microsteps apart",
          "[physical]") {
  rosia::test::harness<doorbell> h;
  for (int i = 0; i < 3; ++i)
    h.schedule(&doorbell::ring, 5ms, i);
  h.schedule(&doorbell::ring, 7ms, 3);
  h.run();
  CHECK(h->got
        == record<int>{{5ms, 0}, {at(5ms, 1), 1}, {at(5ms, 2), 2}, {7ms, 3}});
}

namespace {

struct echo : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::physical_action<int> again{this, "again"};
  rosia::reaction on_again{
    this, "on_again", {again}, [this] { got.emplace_back(now(), *again); }};
  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          got.emplace_back(now(), *in);
                          again.schedule(10 * *in);
                        }};
  record<int> got;
};

} // namespace

TEST_CASE("a call from a reaction is executed after the current tag",
          "[physical]") {
  rosia::test::harness<echo> h;
  h.set(&echo::in, 5ms, 1);
  h.set(&echo::in, 8ms, 2);
  h.run();
  CHECK(h->got
        == record<int>{{5ms, 1}, {at(5ms, 1), 10}, {8ms, 2}, {at(8ms, 1), 20}});
}

TEST_CASE(
  "a physical action that is scheduled before run() is executed after start()",
  "[physical]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto bell = app.create<doorbell>("bell");
  for (int i = 0; i < 100; ++i)
    CHECK(bell->ring.schedule(i));
  CHECK(bell->ring.schedule(-1));
  CHECK(app.run() == 0);
  REQUIRE(bell->got.size() == 101);
  CHECK(strictly_increase(bell->got));
  CHECK(bell->got[0].tag > at(0s));
  for (int i = 0; i < 100; ++i)
    REQUIRE(bell->got[static_cast<std::size_t>(i)].value == i);
}

TEST_CASE(
  "a physical action that is scheduled in the constructor is executed after "
  "start()",
  "[physical]") {
  struct hasty : doorbell {
    hasty() {
      ring.schedule(1);
      ring.schedule(-1);
    }
  };
  test_system sys;
  rosia::application app{sys, fast()};
  auto bell = app.create<hasty>("bell");
  CHECK(app.run() == 0);
  CHECK(values(bell->got) == std::vector<int>{1, -1});
}

TEST_CASE("a physical action may be scheduled while run() begins and ends",
          "[physical]") {
  for (int round = 0; round < 50; ++round) {
    test_system sys{static_cast<std::size_t>(1 + round % 3)};
    auto app = std::make_unique<rosia::application>(sys, fast());
    auto bell = app->create<doorbell>("bell");
    for (int i = 0; i < 20; ++i)
      app->create<doorbell>("other" + std::to_string(i));
    auto& ring = bell->ring;
    std::atomic<bool> stop = false;
    std::atomic<int> taken = 0;
    std::thread caller{[&] {
      for (int i = 1; !stop; ++i)
        if (ring.schedule(i == 200 ? -1 : i))
          ++taken;
    }};
    CHECK(app->run() == 0);
    stop = true;
    caller.join();
    CHECK(bell->got.size() <= static_cast<std::size_t>(taken));
    CHECK(strictly_increase(bell->got));
    auto last = 0;
    for (auto& x : bell->got)
      if (x.value > 0) {
        REQUIRE(x.value > last);
        last = x.value;
      }
    CHECK_FALSE(ring.schedule(1));
    app.reset();
  }
}

TEST_CASE(
  "after the end a physical action refuses, however the application ended",
  "[physical]") {
  error_capture capture;
  test_system sys;
  auto ending = GENERATE(0, 1, 2);
  auto opts = fast();
  if (ending == 0)
    opts.stop_after = at(1ms);
  if (ending == 1)
    opts.timeout = 1ms;
  rosia::application app{sys, opts};
  auto bell = app.create<doorbell>("bell");
  if (ending == 2)
    app.create<script>("x", [](script&) { throw std::runtime_error("x"); });
  app.run();
  CHECK_FALSE(bell->ring.schedule(1));
  CHECK_FALSE(bell->ring.schedule(1));
  CHECK(bell->got.empty());
}

TEST_CASE("a physical action with a full queue refuses calls, which is counted "
          "and logged",
          "[physical]") {
  error_capture capture;
  {
    test_system sys;
    auto opts = with_log(fast(), "warning");
    opts.max_in_flight = 4;
    rosia::application app{sys, opts};
    struct slow : doorbell {
      explicit slow(gate& x) : at(x) {
        // nop
      }
      void start() {
        at.pass();
      }
      gate& at;
    };
    gate g;
    auto bell = app.create<slow>("bell", g);
    auto& ring = bell->ring;
    std::vector<bool> taken;
    std::thread caller{[&] {
      eventually([&] { return g.reached.load(); });
      for (int i = 0; i < 7; ++i)
        taken.push_back(ring.schedule(i));
      g.open = true;
      while (!ring.schedule(-1))
        std::this_thread::yield();
    }};
    CHECK(app.run() == 0);
    caller.join();
    CHECK(
      taken == std::vector<bool>{true, true, true, true, false, false, false});
    CHECK(values(bell->got) == std::vector<int>{0, 1, 2, 3, -1});
  }
  auto log = capture.text();
  CHECK_THAT(
    log, ContainsSubstring("warning  bell: ") && ContainsSubstring(" dropped")
           && !ContainsSubstring(" 1 physical values"));
}

TEST_CASE("each physical action has a separate queue", "[physical]") {
  struct two : rosia::node {
    rosia::physical_action<int> a{this, "a"};
    rosia::physical_action<int> b{this, "b"};
  };
  test_system sys;
  auto opts = fast();
  opts.max_in_flight = 1024;
  rosia::application app{sys, opts};
  auto node = app.create<two>("node");
  for (int i = 0; i < 1024; ++i) {
    REQUIRE(node->a.schedule(i));
    REQUIRE(node->b.schedule(i));
  }
  CHECK_FALSE(node->a.schedule(0));
  CHECK_FALSE(node->b.schedule(0));
}

TEST_CASE("any size of the queues is valid", "[physical]") {
  test_system sys;
  auto opts = fast();
  opts.max_in_flight = GENERATE(
    std::size_t{1}, std::size_t{1} << 31, std::size_t{1} << 32,
    std::numeric_limits<std::size_t>::max());
  rosia::application app{sys, opts};
  auto bell = app.create<doorbell>("bell");
  auto& ring = bell->ring;
  std::thread caller{[&] { eventually([&] { return ring.schedule(-1); }); }};
  CHECK(app.run() == 0);
  caller.join();
  CHECK(values(bell->got) == std::vector<int>{-1});
}

TEST_CASE("a physical action's values are moved, not copied", "[physical]") {
  struct owner : rosia::node {
    rosia::output_port<std::unique_ptr<int>> out{this, "out"};
    rosia::physical_action<std::unique_ptr<int>> take{this, "take"};
    rosia::reaction on_take{this, "on_take", {take}, [this] { got = **take; }};
    int got = 0;
  };
  rosia::test::harness<owner> h;
  CHECK(h.schedule(&owner::take, std::make_unique<int>(7)));
  h.run();
  CHECK(h->got == 7);
}

TEST_CASE(
  "a sensor's thread feeds a node, whose values reach a logical reaction",
  "[physical]") {
  struct sensor : rosia::node {
    rosia::output_port<int> out{this, "out"};
    rosia::physical_action<int> sample{this, "sample"};
    rosia::reaction on_sample{
      this, "on_sample", {sample}, [this] {
        out(*sample);
        if (*sample == 4)
          request_shutdown();
      }};
    void start() {
      thread = std::thread{[this] {
        for (int i = 0; i < 5; ++i) {
          std::this_thread::sleep_for(1ms);
          sample.schedule(i);
        }
      }};
    }
    void shutdown() {
      thread.join();
    }
    std::thread thread;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, real_time()};
  auto from = app.create<sensor>("from");
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &sensor::out, to, &recorder<int>::in);
  CHECK(app.run() == 0);
  CHECK(values(to->got) == std::vector<int>{0, 1, 2, 3, 4});
  for (std::size_t i = 0; i < to->got.size(); ++i)
    CHECK(to->got[i].tag >= at(1ms * (i + 1)));
}

TEST_CASE(
  "a receiver of a node with a physical action and of a clock gets both in the "
  "order of their tags",
  "[physical]") {
  struct merger : rosia::node {
    rosia::input_port<logical_time> tick{this, "tick"};
    rosia::input_port<int> rung{this, "rung"};
    rosia::reaction on_any{
      this, "on_any", {tick, rung}, [this] {
        if (tick.is_present() && *tick != now())
          wrong = true;
        tags.push_back(now());
      }};
    std::vector<logical_time> tags;
    bool wrong = false;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, real_time()};
  auto clock = app.create<rosia::timer>("clock", 1ms);
  auto bell = app.create<doorbell>("bell");
  auto to = app.create<merger>("to");
  app.connect(clock, &rosia::timer::output, to, &merger::tick);
  app.connect(bell, &doorbell::out, to, &merger::rung);
  auto& ring = bell->ring;
  std::thread caller{[&] {
    for (int i = 0; i < 30; ++i) {
      std::this_thread::sleep_for(300us);
      ring.schedule(i);
    }
    ring.schedule(-1);
  }};
  CHECK(app.run() == 0);
  caller.join();
  CHECK_FALSE(to->wrong);
  CHECK(to->tags.size() > 31);
  for (std::size_t i = 1; i < to->tags.size(); ++i)
    REQUIRE(to->tags[i] > to->tags[i - 1]);
}

// -- physical connections -----------------------------------------------------

TEST_CASE("a physical connection keeps the order, and its receiver stamps by "
          "its own clock",
          "[physical]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  std::vector<source<int>::item> items;
  for (int i = 0; i < 500; ++i)
    items.push_back({1h, i});
  auto from = app.create<source<int>>("from", items);
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &source<int>::out, to, &recorder<int>::in, rosia::physical);
  CHECK(app.run() == 0);
  REQUIRE(to->got.size() == 500);
  CHECK(strictly_increase(to->got));
  for (int i = 0; i < 500; ++i)
    REQUIRE(to->got[static_cast<std::size_t>(i)].value == i);
  // By elapsed time, not by the sender's tags.
  CHECK(to->got.front().tag < at(1h));
  CHECK(to->got.front().tag > at(0s));
}

TEST_CASE("a physical connection by name", "[physical]") {
  test_system sys;
  rosia::application app{sys, fast()};
  app.create<source<int>>("from", one_seven);
  auto to = app.create<recorder<int>>("to");
  app.connect("from.out", "to.in", rosia::physical);
  CHECK(app.run() == 0);
  CHECK(values(to->got) == std::vector<int>{7});
}

TEST_CASE("a physical connection closes a loop without a delay", "[physical]") {
  struct worker : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction on_in{this, "on_in", {in}, [this]() -> task {
                            co_await after(1us);
                            got.push_back(*in);
                            out(*in);
                            if (*in == 10)
                              request_shutdown();
                          }};
    void start() {
      out(0);
    }
    std::vector<int> got;
  };
  struct manager : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction on_in{this, "on_in", {in}, [this] { out(*in + 1); }};
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, GENERATE(true, false) ? real_time() : fast()};
  auto w = app.create<worker>("worker");
  auto m = app.create<manager>("manager");
  app.connect(w, &worker::out, m, &manager::in);
  app.connect(m, &manager::out, w, &worker::in, rosia::physical);
  CHECK(app.run() == 0);
  REQUIRE(w->got.size() >= 10);
  for (int i = 0; i < 10; ++i)
    CHECK(w->got[static_cast<std::size_t>(i)] == i + 1);
}

TEST_CASE("a full physical connection drops new values and counts them, and "
          "never pauses its sender",
          "[physical]") {
  struct slow : recorder<int> {
    explicit slow(gate& x) : at(x) {
      // nop
    }
    void start() {
      at.pass();
    }
    gate& at;
  };
  struct flood : rosia::node {
    explicit flood(gate& x) : at(x) {
      // nop
    }
    rosia::output_port<int> out{this, "out"};
    task start() {
      for (int i = 0; i < 10; ++i) {
        out(i);
        co_await after(1ms);
      }
      at.open = true;
    }
    gate& at;
  };
  error_capture capture;
  {
    test_system sys;
    auto opts = with_log(fast(), "warning");
    opts.max_in_flight = 3;
    rosia::application app{sys, opts};
    gate g;
    auto from = app.create<flood>("from", g);
    auto to = app.create<slow>("to", g);
    app.connect(from, &flood::out, to, &slow::in, rosia::physical);
    CHECK(app.run() == 0);
    CHECK(values(to->got) == std::vector<int>{0, 1, 2});
  }
  CHECK_THAT(
    capture.text(), ContainsSubstring("from: 7 physical values were dropped"));
}

TEST_CASE("a connection that keeps the latest values drops the oldest and "
          "counts them, and never pauses its sender",
          "[physical]") {
  struct slow : recorder<int> {
    explicit slow(gate& x) : at(x) {
      // nop
    }
    void start() {
      at.pass();
    }
    gate& at;
  };
  struct flood : rosia::node {
    explicit flood(gate& x) : at(x) {
      // nop
    }
    rosia::output_port<int> out{this, "out"};
    task start() {
      eventually([this] { return at.reached.load(); });
      for (int i = 0; i < 10; ++i) {
        out(i);
        co_await after(1ms);
      }
      at.open = true;
    }
    gate& at;
  };
  auto kind = GENERATE(0, 1, 2);
  error_capture capture;
  {
    test_system sys;
    auto opts = with_log(fast(), "info");
    opts.max_in_flight = 1;
    rosia::application app{sys, opts};
    gate g;
    auto from = app.create<flood>("from", g);
    auto to = app.create<slow>("to", g);
    if (kind == 0)
      app.connect(from, &flood::out, to, &slow::in, rosia::keep_latest(3));
    else if (kind == 1)
      from[&flood::out] >>= rosia::keep_latest(3) >>= to[&slow::in];
    else
      app.connect("from.out", "to.in", rosia::keep_latest(3));
    CHECK(app.run() == 0);
    CHECK(values(to->got) == std::vector<int>{7, 8, 9});
  }
  CHECK_THAT(
    capture.text(),
    ContainsSubstring("info     to: 7 physical values were replaced by "
                      "newer ones (keep_latest)"));
}

TEST_CASE("a connection keeps at least one value", "[physical]") {
  test_system sys;
  rosia::application app{sys, fast()};
  app.create<receiver>("a");
  app.create<receiver>("b");
  CHECK_THROWS_WITH(app.connect("a.out", "b.in", rosia::keep_latest(0)),
                    "keep_latest(0): a connection keeps at least one value");
}

// -- connected physical actions
// -------------------------------------------------

TEST_CASE(
  "3.14 a physical action may also have logical and physical connections",
  "[physical]") {
  rosia::test::harness<receiver> h;
  h.set(&receiver::in, 5ms, 1);
  h.schedule(&receiver::in, 5ms, 2);
  h.schedule(&receiver::in, 7ms, 3);
  h.set(&receiver::in, 7ms, 4);
  h.run();
  // At one tag, stamped values follow those of connections.
  CHECK(h->got == record<int>{{5ms, 1}, {5ms, 2}, {7ms, 4}, {7ms, 3}});
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto a = app.create<source<int>>(
    "a", std::vector<source<int>::item>(50, {1ms, 1}));
  auto b = app.create<source<int>>(
    "b", std::vector<source<int>::item>(50, {1ms, 2}));
  auto node = app.create<receiver>("node");
  app.connect(a, &source<int>::out, node, &receiver::in);
  app.connect(b, &source<int>::out, node, &receiver::in, rosia::physical);
  std::thread caller{[&] {
    for (int i = 0; i < 50; ++i)
      node->in.schedule(3);
    // After the other values.
    std::this_thread::sleep_for(60ms);
    node->in.schedule(-1);
  }};
  CHECK(app.run() == 0);
  caller.join();
  CHECK(std::is_sorted(node->got.begin(), node->got.end(),
                       [](auto& x, auto& y) { return x.tag < y.tag; }));
  std::map<int, int> counts;
  for (auto x : values(node->got))
    ++counts[x];
  CHECK(counts[2] == 50);
  CHECK(counts[3] == 50);
}

} // namespace physical_test
