// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Programs of Lingua Franca's tests of timers, written anew with ticks. The
// tests are named after them, and expect the same values at the same tags.

#include "application/ported_nodes.hpp"

#include <array>

namespace timers_test {

using namespace ported;

namespace {

/// Counts from 1, at each multiple of a period.
struct counting_clock : rosia::node {
  explicit counting_clock(std::chrono::nanoseconds period = 1s)
    : t{this, "t", period} {
    // nop
  }

  rosia::tick t;
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_t{this, "on_t", {t}, [this] { out(++value); }};
  int value = 0;
};

/// Sends a number once, by a tick.
struct shot : rosia::node {
  explicit shot(int x) : value(x) {
    // nop
  }

  rosia::tick t{this, "t", rosia::once};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_t{this, "on_t", {t}, [this] { out(value); }};
  int value;
};

/// Stores the sum of the present inputs at each tag.
struct sums : rosia::node {
  rosia::input_ports<int> in{this, "in", 2};

  rosia::reaction on_in{this, "on_in", in, [this] {
                          auto sum = 0;
                          for (auto [i, x] : in.present())
                            sum += *x;
                          got.emplace_back(now(), sum);
                        }};

  record<int> got;
};

struct run_until {
  explicit run_until(std::chrono::nanoseconds end) : app{sys, fast_until(end)} {
    // nop
  }

  test_system sys;
  rosia::application app;
};

record<int> counted(int last) {
  record<int> result;
  for (auto i = 1; i <= last; ++i)
    result.emplace_back(1s * (i - 1), i);
  return result;
}

} // namespace

TEST_CASE("CountTest: a timer counts until the timeout", "[timers]") {
  run_until f{3s};
  auto a = f.app.create<counting_clock>("count");
  auto b = f.app.create<recorder<int>>("test");
  a[&counting_clock::out] >>= b[&recorder<int>::in];
  REQUIRE(f.app.run() == 0);
  CHECK(b->got == counted(4));
}

TEST_CASE("DoubleReaction: two timers trigger a reaction once", "[timers]") {
  run_until f{10s};
  auto a = f.app.create_bank<counting_clock>("c", 2);
  auto b = f.app.create<sums>("d");
  a[&counting_clock::out] >>= b[&sums::in];
  REQUIRE(f.app.run() == 0);
  record<int> expected;
  for (auto i = 0; i <= 10; ++i)
    expected.emplace_back(1s * i, 2 * i + 2);
  CHECK(b->got == expected);
}

namespace {

struct two_ticks : rosia::node {
  rosia::tick t1{this, "t1", rosia::once};
  rosia::tick t2{this, "t2", rosia::once};
  rosia::reaction on_both{this, "on_both", {t1, t2}, [this] { ++runs; }};
  int runs = 0;
};

struct offset_ticks : rosia::node {
  rosia::tick t1{this, "t1", 50ms};
  rosia::tick t2{this, "t2", 33ms, 33ms};

  rosia::reaction on_both{
    this, "on_both", {t1, t2}, [this] {
      got.emplace_back(now(), t1.is_present() + 2 * t2.is_present());
    }};

  record<int> got;
};

} // namespace

TEST_CASE("DoubleTrigger: two timers at one tag trigger a reaction once",
          "[timers]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto x = app.create<two_ticks>("x");
  REQUIRE(app.run() == 0);
  CHECK(x->runs == 1);
}

TEST_CASE("TimerIsPresent: each timer is present at its own times",
          "[timers]") {
  run_until f{1s};
  auto x = f.app.create<offset_ticks>("x");
  REQUIRE(f.app.run() == 0);
  CHECK(x->got.size() == 21 + 30);
  for (auto& [tag, which] : x->got) {
    auto ms = tag.ns / 1'000'000;
    CHECK(which == (ms % 50 == 0) + 2 * (ms % 33 == 0 && ms > 0));
  }
}

TEST_CASE("AfterZero: a delay of zero is one microstep", "[timers]") {
  run_until f{3s};
  auto a = f.app.create<counting_clock>("a");
  auto b = f.app.create<recorder<int>>("b");
  a[&counting_clock::out] >>= rosia::after(rosia::microsteps(1))
    >>= b[&recorder<int>::in];
  REQUIRE(f.app.run() == 0);
  record<int> expected; // the end at (3s, 0) is before the last value
  for (auto i = 0; i < 3; ++i)
    expected.push_back({at(1s * i, 1), i + 1});
  CHECK(b->got == expected);
}

TEST_CASE("Determinism: values over paths of different lengths meet",
          "[timers]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto s = app.create<shot>("s", 1);
  auto p = app.create_bank<relay<int>>("p", 2);
  auto d = app.create<sums>("d");
  rosia::ports(s[&shot::out], p[&relay<int>::out])
    >>= rosia::ports(p[&relay<int>::in], d[&sums::in][0]);
  s[&shot::out] >>= d[&sums::in][1];
  REQUIRE(app.run() == 0);
  CHECK(d->got == record<int>{{0s, 2}});
}

namespace {

/// Delays its values by an action.
struct delay_int : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::action<int> d{this, "d"};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { d.schedule(100ms, *in); }};
  rosia::reaction on_d{this, "on_d", {d}, [this] { out(d.value()); }};
};

