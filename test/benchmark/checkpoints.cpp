// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The cost of a checkpoint of many nodes: the lateness of the tag after it
// compared with other tags, without the time for copying states, and the time
// until it is durable.

#include "nodes/saved_data.hpp"
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
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr int many = 10'000;
constexpr int rounds = 20;

/// The time between two tags, at which all nodes execute.
constexpr auto period = 20ms;

/// The number of tags between two checkpoints.
constexpr int pause = 5;

/// A node with a state of 1 KiB that records the lateness of each tag.
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
  std::vector<double> durable;    // in s, each since its call
};

/// Takes checkpoints while the application runs.
outcome take_checkpoints(rosia::application& app,
                         const std::atomic<long>& executed) {
  outcome result;
  auto wait_for = [&](long tags) {
    while (executed < tags * many)
      std::this_thread::sleep_for(1ms);
  };
  wait_for(3 * pause); // until groups are formed
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

/// Returns the 99th percentile of lateness over all nodes and the given tags,
/// in ms.
double late(const std::vector<rosia::node_ref<keeper>>& nodes,
            const std::vector<std::size_t>& tags) {
  std::vector<double> all;
  for (auto& x : nodes)
    for (auto tag : tags)
      if (tag < x->lateness.size())
        all.push_back(static_cast<double>(x->lateness[tag]) / 1e6);
  return bench::quantile(std::move(all), 0.99);
}

/// Returns the tags that neither follow a checkpoint nor are soon after one.
std::vector<std::size_t> others(const std::vector<std::size_t>& after) {
  std::vector<std::size_t> result;
  for (auto tag : after)
    result.push_back(tag + 2);
  return result;
}

/// Returns the time for all processors together to copy the states of all
/// nodes, in ms. Nothing else runs at the same time.
double copying(const std::vector<rosia::node_ref<keeper>>& nodes) {
  std::size_t processors = std::thread::hardware_concurrency();
  std::vector<rosia::detail::saved_data> copies(nodes.size());
  auto copy = [&](std::size_t first) {
    for (auto i = first; i < nodes.size(); i += processors)
      copies[i] = rosia::detail::copy_data(*nodes[i]);
  };
  auto start = bench::clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < processors; ++i)
    threads.emplace_back(copy, i);
  for (auto& x : threads)
    x.join();
  return bench::seconds_since(start) * 1e3;
}

void checkpoints(benchmark::State& state) {
  std::vector<double> held, usual, copied, durable;
  for (auto _ : state) {
    bench::system_scope scope;
    test::temporary_folder folder{std::filesystem::temp_directory_path()};
    auto opts = bench::realtime();
    opts.checkpoint.file = folder.file("run.db");
    std::atomic<long> executed = 0;
    rosia::application app{scope.sys, opts};
    auto clock = app.create<rosia::timer>("clock", period);
    std::vector<rosia::node_ref<keeper>> nodes;
    for (auto i = 0; i < many; ++i) {
      nodes.push_back(
        app.create<keeper>("keeper " + std::to_string(i), executed));
      app.connect(clock, &rosia::timer::output, nodes.back(), &keeper::in);
    }
    copied.push_back(copying(nodes));
    outcome result;
    std::thread caller{[&] { result = take_checkpoints(app, executed); }};
    app.run();
    caller.join();
    held.push_back(late(nodes, result.after));
    usual.push_back(late(nodes, others(result.after)));
    durable.insert(durable.end(), result.durable.begin(), result.durable.end());
  }
  auto with = bench::quantile(held, 0.5), without = bench::quantile(usual, 0.5);
  auto own = bench::quantile(copied, 0.5);
  bench::report(
    {.name = "checkpoint",
     .quantity
     = "10,000 nodes with 1 KiB each: how much later they execute the tag "
       "after it, p99, beyond copying",
     .value = std::max(0.0, with - without - own),
     .unit = "ms",
     .reference = without,
     .limit = 1.0});
  bench::report(
    {.name = "checkpoint",
     .quantity = "the same: how long all of them copy what they have",
     .value = own,
     .unit = "ms"});
  bench::report(
    {.name = "checkpoint",
     .quantity = "the same: from the call until it is durable, median",
     .value = bench::quantile(durable, 0.5),
     .unit = "s",
     .limit = 1.0});
}

BENCHMARK(checkpoints)->Iterations(3)->Unit(benchmark::kMillisecond);

} // namespace
