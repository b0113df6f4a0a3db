// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Parallel work is executed in parallel although light nodes form groups: with
// the default settings it takes as long as with each node alone.

#include "light_nodes.hpp"
#include "pairs.hpp"
#include "work.hpp"

#include "caf/rosia/application.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/task.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace rosia = caf::rosia;

using namespace std::chrono_literals;

using bench::summing_sink;
using bench::ticker;

struct relay : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  std::chrono::nanoseconds duration;

  explicit relay(std::chrono::nanoseconds busy = 0ns) : duration(busy) {
    // nop
  }

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          if (duration > 0ns)
                            bench::work(duration);
                          out(*in);
                        }};
};

rosia::options with_groups(const char* which) {
  auto result = bench::fast();
  result.groups = which;
  return result;
}

double run(rosia::application& app) {
  auto start = bench::clock::now();
  app.run();
  return bench::seconds_since(start);
}

/// Connects a source, `relays` nodes of which the middle one is busy, and a
/// sink.
void add_pipeline(rosia::application& app, const std::string& name, int rounds,
                  int relays, std::chrono::nanoseconds busy) {
  auto from = app.create<ticker>(name + " from", rounds);
  auto to = app.create<summing_sink>(name + " to");
  auto last = app.create<relay>(name + " 0");
  app.connect(from, &ticker::out, last, &relay::in);
  for (auto i = 1; i < relays; ++i) {
    auto next = app.create<relay>(
      name + ' ' + std::to_string(i), i == relays / 2 ? busy : 0ns);
    app.connect(last, &relay::out, next, &relay::in);
    last = next;
  }
  app.connect(last, &relay::out, to, &summing_sink::in);
}

double pipelines(caf::actor_system& sys, const char* groups) {
  rosia::application app{sys, with_groups(groups)};
  for (auto name : {"left", "right"})
    add_pipeline(app, name, 20'000, 10, 0ns);
  return run(app);
}

double heavy_middle(caf::actor_system& sys, const char* groups) {
  rosia::application app{sys, with_groups(groups)};
  add_pipeline(app, "line", 4'000, 10, 50us);
  return run(app);
}

double fork_join(caf::actor_system& sys, const char* groups) {
  rosia::application app{sys, with_groups(groups)};
  auto from = app.create<ticker>("from", 200);
  auto to = app.create<summing_sink>("to");
  for (auto i = 0; i < 16; ++i) {
    auto worker = app.create<relay>("worker " + std::to_string(i), 100us);
    app.connect(from, &ticker::out, worker, &relay::in);
    app.connect(worker, &relay::out, to, &summing_sink::in);
  }
  return run(app);
}

// -- a node that sleeps -------------------------------------------------------

struct clockwork : rosia::node {
  rosia::output_port<int> out{this, "out"};

  rosia::task start() {
    for (auto i = 0; i < 500; ++i) {
      out(i);
      co_await rosia::after(1ms);
    }
  }
};

/// Sleeps for 10 ms at each 50th message.
struct sleeper : rosia::node {
  rosia::input_port<int> in{this, "in"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          if (*in % 50 == 0)
                            std::this_thread::sleep_for(10ms);
                        }};
};

/// Measures the lateness of its messages.
struct measuring : rosia::node {
  rosia::input_port<int> in{this, "in"};
  std::vector<double> late;

  rosia::reaction on_in{
    this, "on_in", {in}, [this] {
      late.push_back(std::chrono::duration<double>(elapsed()).count()
                     - static_cast<double>(now().ns) / 1e9);
    }};
};

/// Returns the largest of 500 values, without the 5 worst.
double lateness(caf::actor_system& sys, const char* groups) {
  auto opts = bench::realtime();
  opts.groups = groups;
  rosia::application app{sys, opts};
  auto from = app.create<clockwork>("from");
  auto slow = app.create<sleeper>("slow");
  auto quick = app.create<measuring>("quick");
  app.connect(from, &clockwork::out, slow, &sleeper::in);
  app.connect(from, &clockwork::out, quick, &measuring::in);
  app.run();
  return bench::quantile(quick->late, 0.99);
}

// -- pairs --------------------------------------------------------------------

using measured = double (*)(caf::actor_system&, const char*);

void compare(benchmark::State& state, measured fun, bench::row result,
             const std::string& unit, double per_second) {
  bench::run_pairs(
    state, [fun](caf::actor_system& sys) { return fun(sys, "auto"); },
    [fun](caf::actor_system& sys) { return fun(sys, "off"); },
    std::move(result), unit, per_second);
}

void parallel_pipelines(benchmark::State& state) {
  compare(
    state, pipelines,
    {.name = "parallel, pipelines",
     .quantity = "two pipelines of light nodes, with groups and without",
     .limit = 1.05},
    "ms", 1e3);
}

void parallel_fork(benchmark::State& state) {
  compare(
    state, fork_join,
    {.name = "parallel, fork",
     .quantity = "16 nodes that work for 100 us each, between two light ones, "
                 "with groups and without",
     .limit = 1.05},
    "ms", 1e3);
}

void parallel_heavy(benchmark::State& state) {
  compare(
    state, heavy_middle,
    {.name = "parallel, heavy",
     .quantity = "a node that works for 50 us among light ones, with groups "
                 "and without",
     .limit = 1.05},
    "ms", 1e3);
}

void parallel_sleep(benchmark::State& state) {
  compare(
    state, lateness,
    {.name = "parallel, sleep",
     .quantity = "how late a node is beside one that sleeps, at the 99th "
                 "percentile, with groups and without",
     .limit = 1.05},
    "us", 1e6);
}

BENCHMARK(parallel_pipelines)->Iterations(9)->Unit(benchmark::kMillisecond);
BENCHMARK(parallel_fork)->Iterations(9)->Unit(benchmark::kMillisecond);
BENCHMARK(parallel_heavy)->Iterations(9)->Unit(benchmark::kMillisecond);
BENCHMARK(parallel_sleep)->Iterations(9)->Unit(benchmark::kMillisecond);

} // namespace
