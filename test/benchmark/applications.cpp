// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Applications over real processes, started by one command as a user does it,
// with TLS: the time from the command to the end, and the number of frames
// without messages.

#include "report.hpp"

#include "caf/rosia/application.hpp"
#include "caf/rosia/exec_main.hpp"

#include <benchmark/benchmark.h>

#include <caf/actor_system.hpp>

#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr auto many_nodes = 1'000;
constexpr auto many_processes = 8;
constexpr auto stream_length = 20'000;

// -- nodes --------------------------------------------------------------------

struct source : rosia::node {
  explicit source(int n) : count(n) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};

  rosia::task start() {
    for (auto i = 0; i < count; ++i) {
      out(i);
      co_await rosia::after(1us);
    }
  }

  int count;
};

struct relay : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] { out(in); }};
};

struct sink : rosia::node {
  rosia::input_port<int> in{this, "in"};

  rosia::reaction on_in{this, "on_in", {in}, [] {}};
};

/// Sends a number around a ring until it is 0.
struct first_of_ring : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};

  void start() {
    out(stream_length);
  }

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          if (*in > 0)
                            out(*in - 1);
                        }};
};

// -- graphs -------------------------------------------------------------------

std::string process(int number) {
  return "p" + std::to_string(number);
}

/// A chain that is distributed over the processes, so that most values cross
/// between them, and all pairs of processes are connected.
void build_startup(rosia::application& app) {
  auto from = app.create<source>("source", 1);
  auto previous = app.create<relay>("relay1");
  app.connect(from, &source::out, previous, &relay::in);
  for (auto i = 2; i < many_nodes; ++i) {
    auto next = app.create<relay>("relay" + std::to_string(i));
    app.place(next, process(1 + i * i / 7 % many_processes));
    app.connect(previous, &relay::out, next, &relay::in);
    previous = next;
  }
}

void build_pipeline(rosia::application& app) {
  auto from = app.create<source>("source", stream_length);
  auto one = app.create<relay>("one");
  auto two = app.create<relay>("two");
  auto to = app.create<sink>("sink");
  app.place(from, process(1));
  app.place(one, process(2));
  app.place(two, process(3));
  app.place(to, process(4));
  app.connect(from, &source::out, one, &relay::in);
  app.connect(one, &relay::out, two, &relay::in);
  app.connect(two, &relay::out, to, &sink::in);
}

void build_fan_in(rosia::application& app) {
  auto to = app.create<sink>("sink");
  app.place(to, process(4));
  for (auto i = 1; i < 4; ++i) {
    auto from = app.create<source>("source" + std::to_string(i), stream_length);
    app.place(from, process(i));
    app.connect(from, &source::out, to, &sink::in);
  }
}

void build_ring(rosia::application& app) {
  auto one = app.create<first_of_ring>("one");
  auto two = app.create<relay>("two");
  auto three = app.create<relay>("three");
  app.place(one, process(1));
  app.place(two, process(2));
  app.place(three, process(3));
  app.connect(one, &first_of_ring::out, two, &relay::in);
  app.connect(two, &relay::out, three, &relay::in);
  app.connect(three, &relay::out, one, &first_of_ring::in, rosia::after(1us));
}

struct shape {
  int processes;
  void (*build)(rosia::application&);
};

const std::map<std::string, shape>& shapes() {
  static const std::map<std::string, shape> result{
    {"startup", {many_processes, build_startup}},
    {"pipeline", {4, build_pipeline}},
    {"fan_in", {4, build_fan_in}},
    {"ring", {3, build_ring}},
  };
  return result;
}

int run(caf::actor_system& sys, const shape& kind) {
  rosia::application app{sys};
  kind.build(app);
  auto status = app.run();
  // The coordinator has no node. Only it knows all processes.
  if (app.opts().network.join.empty()) {
    double messages = 0;
    double control = 0;
    for (auto& x : app.status().processes) {
      messages += static_cast<double>(x.messages);
      control += static_cast<double>(x.control_frames);
    }
    std::printf("%.0f %.0f\n", messages, control);
  }
  return status;
}

// -- measuring ----------------------------------------------------------------

struct result {
  double seconds = 0;
  double messages = 0;
  double control = 0;
};

result run_application(const std::string& name) {
  std::array<char, 4096> path{};
  if (readlink("/proc/self/exe", path.data(), path.size() - 1) <= 0)
    throw std::runtime_error("cannot read /proc/self/exe");
  auto command
    = "exec '" + std::string{path.data()} + "' --application=" + name;
  result x;
  auto start = bench::clock::now();
  auto* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr)
    throw std::runtime_error("cannot start " + command);
  auto fields = std::fscanf(pipe, "%lf %lf", &x.messages, &x.control);
  if (pclose(pipe) != 0 || fields != 2)
    throw std::runtime_error("failed: " + command);
  x.seconds = bench::seconds_since(start);
  return x;
}

void startup(benchmark::State& state) {
  std::vector<double> seconds;
  for (auto _ : state)
    seconds.push_back(run_application("startup").seconds);
  bench::report(
    {.name = "startup",
     .quantity
     = "8 processes, 1,000 nodes, 1 value through all: from command to end",
     .value = bench::quantile(seconds, 0.5),
     .unit = "s",
     .limit = 2.0});
}

void control(benchmark::State& state, const std::string& name,
             const std::string& quantity, std::optional<double> limit) {
  std::vector<double> shares;
  for (auto _ : state) {
    auto x = run_application(name);
    shares.push_back(x.control / x.messages);
  }
  bench::report(
    {.name = "control",
     .quantity = quantity + ": frames without a message, per message",
     .value = bench::quantile(shares, 0.5),
     .limit = limit});
}

void control_pipeline(benchmark::State& state) {
  control(state, "pipeline", "4 processes in a row", std::nullopt);
}

void control_fan_in(benchmark::State& state) {
  control(state, "fan_in", "3 processes to a 4th", std::nullopt);
}

void control_ring(benchmark::State& state) {
  // A receiver acks after it has executed half of max_in_flight (512 messages).
  // The remaining frames are sent at the start and at the end.
  control(state, "ring", "a ring of 3 processes, 1 value", 1.0 / 256);
}

BENCHMARK(startup)->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK(control_pipeline)->Iterations(3)->Unit(benchmark::kMillisecond);
BENCHMARK(control_fan_in)->Iterations(3)->Unit(benchmark::kMillisecond);
BENCHMARK(control_ring)->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace

int bench::application_main(const std::string& name) {
  auto& kind = shapes().at(name);
  auto processes = "--rosia.processes=" + std::to_string(kind.processes);
  std::array arguments{"rosia_benchmark", processes.c_str(),
                       "--rosia.realtime=false", "--rosia.log_level=error"};
  return rosia::exec_main(
    static_cast<int>(arguments.size()), arguments.data(),
    [&](caf::actor_system& sys) { return run(sys, kind); });
}
