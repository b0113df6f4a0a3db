// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Whole programs, with the behavior of Rosia's own end-to-end tests.

#include "support.hpp"

#include <array>

namespace end_to_end_test {

using rosia::after;
using rosia::microsteps;
using rosia::task;

namespace {

// Counts its ticks.
struct counter : rosia::node {
  rosia::input_port<logical_time> tick{this, "tick"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_tick{this, "on_tick", {tick}, [this] { out(count++); }};
  int count = 0;
};

// Counts forever, as fast as logical time permits.
struct generator : rosia::node {
  explicit generator(rosia::delay x) : period(x) {
    // nop
  }
  rosia::output_port<int> out{this, "out"};
  task start() {
    for (int i = 0;; ++i) {
      co_await after(period);
      out(i);
    }
  }
  rosia::delay period;
};

struct scaler : rosia::node {
  explicit scaler(int x) : factor(x) {
    // nop
  }
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(*in * factor); }};
  int factor;
};

// Compares two inputs, and ends the application after a number of tags.
struct comparer : rosia::node {
  explicit comparer(int x) : most(x) {
    // nop
  }
  rosia::input_port<int> left{this, "left"};
  rosia::input_port<int> right{this, "right"};
  rosia::reaction compare{
    this, "compare", {left, right}, [this] {
      if (!left.is_present() || !right.is_present() || *left != *right)
        ++different;
      if (++count == most)
        request_shutdown();
    }};
  int most;
  int count = 0;
  int different = 0;
};

} // namespace

TEST_CASE("a chain: a generator that yields, a doubler, a sink",
          "[end_to_end]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto from = app.create<source<int>>(
    "from", std::vector<source<int>::item>{{{}, 0}, {1s, 1}, {1s, 2}});
  auto twice = app.create<scaler>("twice", 2);
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &source<int>::out, twice, &scaler::in);
  app.connect(twice, &scaler::out, to, &recorder<int>::in);
  CHECK(app.run() == 0);
  CHECK(to->got == record<int>{{0s, 0}, {1s, 2}, {2s, 4}});
}

TEST_CASE("a timer drives a chain", "[end_to_end]") {
  struct stopper : recorder<logical_time> {
    rosia::reaction stop{this, "stop", {in}, [this] {
                           if (got.size() == 3)
                             request_shutdown();
                         }};
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, real_time()};
  auto clock = app.create<rosia::timer>("clock", 5ms);
  auto middle = app.create<relay<logical_time>>("middle");
  auto to = app.create<stopper>("to");
  app.connect(clock, &rosia::timer::output, middle, &relay<logical_time>::in);
  app.connect(middle, &relay<logical_time>::out, to, &stopper::in);
  CHECK(app.run() == 0);
  REQUIRE(to->got.size() >= 3);
  for (int i = 0; i < 3; ++i)
    CHECK(to->got[static_cast<std::size_t>(i)]
          == sent<logical_time>{5ms * i, at(5ms * i)});
}

TEST_CASE("two timers of one rate and two paths meet at the same tags",
          "[end_to_end]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto clock1 = app.create<rosia::timer>("clock1", 1ns);
  auto clock2 = app.create<rosia::timer>("clock2", 1ns);
  auto count1 = app.create<counter>("count1");
  auto count2 = app.create<counter>("count2");
  auto detour = app.create<relay<int>>("detour");
  auto to = app.create<comparer>("to", 500);
  app.connect(clock1, &rosia::timer::output, count1, &counter::tick);
  app.connect(clock2, &rosia::timer::output, count2, &counter::tick);
  app.connect(count1, &counter::out, to, &comparer::left);
  app.connect(count2, &counter::out, detour, &relay<int>::in);
  app.connect(detour, &relay<int>::out, to, &comparer::right);
  CHECK(app.run() == 0);
  CHECK(to->count >= 500);
  CHECK(to->different == 0);
}

