// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A node at a tag: the code that runs, its order, and its inputs.

#include "support.hpp"

#include <array>
#include <atomic>
#include <thread>

namespace execution_test {

using rosia::after;
using rosia::microsteps;

namespace {

// A node that records its events as text.
struct diary : rosia::node {
  void note(const std::string& text) {
    lines.push_back(text + " at " + to_string(now()));
  }

  std::vector<std::string> lines;
};

using lines = std::vector<std::string>;

struct ordinary : diary {
  rosia::input_port<int> x{this, "x"};
  rosia::input_port<int> y{this, "y"};

  rosia::reaction last_trigger{this, "first", {y}, [this] { note("first"); }};
  rosia::reaction both{this, "second", {x, y}, [this] { note("second"); }};
  rosia::reaction first_trigger{this, "third", {x}, [this] { note("third"); }};

  void start() {
    note("start");
  }

  void shutdown() {
    note("shutdown");
  }
};

} // namespace

// -- start --------------------------------------------------------------------

TEST_CASE("start() precedes the inputs at (0, 0)", "[execution]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto from = app.create<source<int>>("from", one_seven);
  auto to = app.create<ordinary>("to");
  app.connect(from, &source<int>::out, to, &ordinary::x);
  CHECK(app.run() == 0);
  CHECK(
    to->lines
    == lines{"start at 0s", "second at 0s", "third at 0s", "shutdown at 0s"});
}

TEST_CASE("start() waits for no other node: it runs on all nodes in parallel",
          "[execution]") {
  test_system sys{2};
  rosia::application app{sys, fast()};
  std::atomic<int> running{0};
  std::atomic<bool> met{true};
  auto meet = [&](script& self) {
    ++running;
    if (!eventually([&] { return running == 2; }))
      met = false;
    self.out(1);
  };
  auto from = app.create<script>("from", meet);
  struct downstream : script {
    using script::script;
    rosia::input_port<int> in{this, "in"};
  };
  auto to = app.create<downstream>("to", meet);
  app.connect(from, &script::out, to, &downstream::in);
  CHECK(app.run() == 0);
  CHECK(met);
}

TEST_CASE(
  "nodes that constantly wake each other leave a worker to other actors",
  "[execution][groups]") {
  struct hand : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    std::atomic<int> passed{0};

    rosia::reaction on_in{this, "on_in", {in}, [this] {
                            ++passed;
                            out(*in);
                          }};
  };
  struct opening_hand : hand {
    void start() {
      out(0);
    }
  };
  test_system sys{1};
  auto opts = fast();
  opts.groups = GENERATE("off", "all");
  rosia::application app{sys, opts};
  auto left = app.create<opening_hand>("left");
  auto right = app.create<hand>("right");
  app.connect(left, &hand::out, right, &hand::in);
  app.connect(right, &hand::out, left, &hand::in, rosia::physical);
  std::thread other{[&] {
    // All other work must get its turn.
    eventually([&] { return left->passed > 1000; });
    app.request_shutdown();
  }};
  CHECK(app.run() == 0);
  other.join();
}

TEST_CASE("the output of start() is sent when it first yields", "[execution]") {
  // The receiver gets the value although the sender never returns.
  struct endless : rosia::node {
    rosia::output_port<int> out{this, "out"};
    rosia::task start() {
      out(1);
      for (;;)
        co_await after(1h);
    }
  };
  test_system sys;
  rosia::application app{sys, real_time()};
  auto from = app.create<endless>("from");
  struct stopper : recorder<int> {
    rosia::reaction stop{this, "stop", {in}, [this] { request_shutdown(); }};
  };
  auto to = app.create<stopper>("to");
  app.connect(from, &endless::out, to, &stopper::in);
  CHECK(app.run() == 0);
  CHECK(to->got == record<int>{{0s, 1}});
}

TEST_CASE("every node starts at tag (0, 0)", "[execution]") {
  test_system sys;
  rosia::application app{sys, fast()};
  std::array<logical_time, 3> tags;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    tags[i] = rosia::forever;
    app.create<script>("node" + std::to_string(i), [&tags, i](script& self) {
      tags[i] = self.now();
    });
  }
  CHECK(app.run() == 0);
  CHECK(tags == std::array<logical_time, 3>{});
}

// -- order --------------------------------------------------------------------

