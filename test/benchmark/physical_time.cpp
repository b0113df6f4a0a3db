// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Physical time: the latency of calls from outside, the lateness of timers, and
// the cost of waiting.

#include "report.hpp"
#include "systems.hpp"

#include "caf/rosia/application.hpp"
#include "caf/rosia/physical_action.hpp"
#include "caf/rosia/tick.hpp"
#include "caf/rosia/timer.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <string>
#include <thread>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

// -- wake ---------------------------------------------------------------------

using instant = std::int64_t; // nanoseconds of the steady clock

instant steady_now() {
  return bench::clock::now().time_since_epoch().count();
}

struct sensor : rosia::node {
  rosia::output_port<instant> out{this, "out"};
  rosia::physical_action<instant> sample{this, "sample"};
  rosia::physical_action<bool> end{this, "end"};
  rosia::reaction on_sample{
    this, "on_sample", {sample}, [this] { out(*sample); }};
  rosia::reaction on_end{this, "on_end", {end}, [this] { request_shutdown(); }};
};

struct relay : rosia::node {
  rosia::input_port<instant> in{this, "in"};
  rosia::output_port<instant> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] { out(in); }};
};

struct probe : rosia::node {
  rosia::input_port<instant> in{this, "in"};
  std::vector<double> delays;
  std::atomic<std::size_t> count{0};

  rosia::reaction on_in{
    this, "on_in", {in}, [this] {
      delays.push_back(static_cast<double>(steady_now() - *in) / 1e3);
      ++count;
    }};
};

void wake(benchmark::State& state) {
  constexpr auto calls = 2'000;
  bench::system_scope scope;
  std::vector<double> delays;
  for (auto _ : state) {
    rosia::application app{scope.sys, bench::realtime()};
    auto from = app.create<sensor>("sensor");
    auto via = app.create<relay>("relay");
    auto to = app.create<probe>("probe");
    app.connect(from, &sensor::out, via, &relay::in);
    app.connect(via, &relay::out, to, &probe::in);
    auto& count = to->count;
    std::thread caller{[&, sample = &from->sample, end = &from->end] {
      // The application must be idle again before each call.
      for (auto i = 0; i < calls; ++i) {
        std::this_thread::sleep_for(500us);
        sample->schedule(steady_now());
        while (count <= static_cast<std::size_t>(i))
          std::this_thread::sleep_for(100us);
      }
      end->schedule(true);
    }};
    app.run();
    caller.join();
    delays.insert(delays.end(), to->delays.begin(), to->delays.end());
  }
  bench::report(
    {.name = "wake",
     .quantity = "from a physical action's call to a reaction two nodes on, "
                 "median",
     .value = bench::quantile(delays, 0.5),
     .unit = "us",
     .limit = 60.0});
  bench::report(
    {.name = "wake",
     .quantity = "the same, p99",
     .value = bench::quantile(delays, 0.99),
     .unit = "us"});
}

// -- timers -------------------------------------------------------------------

struct lateness : rosia::node {
  rosia::input_port<rosia::logical_time> tick{this, "tick"};
  std::vector<double> late;

  rosia::reaction on_tick{
    this, "on_tick", {tick}, [this] {
      auto by = elapsed().count() - rosia::node::now().ns;
      late.push_back(static_cast<double>(by) / 1e3);
    }};
};

void timer_lateness(benchmark::State& state) {
  bench::system_scope scope;
  std::vector<double> late;
  for (auto _ : state) {
    auto opts = bench::realtime();
    opts.stop_after = rosia::logical_time{2'000'000'000, 0};
    rosia::application app{scope.sys, opts};
    auto clock = app.create<rosia::timer>("clock", 1ms, 1ms);
    auto to = app.create<lateness>("probe");
    app.connect(clock, &rosia::timer::output, to, &lateness::tick);
    app.run();
    late.insert(late.end(), to->late.begin(), to->late.end());
  }
  bench::report(
    {.name = "timer",
     .quantity = "lateness of a 1 kHz timer, in its receiver, median",
     .value = bench::quantile(late, 0.5),
     .unit = "us",
     .limit = 100.0});
  bench::report(
    {.name = "timer",
     .quantity = "the same, p99",
     .value = bench::quantile(late, 0.99),
     .unit = "us"});
}

// -- idle ---------------------------------------------------------------------

void idle(benchmark::State& state) {
  constexpr auto duration = 3s;
  bench::system_scope scope;
  auto used = 0.0;
  for (auto _ : state) {
    rosia::application app{scope.sys, bench::realtime()};
    auto from = app.create<sensor>("sensor");
    auto to = app.create<probe>("probe");
    app.connect(from, &sensor::out, to, &probe::in);
    std::thread caller{[&, end = &from->end] {
      std::this_thread::sleep_for(200ms);
      auto before = bench::cpu_seconds();
      std::this_thread::sleep_for(duration);
      used = bench::cpu_seconds() - before;
      end->schedule(true);
    }};
    app.run();
    caller.join();
  }
  bench::report(
    {.name = "idle",
     .quantity = "CPU time of an application that waits for a physical action",
     .value = used / std::chrono::duration<double>(duration).count() * 100,
     .unit = "%",
     .limit = 0.05});
}

// -- calm ---------------------------------------------------------------------

struct ticker : rosia::node {
  rosia::output_port<instant> out{this, "out"};
  rosia::tick every{this, "every", 200us, 200us};
  rosia::reaction on_tick{this, "on_tick", {every}, [this] { out(0); }};
};

/// Passes nothing on.
struct gate : rosia::node {
  rosia::input_port<instant> in{this, "in"};
  rosia::output_port<instant> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [] {}};
};

/// Returns the processor time of a tick behind which `count` nodes do nothing,
/// in microseconds.
double processor_time(caf::actor_system& sys, int count) {
  constexpr auto settling = 1s;
  constexpr auto duration = 2s;
  rosia::application app{sys, bench::realtime()};
  auto from = app.create<ticker>("ticker");
  auto closed = app.create<gate>("gate");
  from[&ticker::out] >>= closed[&gate::in];
  auto last = app.create<relay>("idle 0");
  closed[&gate::out] >>= last[&relay::in];
  for (auto i = 1; i < count; ++i) {
    auto next = app.create<relay>("idle " + std::to_string(i));
    last[&relay::out] >>= next[&relay::in];
    last = next;
  }
  auto used = 0.0;
  std::thread observer{[&] {
    std::this_thread::sleep_for(settling);
    auto before = bench::cpu_seconds();
    std::this_thread::sleep_for(duration);
    used = bench::cpu_seconds() - before;
    app.request_shutdown();
  }};
  app.run();
  observer.join();
  return used / (duration / 200us) * 1e6;
}

void calm(benchmark::State& state) {
  bench::system_scope scope;
  auto few = 0.0;
  auto many = 0.0;
  for (auto _ : state) {
    few = processor_time(scope.sys, 4);
    many = processor_time(scope.sys, 250);
  }
  bench::report(
    {.name = "calm",
     .quantity = "processor time of a tick in physical time, beside "
                 "250 nodes that do nothing, against 4",
     .value = many,
     .unit = "us",
     .reference = few,
     .ratio = many / few,
     .limit = 2.0});
}

BENCHMARK(wake)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(timer_lateness)->Iterations(2)->Unit(benchmark::kSecond);
BENCHMARK(idle)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(calm)->Iterations(1)->Unit(benchmark::kSecond);

} // namespace