TEST_CASE("timers with an offset take turns", "[end_to_end]") {
  struct alternator : rosia::node {
    rosia::input_port<int> a{this, "a"};
    rosia::input_port<int> b{this, "b"};
    rosia::reaction on_any{
      this, "on_any", {a, b}, [this] {
        // `a` leads by one, or both have equal counts.
        if (a.is_present() == b.is_present()
            || *a - (b.has_value() ? *b : -1) != (a.is_present() ? 1 : 0))
          ++wrong;
        if (++count == 101)
          request_shutdown();
      }};
    int count = 0;
    int wrong = 0;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto clock1 = app.create<rosia::timer>("clock1", 10ms);
  auto clock2 = app.create<rosia::timer>("clock2", 10ms, 1ms);
  auto count1 = app.create<counter>("count1");
  auto count2 = app.create<counter>("count2");
  auto to = app.create<alternator>("to");
  app.connect(clock1, &rosia::timer::output, count1, &counter::tick);
  app.connect(clock2, &rosia::timer::output, count2, &counter::tick);
  app.connect(count1, &counter::out, to, &alternator::a);
  app.connect(count2, &counter::out, to, &alternator::b);
  CHECK(app.run() == 0);
  CHECK(to->count >= 101);
  CHECK(to->wrong == 0);
}

TEST_CASE("sources with different speeds are compared tag by tag",
          "[end_to_end]") {
  // One source sleeps, the other does not. Their values still meet.
  struct sleepy : generator {
    sleepy() : generator(1ms) {
      // nop
    }
    task start() {
      for (int i = 0; i < 20; ++i) {
        std::this_thread::sleep_for(200us);
        co_await after(period);
        out(i);
      }
    }
  };
  test_system sys{GENERATE(1u, 2u)};
  rosia::application app{sys, fast()};
  auto slow = app.create<sleepy>("slow");
  auto quick = app.create<generator>("quick", 1ms);
  auto to = app.create<comparer>("to", 20);
  app.connect(slow, &sleepy::out, to, &comparer::left);
  app.connect(quick, &generator::out, to, &comparer::right);
  CHECK(app.run() == 0);
  CHECK(to->count >= 20);
  // After its twentieth value the slow source is done, and the other continues
  // until the requested end.
  CHECK(to->different == to->count - 20);
}

TEST_CASE("a passive relay holds its receiver back until the source's value "
          "arrived",
          "[end_to_end]") {
  struct receiver : rosia::node {
    rosia::input_port<int> relayed{this, "relayed"};
    rosia::input_port<int> tick{this, "tick"};
    rosia::reaction on_tick{
      this, "on_tick", {tick}, [this] {
        if (*relayed != 10 * *tick)
          ++wrong;
        if (++count == 300)
          request_shutdown();
      }};
    int wrong = 0;
    int count = 0;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto from = app.create<generator>("from", 10ms);
  auto tens = app.create<scaler>("tens", 10);
  auto more = app.create<relay<int>>("more");
  auto ticks = app.create<generator>("ticks", 10ms);
  auto to = app.create<receiver>("to");
  app.connect(from, &generator::out, tens, &scaler::in);
  app.connect(tens, &scaler::out, more, &relay<int>::in);
  app.connect(more, &relay<int>::out, to, &receiver::relayed);
  app.connect(ticks, &generator::out, to, &receiver::tick);
  CHECK(app.run() == 0);
  CHECK(to->count >= 300);
  CHECK(to->wrong == 0);
}

TEST_CASE("an input keeps its value between the ticks of a slower timer",
          "[end_to_end]") {
  struct consumer : rosia::node {
    rosia::input_port<int> data{this, "data"};
    rosia::input_port<logical_time> tick{this, "tick"};
    rosia::reaction on_tick{
      this, "on_tick", {tick}, [this] {
        seen.push_back(*data);
        if (seen.size() == 20)
          request_shutdown();
      }};
    std::vector<int> seen;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto quick = app.create<rosia::timer>("quick", 10ms);
  auto slow = app.create<rosia::timer>("slow", 30ms, 5ms);
  auto count = app.create<counter>("count");
  auto to = app.create<consumer>("to");
  app.connect(quick, &rosia::timer::output, count, &counter::tick);
  app.connect(count, &counter::out, to, &consumer::data);
  app.connect(slow, &rosia::timer::output, to, &consumer::tick);
  CHECK(app.run() == 0);
  REQUIRE(to->seen.size() >= 20);
  for (std::size_t i = 0; i < to->seen.size(); ++i)
    CHECK(to->seen[i] == static_cast<int>(3 * i));
}

// -- loops --------------------------------------------------------------------

TEST_CASE("a node is its own receiver, a microstep later", "[end_to_end]") {
  struct self_counter : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction on_in{this, "on_in", {in}, [this] {
                            got.emplace_back(now(), *in);
                            if (*in < 4)
                              out(*in + 1);
                          }};
    void start() {
      out(0);
    }
    record<int> got;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto node = app.create<self_counter>("node");
  app.connect(node, &self_counter::out, node, &self_counter::in, microsteps(1));
  CHECK(app.run() == 0);
  CHECK(
    node->got
    == record<int>{
      {at(0s, 1), 0},
      {at(0s, 2), 1},
      {at(0s, 3), 2},
      {at(0s, 4), 3},
      {at(0s, 5), 4}});
}

TEST_CASE("a worker and a manager in a loop with a delay", "[end_to_end]") {
  struct worker : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction on_in{this, "on_in", {in}, [this]() -> task {
                            co_await after(1s);
                            got.emplace_back(now(), *in);
                            out(*in);
                            if (*in == 3)
                              request_shutdown();
                          }};
    void start() {
      out(0);
    }
    record<int> got;
  };
  struct manager : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction on_in{this, "on_in", {in}, [this] { out(*in + 1); }};
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto w = app.create<worker>("worker");
  auto m = app.create<manager>("manager");
  app.connect(w, &worker::out, m, &manager::in);
  app.connect(m, &manager::out, w, &worker::in, 1s);
  CHECK(app.run() == 0);
  REQUIRE(w->got.size() >= 3);
  w->got.erase(w->got.begin() + 3, w->got.end());
  CHECK(w->got == record<int>{{2s, 1}, {4s, 2}, {6s, 3}});
}

TEST_CASE("a loop closed by a microstep, whose driver yields for seconds",
          "[end_to_end]") {
  struct driver : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction step{this, "step", {in}, [this]() -> task {
                           co_await after(1h);
                           got.emplace_back(now(), *in);
                           if (*in < 200)
                             out(*in + 1);
                         }};
    void start() {
      out(0);
    }
    record<int> got;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto d = app.create<driver>("driver");
  auto a = app.create<relay<int>>("a");
  auto b = app.create<relay<int>>("b");
  app.connect(d, &driver::out, a, &relay<int>::in);
  app.connect(a, &relay<int>::out, b, &relay<int>::in);
  app.connect(b, &relay<int>::out, d, &driver::in, microsteps(1));
  CHECK(app.run() == 0);
  REQUIRE(d->got.size() == 201);
  for (int i = 0; i <= 200; ++i)
    REQUIRE(d->got[static_cast<std::size_t>(i)] == sent<int>{1h * (i + 1), i});
}

TEST_CASE("an eager reaction closes a loop by a microstep", "[end_to_end]") {
  struct plant : rosia::node {
    rosia::input_port<double> action{this, "action"};
    rosia::output_port<double> observation{this, "observation"};
    rosia::reaction step{
      this,
      "step",
      {action},
      [this]() -> task {
        got.emplace_back(now(), *action);
        co_await after(10ms);
        observation(*action, rosia::output_promise(10ms));
      },
      rosia::eager};
    void start() {
      observation(1.0);
    }
    record<double> got;
  };
  struct controller : rosia::node {
    rosia::input_port<double> observation{this, "observation"};
    rosia::output_port<double> action{this, "action"};
    rosia::reaction on_observation{
      this, "on_observation", {observation}, [this] {
        action(*observation * 2);
      }};
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast_until(35ms)};
  auto p = app.create<plant>("plant");
  auto c = app.create<controller>("controller");
  app.connect(p, &plant::observation, c, &controller::observation);
  app.connect(c, &controller::action, p, &plant::action);
  CHECK(app.run() == 0);
  CHECK(
    p->got
    == record<double>{
      {at(0s, 1), 2}, {at(10ms, 1), 4}, {at(20ms, 1), 8}, {at(30ms, 1), 16}});
}

TEST_CASE("seven paths of unequal work meet in a loop, each value complete",
          "[end_to_end]") {
  constexpr std::size_t width = 7;
  struct simulator : rosia::node {
    rosia::input_port<int> command{this, "command"};
    rosia::output_port<int> joints{this, "joints"};
    rosia::output_port<int> imu{this, "imu"};
    rosia::output_port<int> image{this, "image"};
    rosia::reaction on_command{
      this, "on_command", {command}, [this]() -> task {
        co_await after(20ms);
        if (++rounds == 100)
          end_reaction_of_the_loop();
        send(rounds);
      }};
    void start() {
      send(0);
    }
    void send(int x) {
      joints(x);
      imu(x);
      image(x);
    }
    [[noreturn]] void end_reaction_of_the_loop() {
      request_shutdown();
      rosia::end_reaction();
    }
    int rounds = 0;
  };
  struct combiner : rosia::node {
    combiner() {
      for (std::size_t i = 0; i < width; ++i)
        in[i] = std::make_unique<rosia::input_port<int>>(
          this, "in" + std::to_string(i));
      react = std::make_unique<rosia::reaction>(
        this, "combine",
        std::initializer_list<std::reference_wrapper<rosia::input_port_base>>{
          *in[0], *in[1], *in[2], *in[3], *in[4], *in[5], *in[6]},
        [this] { combine(); });
    }
    void combine() {
      for (std::size_t i = 0; i < width; ++i)
        if (!in[i]->is_present() || in[i]->all().size() != 1
            || **in[i] != rounds + static_cast<int>(i))
          ++wrong;
      out(rounds++);
    }
    std::array<std::unique_ptr<rosia::input_port<int>>, width> in;
    rosia::output_port<int> out{this, "out"};
    std::unique_ptr<rosia::reaction> react;
    int rounds = 0;
    int wrong = 0;
  };
  struct preprocess : rosia::node {
    explicit preprocess(int x) : index(x) {
      // nop
    }
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction on_in{
      this, "on_in", {in}, [this] {
        std::this_thread::sleep_for(std::chrono::microseconds{10 * index});
        out(*in + index);
      }};
    int index;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto sim = app.create<simulator>("sim");
  auto comb = app.create<combiner>("combiner");
  auto back = app.create<relay<int>>("relay");
  for (std::size_t i = 0; i < width; ++i) {
    auto name = "pre" + std::to_string(i);
    auto pre = app.create<preprocess>(name, static_cast<int>(i));
    app.connect(
      sim,
      i < 3   ? &simulator::joints
      : i < 6 ? &simulator::imu
              : &simulator::image,
      pre, &preprocess::in);
    app.connect(name + ".out", "combiner.in" + std::to_string(i));
  }
  app.connect(comb, &combiner::out, back, &relay<int>::in);
  app.connect(back, &relay<int>::out, sim, &simulator::command, microsteps(1));
  CHECK(app.run() == 0);
  CHECK(sim->rounds == 100);
  CHECK(comb->rounds == 100);
  CHECK(comb->wrong == 0);
}

namespace {

struct hub : rosia::node {
  rosia::input_port<int> left{this, "left"};
  rosia::input_port<int> right{this, "right"};
  rosia::output_port<int> out_left{this, "out_left"};
  rosia::output_port<int> out_right{this, "out_right"};
  rosia::reaction on_left{
    this, "on_left", {left}, [this] {
      got_left.emplace_back(now(), *left);
      if (*left < 50)
        out_left(*left + 1);
    }};
  rosia::reaction on_right{
    this, "on_right", {right}, [this] {
      got_right.emplace_back(now(), *right);
      if (*right < 50)
        out_right(*right + 1);
    }};
  void start() {
    out_left(0);
    out_right(0);
  }
  record<int> got_left;
  record<int> got_right;
};

} // namespace

TEST_CASE("two loops that share a node", "[end_to_end]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto h = app.create<hub>("hub");
  auto a = app.create<relay<int>>("a");
  auto b = app.create<relay<int>>("b");
  app.connect(h, &hub::out_left, a, &relay<int>::in);
  app.connect(a, &relay<int>::out, h, &hub::left, 2ms);
  app.connect(h, &hub::out_right, b, &relay<int>::in, microsteps(1));
  app.connect(b, &relay<int>::out, h, &hub::right, 3ms);
  CHECK(app.run() == 0);
  REQUIRE(h->got_left.size() == 51);
  REQUIRE(h->got_right.size() == 51);
  for (int i = 0; i <= 50; ++i) {
    REQUIRE(
      h->got_left[static_cast<std::size_t>(i)] == sent<int>{2ms * (i + 1), i});
    REQUIRE(
      h->got_right[static_cast<std::size_t>(i)] == sent<int>{3ms * (i + 1), i});
  }
}

// -- ends ---------------------------------------------------------------------

TEST_CASE("all steps up to a request are executed, also by a slow branch",
          "[end_to_end]") {
  struct producer : counter {
    producer(int x, bool slow) : most(x), is_slow(slow) {
      // nop
    }
    rosia::reaction count_down{
      this, "count_down", {tick}, [this] {
        if (is_slow)
          std::this_thread::sleep_for(100us);
        else if (count == most)
          request_shutdown();
      }};
    int most;
    bool is_slow;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, real_time()};
  auto clock = app.create<rosia::timer>("clock", 1ms);
  auto quick = app.create<producer>("quick", 10, false);
  auto slow = app.create<producer>("slow", 10, true);
  auto to_quick = app.create<recorder<int>>("to_quick");
  auto to_slow = app.create<recorder<int>>("to_slow");
  app.connect(clock, &rosia::timer::output, quick, &producer::tick);
  app.connect(clock, &rosia::timer::output, slow, &producer::tick);
  app.connect(quick, &producer::out, to_quick, &recorder<int>::in);
  app.connect(slow, &producer::out, to_slow, &recorder<int>::in);
  CHECK(app.run() == 0);
  CHECK(to_quick->got.size() >= 10);
  CHECK(to_slow->got == to_quick->got);
}

TEST_CASE("a slow sink gets all values of a fast source, for any max_in_flight",
          "[end_to_end]") {
  auto limit = GENERATE(1u, 2u, 3u, 1024u);
  test_system sys{GENERATE(1u, 2u, 4u)};
  auto opts = fast();
  opts.max_in_flight = limit;
  rosia::application app{sys, opts};
  std::vector<source<int>::item> items;
  for (int i = 0; i < 3'000; ++i)
    items.push_back({1ms, i});
  auto from = app.create<source<int>>("from", items);
  auto detour = app.create<relay<int>>("detour");
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &source<int>::out, to, &recorder<int>::in, 5s);
  app.connect(from, &source<int>::out, detour, &relay<int>::in);
  app.connect(detour, &relay<int>::out, to, &recorder<int>::in);
  CHECK(app.run() == 0);
  CHECK(to->got.size() == 6'000);
}

TEST_CASE("times at the end of their range neither end an application early "
          "nor prevent its end",
          "[end_to_end]") {
  auto opts = real_time();
  opts.stop_after = std::chrono::years{600};
  opts.timeout = opts.grace_period = opts.negotiation_timeout = opts.end_timeout
    = opts.checkpoint.timeout = opts.network.heartbeat
    = opts.network.connection_timeout = opts.network.join_timeout
    = opts.network.clock_warn = std::chrono::nanoseconds::max();
  opts.lag_warn = std::chrono::hours::max();
  test_system sys;
  rosia::application app{sys, opts};
  app.create<rosia::timer>("clock", std::chrono::hours::max());
  auto bell = app.create<doorbell>("bell");
  auto last = app.create<recorder<int>>("last");
  auto far = app.create<recorder<int>>("far");
  app.connect(bell, &doorbell::out, last, &recorder<int>::in);
  app.connect(
    bell, &doorbell::out, far, &recorder<int>::in, std::chrono::years{600});
  CHECK(bell->ring.schedule(1));
  CHECK(bell->ring.schedule(-1));
  CHECK(app.run() == 0);
  CHECK(last->got.size() == 2);
  CHECK(far->got.empty());
}

TEST_CASE("an end that is requested beyond the last tag never happens",
          "[end_to_end]") {
  test_system sys;
  rosia::application app{sys, fast_until(5ms)};
  auto from = app.create<script>("from", [](script& me) {
    me.request_shutdown(std::chrono::hours::max(), 7);
    me.out(1);
  });
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &script::out, to, &recorder<int>::in, 5ms);
  CHECK(app.run() == 0);
  CHECK(to->got.size() == 1);
}

TEST_CASE(
  "5.8 the values that arrive beyond the final tag are counted and named "
  "at the end",
  "[end_to_end]") {
  // Receivers leave before or after the last values are sent.
  for (auto round = 0; round < 50; ++round) {
    error_capture log;
    test_system sys;
    rosia::application app{sys, with_log(fast_until(1ms))};
    auto from = app.create<source<int>>(
      "from", std::vector<source<int>::item>{{{}, 7}, {1ms, 8}});
    auto left = app.create<recorder<int>>("left");
    auto right = app.create<recorder<int>>("right");
    app.connect(from, &source<int>::out, left, &recorder<int>::in,
                rosia::after(rosia::microsteps(1)));
    app.connect(from, &source<int>::out, right, &recorder<int>::in, 2ms);
    CHECK(app.run() == 0);
    CHECK(left->got.size() == 1);
    CHECK(right->got.empty());
    CHECK_THAT(log.text(),
               ContainsSubstring("beyond the final tag 1ms, 3 values were not "
                                 "executed: 1 for 'left', 2 for 'right'"));
  }
}

TEST_CASE("5.8 values that an abort drops do not count as beyond the final tag",
          "[end_to_end]") {
  error_capture log;
  test_system sys;
  auto opts = with_log(fast_until(1ms));
  opts.timeout = 10ms;
  rosia::application app{sys, opts};
  // It writes after its receiver has left.
  auto from = app.create<script>("from", [](script& me) {
    std::this_thread::sleep_for(200ms);
    me.out(1);
  });
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &script::out, to, &recorder<int>::in);
  CHECK(app.run() == 129);
  CHECK(to->got.empty());
  CHECK_THAT(log.text(), !ContainsSubstring("beyond the final tag"));
}

} // namespace end_to_end_test