TEST_CASE("reactions run in the order of declaration, once a tag",
          "[execution]") {
  rosia::test::harness<ordinary> h;
  h.set(&ordinary::x, 1ms, 1);
  h.set(&ordinary::y, 2ms, 1);
  h.set(&ordinary::x, 3ms, 1);
  h.set(&ordinary::y, 3ms, 1);
  h.run();
  CHECK(h->lines
        == lines{"start at 0s", "second at 1ms", "third at 1ms", "first at 2ms",
                 "second at 2ms", "first at 3ms", "second at 3ms",
                 "third at 3ms", "shutdown at 3ms"});
}

TEST_CASE("a reaction runs once for any number of values of its trigger",
          "[execution]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto to = app.create<ordinary>("to");
  for (auto name : {"a", "b", "c"}) {
    auto from = app.create<source<int>>(name, one_seven);
    app.connect(from, &source<int>::out, to, &ordinary::y);
  }
  CHECK(app.run() == 0);
  CHECK(
    to->lines
    == lines{"start at 0s", "first at 0s", "second at 0s", "shutdown at 0s"});
}

TEST_CASE("a reaction sees values of ports other than its triggers",
          "[execution]") {
  struct adder : rosia::node {
    rosia::input_port<int> x{this, "x"};
    rosia::input_port<int> y{this, "y"};
    rosia::output_port<int> sum{this, "sum"};
    rosia::reaction on_y{this, "on_y", {y}, [this] { sum(*x + *y); }};
  };
  rosia::test::harness<adder> h;
  h.set(&adder::x, 0s, 1);
  h.set(&adder::y, 0s, 10);
  h.set(&adder::x, 1s, 2);
  h.set(&adder::y, 2s, 20);
  h.run();
  CHECK(h.outputs(&adder::sum) == record<int>{{0s, 11}, {2s, 22}});
}

namespace {

struct late_sleeper : diary {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction later{this, "later", {in}, [this]() -> rosia::task {
                          auto x = std::to_string(*in);
                          co_await after(3ms);
                          note("later " + x + " sees " + std::to_string(*in)
                               + (in.is_present() ? " present" : ""));
                        }};
  rosia::reaction sooner{
    this, "sooner", {in}, [this]() -> rosia::task {
      auto x = std::to_string(*in);
      co_await after(2ms);
      note("sooner " + x + " sees " + std::to_string(*in)
           + (in.is_present() ? " present" : ""));
    }};
  rosia::reaction at_once{
    this, "at_once", {in}, [this] { note("at_once " + std::to_string(*in)); }};
};

} // namespace

TEST_CASE("yielded reactions run before the inputs are set, in the order in "
          "which they were scheduled",
          "[execution]") {
  rosia::test::harness<late_sleeper> h;
  h.set(&late_sleeper::in, 1ms, 1);
  h.set(&late_sleeper::in, 2ms, 2);
  h.set(&late_sleeper::in, 4ms, 4);
  h.run();
  // At 4ms: `later` of 1ms was scheduled before `sooner` of 2ms.
  CHECK(
    h->lines
    == lines{"at_once 1 at 1ms", "at_once 2 at 2ms", "sooner 1 sees 2 at 3ms",
             "later 1 sees 2 at 4ms", "sooner 2 sees 2 at 4ms",
             "at_once 4 at 4ms", "later 2 sees 4 at 5ms",
             "sooner 4 sees 4 at 6ms", "later 4 sees 4 at 7ms"});
}

TEST_CASE(
  "each triggering starts a new instance, and other reactions run meanwhile",
  "[execution]") {
  struct sleeper : diary {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction slow{this, "slow", {in}, [this]() -> rosia::task {
                           auto x = *in;
                           co_await after(10ms);
                           out(x);
                         }};
  };
  rosia::test::harness<sleeper> h;
  for (int i = 0; i < 5; ++i)
    h.set(&sleeper::in, std::chrono::milliseconds{i}, i);
  h.run();
  CHECK(h.outputs(&sleeper::out)
        == record<int>{{10ms, 0}, {11ms, 1}, {12ms, 2}, {13ms, 3}, {14ms, 4}});
}

namespace {

struct two_inputs : diary {
  rosia::input_port<int> a{this, "a"};
  rosia::input_port<int> b{this, "b"};
  rosia::reaction on_a{this, "on_a", {a}, [this]() -> rosia::task {
                         note("on_a");
                         co_await after(100ms);
                         note("on_a resumed");
                       }};
  rosia::reaction on_b{this, "on_b", {b}, [this] { note("on_b"); }};
};

} // namespace

