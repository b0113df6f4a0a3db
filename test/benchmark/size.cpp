// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The cost of nodes, and bounded memory. Each run is a separate process, so
// that the heaps are independent.

#include "report.hpp"
#include "systems.hpp"

#include "caf/rosia/application.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

// -- nodes --------------------------------------------------------------------

struct source : rosia::node {
  source(long n, std::chrono::nanoseconds every) : count(n), period(every) {
    // nop
  }

  rosia::output_port<long> out{this, "out"};

  rosia::task start() {
    for (long i = 0; i < count; ++i) {
      out(i);
      co_await rosia::after(period);
    }
  }

  long count;
  std::chrono::nanoseconds period;
};

struct relay : rosia::node {
  rosia::input_port<long> in{this, "in"};
  rosia::output_port<long> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] { out(in); }};
};

struct sink : rosia::node {
  rosia::input_port<long> in{this, "in"};
  long count = 0;

  rosia::reaction on_in{this, "on_in", {in}, [this] { ++count; }};
};

void work(int amount) {
  for (auto i = 0; i < amount; ++i)
    benchmark::DoNotOptimize(i);
}

/// A hundred times slower than a source, which takes about 50 ns per message.
constexpr int hundredfold = 15'000;

struct slow_sink : rosia::node {
  rosia::input_port<long> in{this, "in"};
  rosia::input_port<long> other{this, "other"};
  long count = 0;

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          ++count;
                          work(hundredfold);
                        }};

  rosia::reaction on_other{this, "on_other", {other}, [] {}};
};

/// Sends each value from outside around a loop once.
struct slow_member : rosia::node {
  rosia::input_port<long> in{this, "in"};
  rosia::input_port<long> back{this, "back"};
  rosia::output_port<long> out{this, "out"};
  long count = 0;

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          work(hundredfold);
                          out(in);
                        }};

  rosia::reaction on_back{this, "on_back", {back}, [this] { ++count; }};
};

// -- a child process ----------------------------------------------------------

double memory(const char* key) {
  std::ifstream file{"/proc/self/status"};
  std::string word;
  while (file >> word)
    if (word == key) {
      double kib = 0;
      file >> kib;
      return kib * 1024;
    }
  throw std::runtime_error("cannot read /proc/self/status");
}

long build_and_run(rosia::application& app, const std::string& shape,
                   long size) {
  constexpr auto messages = 10;
  if (shape == "deep") {
    auto from = app.create<source>("source", messages, 1us);
    auto last = app.create<relay>("node 0");
    app.connect(from, &source::out, last, &relay::in);
    for (long i = 1; i < size; ++i) {
      auto next = app.create<relay>("node " + std::to_string(i));
      app.connect(last, &relay::out, next, &relay::in);
      last = next;
    }
    auto to = app.create<sink>("sink");
    app.connect(last, &relay::out, to, &sink::in);
    return app.run() == 0 ? to->count * size : -1;
  }
  if (shape == "wide") {
    auto from = app.create<source>("source", messages, 1us);
    std::vector<rosia::node_ref<sink>> sinks;
    sinks.reserve(static_cast<std::size_t>(size));
    for (long i = 0; i < size; ++i) {
      sinks.push_back(app.create<sink>("node " + std::to_string(i)));
      app.connect(from, &source::out, sinks.back(), &sink::in);
    }
    if (app.run() != 0)
      return -1;
    long result = 0;
    for (auto& x : sinks)
      result += x->count;
    return result;
  }
  auto from = app.create<source>("source", size, 1us);
  if (shape == "bounded") {
    auto to = app.create<slow_sink>("sink");
    auto second = app.create<source>("second source", size / 7, 7us);
    app.connect(from, &source::out, to, &slow_sink::in);
    app.connect(second, &source::out, to, &slow_sink::other);
    return app.run() == 0 ? to->count : -1;
  }
  auto member = app.create<slow_member>("member");
  auto around = app.create<relay>("around");
  app.connect(from, &source::out, member, &slow_member::in);
  app.connect(member, &slow_member::out, around, &relay::in);
  app.connect(
    around, &relay::out, member, &slow_member::back, rosia::after(10us));
  return app.run() == 0 ? member->count : -1;
}

} // namespace

