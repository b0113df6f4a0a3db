// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The time until a receiver gets a finished value of a slow node, independent
// of the backlog of that node. Compared with plain threads and queues.

#include "light_nodes.hpp"
#include "pairs.hpp"

#include "caf/rosia/application.hpp"
#include "caf/rosia/timer.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

// -- stages -------------------------------------------------------------------

constexpr int values = 200;
constexpr auto work = 3ms;

struct stage : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          std::this_thread::sleep_for(work);
                          out(*in);
                        }};
};

double rosia_stages(caf::actor_system& sys, const char* groups) {
  auto opts = bench::fast();
  opts.groups = groups;
  rosia::application app{sys, opts};
  auto from = app.create<bench::ticker>("from", values, 10ms);
  auto a = app.create<stage>("a");
  auto b = app.create<stage>("b");
  auto c = app.create<stage>("c");
  auto to = app.create<bench::summing_sink>("to");
  app.connect(from, &bench::ticker::out, a, &stage::in);
  app.connect(a, &stage::out, b, &stage::in);
  app.connect(b, &stage::out, c, &stage::in);
  app.connect(c, &stage::out, to, &bench::summing_sink::in);
  auto start = bench::clock::now();
  app.run();
  return bench::seconds_since(start);
}

/// A queue between two threads.
class channel {
public:
  void push(int x) {
    {
      std::lock_guard guard{mutex_};
      queue_.push(x);
    }
    changed_.notify_one();
  }

  int pop() {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [this] { return !queue_.empty(); });
    auto result = queue_.front();
    queue_.pop();
    return result;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<int> queue_;
};

double thread_stages(caf::actor_system&) {
  channel channels[4];
  auto start = bench::clock::now();
  std::vector<std::thread> threads;
  for (auto i = 0; i < 3; ++i)
    threads.emplace_back([&from = channels[i], &to = channels[i + 1]] {
      for (auto n = 0; n < values; ++n) {
        auto x = from.pop();
        std::this_thread::sleep_for(work);
        to.push(x);
      }
    });
  for (auto n = 0; n < values; ++n)
    channels[0].push(n);
  for (auto n = 0; n < values; ++n)
    channels[3].pop();
  for (auto& x : threads)
    x.join();
  return bench::seconds_since(start);
}

void compare_stages(benchmark::State& state, const char* groups,
                    const char* quantity) {
  bench::run_pairs(
    state,
    [groups](caf::actor_system& sys) { return rosia_stages(sys, groups); },
    thread_stages,
    {.name = "latency, stages", .quantity = quantity, .limit = 1.05}, "ms",
    1e3);
}

void latency_stages(benchmark::State& state) {
  compare_stages(
    state, "auto",
    "200 values through three stages of 3 ms, against threads and queues");
}

void latency_stages_off(benchmark::State& state) {
  compare_stages(state, "off", "the same without groups");
}

// -- a tracker behind a detector ----------------------------------------------

/// Takes longer than its period.
struct detector : rosia::node {
  rosia::input_port<rosia::logical_time> in{this, "in"};
  rosia::output_port<std::int64_t> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          std::this_thread::sleep_for(6ms);
                          out(elapsed().count());
                        }};
};

struct tracker : rosia::node {
  rosia::input_port<std::int64_t> in{this, "in"};
  std::vector<double> late;

  rosia::reaction on_in{
    this, "on_in", {in}, [this] {
      late.push_back(static_cast<double>(elapsed().count() - *in) / 1e6);
    }};
};

void latency_tracker(benchmark::State& state) {
  bench::system_scope scope;
  std::vector<double> late;
  for (auto _ : state) {
    auto opts = bench::realtime();
    opts.stop_after = rosia::logical_time{1'000'000'000, 0};
    rosia::application app{scope.sys, opts};
    auto clock = app.create<rosia::timer>("clock", 5ms);
    auto from = app.create<detector>("detector");
    auto to = app.create<tracker>("tracker");
    app.connect(clock, &rosia::timer::output, from, &detector::in);
    app.connect(from, &detector::out, to, &tracker::in);
    app.run();
    late.insert(late.end(), to->late.begin(), to->late.end());
  }
  bench::report(
    {.name = "latency, tracker",
     .quantity
     = "from the end of a detector, which has a backlog, to the tracker, "
       "p99",
     .value = bench::quantile(late, 0.99),
     .unit = "ms",
     .limit = 1.0});
}

BENCHMARK(latency_stages)->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK(latency_stages_off)->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK(latency_tracker)->Iterations(2)->Unit(benchmark::kSecond);

} // namespace