TEST_CASE("instances of one reaction whose yields end at one tag resume a "
          "microstep apart",
          "[execution]") {
  struct delayer : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction on_in{this, "on_in", {in}, [this]() -> rosia::task {
                            auto x = *in;
                            co_await rosia::after(100ms);
                            out(x);
                          }};
  };
  test_system sys{GENERATE(1u, 2u)};
  rosia::application app{sys, fast()};
  auto from = app.create<source<int>>(
    "from", std::vector<source<int>::item>{
              {{}, 1}, {microsteps(1), 2}, {microsteps(1), 3}, {1ms, 4}});
  auto middle = app.create<delayer>("middle");
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &source<int>::out, middle, &delayer::in);
  app.connect(middle, &delayer::out, to, &recorder<int>::in);
  CHECK(app.run() == 0);
  CHECK(
    to->got
    == record<int>{
      {at(100ms), 1}, {at(100ms, 1), 2}, {at(100ms, 2), 3}, {at(101ms), 4}});
}

TEST_CASE("3.2 a yield does not change the tag that other reactions see",
          "[execution]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto x = app.create<source<int>>("x", one_seven);
  auto y = app.create<source<int>>("y", one_seven);
  auto to = app.create<two_inputs>("to");
  app.connect(x, &source<int>::out, to, &two_inputs::a);
  app.connect(y, &source<int>::out, to, &two_inputs::b);
  CHECK(app.run() == 0);
  CHECK(
    to->lines == lines{"on_a at 0s", "on_b at 0s", "on_a resumed at 100ms"});
}

namespace {

struct stepper : diary {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction first{this, "first", {in}, [this]() -> rosia::task {
                          note("first");
                          co_await after(microsteps(1));
                          note("first resumed");
                        }};
  rosia::reaction second{this, "second", {in}, [this] { note("second"); }};
};

} // namespace

TEST_CASE("all reactions at a tag return before a later event", "[execution]") {
  rosia::test::harness<stepper> h;
  h.set(&stepper::in, 1ms, 1);
  h.set(&stepper::in, at(1ms, 1), 2);
  h.run();
  CHECK(
    h->lines
    == lines{"first at 1ms", "second at 1ms", "first resumed at 1ms+1",
             "first at 1ms+1", "second at 1ms+1", "first resumed at 1ms+2"});
}

// -- yields and delays --------------------------------------------------------

TEST_CASE("tag + duration is (ns + d, 0), tag + n microsteps is (ns, m + n), "
          "and a duration of zero is one microstep",
          "[execution]") {
  struct yielder : diary {
    rosia::task start() {
      co_await after(microsteps(3));
      note("1");
      co_await after(0s);
      note("2");
      co_await after(5ms);
      note("3");
      co_await after(microsteps(0xffffffff));
      note("4");
      co_await after(1ns);
      note("5");
      co_await 2ns;
      note("6");
    }
  };
  rosia::test::harness<yielder> h;
  h.run();
  CHECK(h->lines
        == lines{"1 at 0s+3", "2 at 0s+4", "3 at 5ms", "4 at 5ms+4294967295",
                 "5 at 5.000001ms", "6 at 5.000003ms"});
}

TEST_CASE("delays compose along a path", "[execution]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto from = app.create<source<int>>(
    "from", std::vector<source<int>::item>{{microsteps(2), 1}, {1ms, 2}});
  auto a = app.create<relay<int>>("a");
  auto b = app.create<relay<int>>("b");
  auto c = app.create<relay<int>>("c");
  auto to = app.create<recorder<int>>("to");
  app.connect(
    from, &source<int>::out, a, &relay<int>::in, after(microsteps(1)));
  app.connect(a, &relay<int>::out, b, &relay<int>::in, 5ms);
  app.connect(b, &relay<int>::out, c, &relay<int>::in);
  app.connect(c, &relay<int>::out, to, &recorder<int>::in, 0s);
  CHECK(app.run() == 0);
  CHECK(to->got == record<int>{{at(5ms, 1), 1}, {at(6ms, 1), 2}});
}

TEST_CASE("arrivals that would coincide are a microstep apart: nothing is "
          "merged, dropped or reordered",
          "[execution]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  using item = source<int>::item;
  auto from = app.create<source<int>>(
    "from",
    std::vector<item>{
      {{}, 1},
      {microsteps(1), 2},
      {microsteps(5), 3},
      {1ns, 4},
      {microsteps(1), 5}});
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &source<int>::out, to, &recorder<int>::in, 1s);
  CHECK(app.run() == 0);
  CHECK(
    to->got
    == record<int>{
      {1s, 1},
      {at(1s, 1), 2},
      {at(1s, 2), 3},
      {at(1s + 1ns), 4},
      {at(1s + 1ns, 1), 5}});
}

// -- inputs -------------------------------------------------------------------