namespace bench {

int child_main(const std::string& shape, long size) {
  system_scope scope;
  auto before = memory("VmRSS:");
  auto start = clock::now();
  long messages = 0;
  {
    rosia::application app{scope.sys, fast()};
    messages = build_and_run(app, shape, size);
  }
  auto seconds = seconds_since(start);
  std::printf("%.6f %.0f %ld\n", seconds, memory("VmHWM:") - before, messages);
  return 0;
}

child_result run_child(const std::string& shape, long size) {
  // By its real name, because /proc/self is a different process in the shell.
  char path[4096];
  auto length = ::readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (length <= 0)
    throw std::runtime_error("cannot read /proc/self/exe");
  path[length] = '\0';
  auto command = "exec '" + std::string{path} + "' --child=" + shape + ","
                 + std::to_string(size);
  auto* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr)
    throw std::runtime_error("cannot start " + command);
  child_result result;
  auto fields = std::fscanf(
    pipe, "%lf %lf %lf", &result.seconds, &result.bytes, &result.messages);
  if (::pclose(pipe) != 0 || fields != 3)
    throw std::runtime_error("failed: " + command);
  return result;
}

} // namespace bench

namespace {

void many_nodes(benchmark::State& state, const std::string& name,
                const std::string& shape) {
  constexpr auto thousand = 1'000;
  constexpr auto many = 100'000;
  for (auto _ : state) {
    auto small = bench::run_child(name, thousand);
    auto large = bench::run_child(name, many);
    if (small.messages != 10.0 * thousand || large.messages != 10.0 * many)
      state.SkipWithError("messages were lost");
    bench::report(
      {.name = name,
       .quantity = "100,000 nodes, " + shape
                   + ": built, run with 10 messages each, ended",
       .value = large.seconds,
       .unit = "s",
       .limit = 10.0});
    bench::report(
      {.name = name,
       .quantity = "memory a node, at the peak",
       .value = large.bytes / many,
       .unit = "B",
       .limit = 2048.0});
    bench::report(
      {.name = name,
       .quantity = "time a node, against that of 1,000 nodes",
       .value = large.seconds / many * 1e6,
       .unit = "us",
       .reference = small.seconds / thousand * 1e6,
       .ratio = large.seconds / small.seconds * thousand / many,
       .limit = std::nullopt});
  }
}

void deep(benchmark::State& state) {
  many_nodes(state, "deep", "a chain");
}

void wide(benchmark::State& state) {
  many_nodes(state, "wide", "one source to all");
}

void huge(benchmark::State& state) {
  constexpr auto many = 2'000'000;
  for (auto _ : state) {
    auto result = bench::run_child("deep", many);
    if (result.messages != 10.0 * many)
      state.SkipWithError("messages were lost");
    bench::report(
      {.name = "huge",
       .quantity
       = "2,000,000 nodes, a chain: built, run with 10 messages each, "
         "ended",
       .value = result.seconds,
       .unit = "s"});
    bench::report(
      {.name = "huge",
       .quantity = "memory a node, at the peak",
       .value = result.bytes / many,
       .unit = "B"});
  }
}

void bounded_run(benchmark::State& state, const std::string& name, long size,
                 const std::string& quantity) {
  for (auto _ : state) {
    auto result = bench::run_child(name, size);
    if (result.messages != static_cast<double>(size))
      state.SkipWithError("messages were lost");
    bench::report(
      {.name = name,
       .quantity = quantity,
       .value = result.bytes / (1024.0 * 1024.0),
       .unit = "MiB",
       .limit = 64.0});
  }
}

void bounded(benchmark::State& state) {
  bounded_run(state, "bounded", 10'000'000,
              "10 million messages to a sink a hundred times slower, beside a "
              "second path: memory added");
}

void bounded_loop(benchmark::State& state) {
  bounded_run(state, "bounded_loop", 1'000'000,
              "1 million messages into a slow loop: memory added");
}

BENCHMARK(deep)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(wide)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(huge)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(bounded)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(bounded_loop)->Iterations(1)->Unit(benchmark::kSecond);

} // namespace
