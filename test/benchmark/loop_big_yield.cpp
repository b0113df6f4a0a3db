// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A loop closed by a microstep, whose driver yields for a long time. With
// promises that advance by microsteps, the cost of a round would grow with the
// yield. With the loop time table no promise is sent.

#include "report.hpp"
#include "systems.hpp"

#include "application/application_access.hpp"
#include "caf/rosia/application.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

struct driver : rosia::node {
  driver(std::chrono::nanoseconds yield, int count)
    : pause(yield), rounds(count) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};

  void start() {
    out(0);
  }

  rosia::reaction on_in{this, "on_in", {in}, [this]() -> rosia::task {
                          auto round = *in;
                          co_await rosia::after(pause);
                          if (round < rounds)
                            out(round);
                        }};

  std::chrono::nanoseconds pause;
  int rounds;
};

struct follower : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] { out(*in + 1); }};
};

void build(rosia::application& app, std::chrono::nanoseconds pause,
           int rounds) {
  auto a = app.create<driver>("driver", pause, rounds);
  auto b = app.create<follower>("follower");
  app.connect(a, &driver::out, b, &follower::in);
  app.connect(
    b, &follower::out, a, &driver::in, rosia::after(rosia::microsteps(1)));
}

double seconds_per_round(caf::actor_system& sys,
                         std::chrono::nanoseconds pause) {
  constexpr auto rounds = 200'000;
  rosia::application app{sys, bench::fast()};
  build(app, pause, rounds);
  auto start = bench::clock::now();
  app.run();
  return bench::seconds_since(start) / rounds;
}

double promises_sent_alone(caf::actor_system& sys) {
  rosia::application app{sys, bench::fast()};
  build(app, 1s, 1'000);
  std::string trace;
  rosia::detail::application_access::trace(app, [&](std::string_view lines) {
    trace += lines;
  });
  app.run();
  auto result = 0.0;
  const std::string event = R"({"event":"promise")";
  for (auto i = trace.find(event); i != std::string::npos;
       i = trace.find(event, i + 1))
    ++result;
  return result;
}

void loop_big_yield(benchmark::State& state) {
  bench::system_scope scope;
  bench::report(
    {.name = "loop_big_yield",
     .quantity = "null messages in 1,000 rounds",
     .value = promises_sent_alone(scope.sys),
     .unit = "",
     .limit = 0.0});
  std::vector<double> long_yield, short_yield, ratios;
  for (auto _ : state) {
    long_yield.push_back(seconds_per_round(scope.sys, 1s) * 1e9);
    short_yield.push_back(seconds_per_round(scope.sys, 1us) * 1e9);
    ratios.push_back(long_yield.back() / short_yield.back());
  }
  bench::report(
    {.name = "loop_big_yield",
     .quantity = "a round with a yield of 1 s, against one of 1 us",
     .value = bench::quantile(long_yield, 0.5),
     .unit = "ns",
     .reference = bench::quantile(short_yield, 0.5),
     .ratio = bench::quantile(ratios, 0.5),
     .limit = 1.2});
}

BENCHMARK(loop_big_yield)->Iterations(15)->Unit(benchmark::kMillisecond);

} // namespace