TEST_CASE("values at one tag are kept in the order in which the connections "
          "were declared; reading gives the last",
          "[execution]") {
  struct collector : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{this, "on_in", {in}, [this] {
                            last = *in;
                            auto values = in.all();
                            all.assign(values.begin(), values.end());
                            front = values.front();
                            back = values.back();
                            second = values[1];
                            size = values.size();
                          }};
    std::vector<int> all;
    int last = 0, front = 0, back = 0, second = 0;
    std::size_t size = 0;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  std::vector<rosia::node_ref<source<int>>> from;
  for (int i = 0; i < 5; ++i)
    from.push_back(app.create<source<int>>(
      "from" + std::to_string(i), std::vector<source<int>::item>{{1ms, i}}));
  auto to = app.create<collector>("to");
  for (auto i : {3, 1, 4, 0, 2})
    app.connect(
      from[static_cast<std::size_t>(i)], &source<int>::out, to, &collector::in);
  CHECK(app.run() == 0);
  CHECK(to->all == std::vector<int>{3, 1, 4, 0, 2});
  CHECK(to->last == 2);
  CHECK(to->front == 3);
  CHECK(to->back == 2);
  CHECK(to->second == 1);
  CHECK(to->size == 5);
}

TEST_CASE("a port without a new value keeps its last one, and is_present() "
          "returns false",
          "[execution]") {
  struct observer : rosia::node {
    rosia::input_port<int> data{this, "data"};
    rosia::input_port<logical_time> tick{this, "tick"};
    rosia::reaction on_tick{
      this, "on_tick", {tick}, [this] {
        seen.push_back(
          to_string(now()) + ": "
          + (data.has_value() ? std::to_string(*data) : "nothing")
          + (data.is_present() ? " present" : "") + ", "
          + std::to_string(data.all().size()));
      }};
    lines seen;
  };
  rosia::test::harness<observer> h;
  for (auto ms : {0, 10, 20, 30})
    h.set(&observer::tick, std::chrono::milliseconds{ms}, logical_time{});
  h.set(&observer::data, 10ms, 1);
  h.set(&observer::data, 15ms, 2);
  h.set(&observer::data, 25ms, 3);
  h.set(&observer::data, 25ms, 4);
  h.run();
  CHECK(h->seen
        == lines{
          "0s: nothing, 0", "10ms: 1 present, 1", "20ms: 2, 0", "30ms: 4, 0"});
}

TEST_CASE("a port of any type: a struct by ->, a container, a pointer that "
          "cannot be copied",
          "[execution]") {
  struct pose {
    double x, y;
  };
  struct consumer : rosia::node {
    rosia::input_port<pose> at{this, "at"};
    rosia::input_port<std::vector<int>> list{this, "list"};
    rosia::input_port<std::unique_ptr<int>> owned{this, "owned"};
    rosia::output_port<std::unique_ptr<int>> out{this, "out"};
    rosia::reaction step{
      this, "step", {at, list, owned}, [this] {
        sum = at->x + (*at).y + static_cast<double>(list->size());
        sum += **owned;
        out(owned);
      }};
    double sum = 0;
  };
  rosia::test::harness<consumer> h;
  h.set(&consumer::at, 0s, pose{1, 2});
  h.set(&consumer::list, 0s, std::vector<int>{1, 2, 3});
  h.set(&consumer::owned, 0s, std::make_unique<int>(10));
  h.run();
  CHECK_FALSE(h.error());
  CHECK(h->sum == 16);
}

// -- outputs ------------------------------------------------------------------

TEST_CASE("an output has any number of connected inputs, or none",
          "[execution]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto from = app.create<source<int>>("from", one_seven);
  app.create<source<int>>("unheard", one_seven);
  std::vector<rosia::node_ref<recorder<int>>> to;
  for (int i = 0; i < 20; ++i) {
    to.push_back(app.create<recorder<int>>("to" + std::to_string(i)));
    app.connect(from, &source<int>::out, to.back(), &recorder<int>::in,
                rosia::delay{std::chrono::milliseconds{i + 1}});
  }
  CHECK(app.run() == 0);
  for (int i = 0; i < 20; ++i)
    CHECK(to[static_cast<std::size_t>(i)]->got
          == record<int>{{std::chrono::milliseconds{i + 1}, 7}});
}

TEST_CASE("a sent value does not change if the writer changes its own",
          "[execution]") {
  struct writer : rosia::node {
    rosia::output_port<std::vector<int>> out{this, "out"};
    void start() {
      std::vector<int> x{1, 2};
      out(x);
      x.push_back(3);
    }
  };
  rosia::test::harness<writer> h;
  h.run();
  CHECK(h.values(&writer::out) == std::vector<std::vector<int>>{{1, 2}});
}

