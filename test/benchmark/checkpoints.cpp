// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// What a checkpoint of many nodes costs: how much later nodes execute the tag
// after it than other tags, and how long it takes until it is durable.

#include "report.hpp"
#include "systems.hpp"
#include "temporary_folder.hpp"

#include "caf/rosia/application.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/state.hpp"
#include "caf/rosia/timer.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr int many = 10'000;
constexpr int rounds = 20;

/// Between two tags; at each of them all nodes execute.
constexpr auto period = 20ms;

/// Tags between two checkpoints.
constexpr int pause = 5;

/// Has a state of 1 KiB, and notes how late it executes each tag.
struct keeper : rosia::node {
  explicit keeper(std::atomic<long>& x) : executed(x) {
    lateness.reserve(1000);
  }

  rosia::input_port<rosia::logical_time> in{this, "in"};
  rosia::state<std::string> data{this, "data", std::string(1024, 'x')};
  std::atomic<long>& executed;
  std::vector<std::int64_t> lateness; // in ns, by the number of the tag

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          lateness.push_back(elapsed().count() - now().ns);
                          ++(*data)[lateness.size() % 1024];
                          executed.fetch_add(1, std::memory_order_relaxed);
                        }};
};

struct outcome {
  std::vector<std::size_t> after; // numbers of the tags after checkpoints
  std::vector<double> durable;    // in s, each from its call on
};

/// Takes checkpoints while the application runs.
outcome take_checkpoints(rosia::application& app,
                         const std::atomic<long>& executed) {
  outcome result;
  auto wait_for = [&](long tags) {
    while (executed < tags * many)
      std::this_thread::sleep_for(1ms);
  };
  wait_for(3 * pause); // groups have found each other
  for (auto i = 0; i < rounds; ++i) {
    wait_for(executed / many + pause);
    auto start = bench::clock::now();
    auto tag = app.checkpoint().get();
    result.durable.push_back(bench::seconds_since(start));
    result.after.push_back(static_cast<std::size_t>(
      tag.ns / std::chrono::nanoseconds{period}.count() + 1));
  }
  wait_for(executed / many + 2);
  app.request_shutdown();
  return result;
}

/// The 99th percentile over all nodes and those tags, in ms.
double late(const std::vector<rosia::node_ref<keeper>>& nodes,
            const std::vector<std::size_t>& tags) {
  std::vector<double> all;
  for (auto& x : nodes)
    for (auto tag : tags)
      if (tag < x->lateness.size())
        all.push_back(static_cast<double>(x->lateness[tag]) / 1e6);
  return bench::quantile(std::move(all), 0.99);
}

/// Tags that no checkpoint was taken before, nor a moment ago.
std::vector<std::size_t> others(const std::vector<std::size_t>& after) {
  std::vector<std::size_t> result;
  for (auto tag : after)
    result.push_back(tag + 2);
  return result;
}

void checkpoints(benchmark::State& state) {
  std::vector<double> held, usual, durable;
  for (auto _ : state) {
    bench::system_scope scope;
    test::temporary_folder folder;
    auto opts = bench::realtime();
    opts.checkpoint = folder.file("run.db");
    std::atomic<long> executed = 0;
    rosia::application app{scope.sys, opts};
    auto clock = app.create<rosia::timer>("clock", period);
    std::vector<rosia::node_ref<keeper>> nodes;
    for (auto i = 0; i < many; ++i) {
      nodes.push_back(
        app.create<keeper>("keeper " + std::to_string(i), executed));
      app.connect(clock, &rosia::timer::output, nodes.back(), &keeper::in);
    }
    outcome result;
    std::thread caller{[&] { result = take_checkpoints(app, executed); }};
    app.run();
    caller.join();
    held.push_back(late(nodes, result.after));
    usual.push_back(late(nodes, others(result.after)));
    durable.insert(durable.end(), result.durable.begin(), result.durable.end());
  }
  auto with = bench::quantile(held, 0.5), without = bench::quantile(usual, 0.5);
  bench::report(
    {.name = "checkpoint",
     .what = "10,000 nodes with 1 KiB each: how much later they "
             "execute the tag after it, p99",
     .value = std::max(0.0, with - without),
     .unit = "ms",
     .reference = without,
     .limit = 1.0});
  bench::report(
    {.name = "checkpoint",
     .what = "the same: from the call until it is durable, median",
     .value = bench::quantile(durable, 0.5),
     .unit = "s",
     .limit = 1.0});
}

BENCHMARK(checkpoints)->Iterations(3)->Unit(benchmark::kMillisecond);

} // namespace