/// Doubles a value, and sends another one half a second later.
struct twice_and_later : rosia::node {
  rosia::input_port<int> x{this, "x"};
  rosia::output_port<int> y{this, "y"};
  rosia::action<int> a{this, "a"};

  rosia::reaction on_x{this, "on_x", {x}, [this] {
                         y(2 * *x);
                         a.schedule(500ms, -42);
                       }};

  rosia::reaction on_a{this, "on_a", {a}, [this] { y(a.value()); }};
};

struct moving_average : rosia::node {
  rosia::input_port<double> in{this, "in"};
  rosia::output_port<double> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          auto sum = *in;
                          for (auto x : line)
                            sum += x;
                          out(sum / 4);
                          line[next] = *in;
                          next = (next + 1) % line.size();
                        }};

  std::array<double, 3> line{};
  std::size_t next = 0;
};

struct ascending : rosia::node {
  rosia::tick t{this, "clock", 200ms};
  rosia::output_port<double> out{this, "out"};
  rosia::reaction on_t{this, "on_t", {t}, [this] {
                         out(value);
                         value += 1;
                       }};
  double value = 0;
};

} // namespace

TEST_CASE("DelayInt: an action delays a value", "[timers]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto s = app.create<shot>("s", 42);
  auto d = app.create<delay_int>("d");
  auto t = app.create<recorder<int>>("test");
  s[&shot::out] >>= d[&delay_int::in];
  d[&delay_int::out] >>= t[&recorder<int>::in];
  REQUIRE(app.run() == 0);
  CHECK(t->got == record<int>{{100ms, 42}});
}

TEST_CASE("ScheduleLogicalAction: a reaction sends now and later", "[timers]") {
  run_until f{3s};
  auto a = f.app.create<counting_clock>("a");
  auto x = f.app.create<twice_and_later>("f");
  auto p = f.app.create<recorder<int>>("p");
  a[&counting_clock::out] >>= x[&twice_and_later::x];
  x[&twice_and_later::y] >>= p[&recorder<int>::in];
  REQUIRE(f.app.run() == 0);
  CHECK(
    p->got
    == record<int>{
      {0s, 2},
      {500ms, -42},
      {1s, 4},
      {1500ms, -42},
      {2s, 6},
      {2500ms, -42},
      {3s, 8}});
}

TEST_CASE("MovingAverage: a node keeps its last values", "[timers]") {
  run_until f{1s};
  auto s = f.app.create<ascending>("s");
  auto m = f.app.create<moving_average>("m");
  auto p = f.app.create<recorder<double>>("p");
  s[&ascending::out] >>= m[&moving_average::in];
  m[&moving_average::out] >>= p[&recorder<double>::in];
  REQUIRE(f.app.run() == 0);
  CHECK(
    p->got
    == record<double>{
      {0s, 0.0},
      {200ms, 0.25},
      {400ms, 0.75},
      {600ms, 1.5},
      {800ms, 2.5},
      {1s, 3.5}});
}

TEST_CASE("Pipeline: stages with delays between them", "[timers]") {
  run_until f{2s};
  auto s = f.app.create<ramp>("s");
  auto c = f.app.create_bank<relay<int>>("c", 4);
  auto p = f.app.create<recorder<int>>("p");
  s[&ramp::out] >>= c[0][&relay<int>::in];
  for (std::size_t i = 0; i + 1 < c.size(); ++i)
    c[i][&relay<int>::out] >>= rosia::after(200ms)
      >>= c[i + 1][&relay<int>::in];
  c[3][&relay<int>::out] >>= p[&recorder<int>::in];
  REQUIRE(f.app.run() == 0);
  record<int> expected;
  for (auto i = 0; i <= 7; ++i)
    expected.emplace_back(600ms + 200ms * i, i);
  CHECK(p->got == expected);
}

TEST_CASE("TimeoutZero: only the first tag is executed", "[timers]") {
  run_until f{0s};
  auto a = f.app.create<counting_clock>("a");
  auto b = f.app.create<recorder<int>>("b");
  a[&counting_clock::out] >>= b[&recorder<int>::in];
  REQUIRE(f.app.run() == 0);
  CHECK(b->got == counted(1));
}

TEST_CASE("DanglingOutput: an output may lead nowhere", "[timers]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto s = app.create<shot>("s", 1);
  auto d = app.create<delay_int>("d");
  s[&shot::out] >>= d[&delay_int::in];
  CHECK(app.run() == 0);
}

} // namespace timers_test