TEST_CASE("an output may be written again after a yield of a microstep",
          "[execution]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  std::vector<source<int>::item> items;
  for (int i = 0; i < 1000; ++i)
    items.push_back({i == 0 ? rosia::delay{} : after(microsteps(1)), i});
  auto from = app.create<source<int>>("from", items);
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &source<int>::out, to, &recorder<int>::in);
  CHECK(app.run() == 0);
  REQUIRE(to->got.size() == 1000);
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(to->got[static_cast<std::size_t>(i)]
            == sent<int>{at(0s, static_cast<std::uint32_t>(i)), i});
  }
}

TEST_CASE("a kept promise has no effect", "[execution]") {
  struct promiser : rosia::node {
    rosia::output_port<int> out{this, "out"};
    rosia::task start() {
      out.promise(5ms);
      co_await after(5ms);
      for (int i = 0; i < 3; ++i) {
        out(i, rosia::output_promise(10ms));
        co_await after(i == 0 ? 10ms : 15ms);
      }
    }
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  rosia::application app{sys, fast()};
  auto from = app.create<promiser>("from");
  auto middle = app.create<relay<int>>("middle");
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &promiser::out, middle, &relay<int>::in);
  app.connect(middle, &relay<int>::out, to, &recorder<int>::in);
  CHECK(app.run() == 0);
  CHECK(to->got == record<int>{{5ms, 0}, {15ms, 1}, {30ms, 2}});
}

TEST_CASE("of two promises the later one holds", "[execution]") {
  struct promiser : rosia::node {
    rosia::output_port<int> out{this, "out"};
    rosia::task start() {
      out.promise(20ms);
      out.promise(5ms);
      co_await after(10ms);
      out(1);
    }
  };
  rosia::test::harness<promiser> h;
  h.run();
  REQUIRE(h.error());
  CHECK(h.error()->text
        == "output 'out' was written at tag 10ms, but the node promised to "
           "write nothing before 20ms");
}

// -- the timer ----------------------------------------------------------------

TEST_CASE("a timer sends its tag at the offset, and then every period",
          "[execution][timer]") {
  rosia::test::harness<rosia::timer> from_start{10ms};
  from_start.run_until(35ms);
  CHECK(from_start.outputs(&rosia::timer::output)
        == record<logical_time>{
          {0s, at(0s)}, {10ms, at(10ms)}, {20ms, at(20ms)}, {30ms, at(30ms)}});
  rosia::test::harness<rosia::timer> with_offset{10ms, 1ms};
  with_offset.run_until(21ms);
  CHECK(with_offset.outputs(&rosia::timer::output)
        == record<logical_time>{
          {1ms, at(1ms)}, {11ms, at(11ms)}, {21ms, at(21ms)}});
}

// -- determinism --------------------------------------------------------------

TEST_CASE("the same graph gives the same values at the same tags on any "
          "number of threads",
          "[execution]") {
  auto run = [](std::size_t workers) {
    test_system sys{workers};
    rosia::application app{sys, fast_until(50ms)};
    auto fast_clock = app.create<rosia::timer>("fast", 1ms);
    auto slow_clock = app.create<rosia::timer>("slow", 3ms, 1ms);
    struct counter : rosia::node {
      rosia::input_port<logical_time> tick{this, "tick"};
      rosia::output_port<int> out{this, "out"};
      rosia::reaction on_tick{
        this, "on_tick", {tick}, [this] { out(count++); }};
      int count = 0;
    };
    auto a = app.create<counter>("a");
    auto b = app.create<counter>("b");
    auto c = app.create<relay<int>>("c");
    auto to = app.create<recorder<int>>("to");
    app.connect(fast_clock, &rosia::timer::output, a, &counter::tick);
    app.connect(slow_clock, &rosia::timer::output, b, &counter::tick);
    app.connect(slow_clock, &rosia::timer::output, a, &counter::tick, 500us);
    app.connect(a, &counter::out, to, &recorder<int>::in);
    app.connect(b, &counter::out, c, &relay<int>::in, 2ms);
    app.connect(c, &relay<int>::out, to, &recorder<int>::in);
    app.connect(b, &counter::out, to, &recorder<int>::in, microsteps(1));
    CHECK(app.run() == 0);
    return to->got;
  };
  auto expected = run(1);
  // The relay's values and the counter's arrive at the same tags.
  CHECK(expected.size() == 51 + 17 + 17 + 16);
  for (std::size_t workers : {1u, 2u, 4u})
    CHECK(run(workers) == expected);
}

} // namespace execution_test
