// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The cost of an orderly shutdown of plain actors, in time and memory, compared
// with the bare cost of handling the messages in their mailboxes.

#include "pairs.hpp"

#include "caf/rosia/shutdown.hpp"
#include "caf_version.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/spawn_options.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include <malloc.h>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr int messages = 10;
constexpr long many_actors = 100'000;

/// Blocks the only worker until everything is prepared.
class gate : public caf::event_based_actor {
public:
  gate(caf::actor_config& cfg, std::atomic<bool>& open)
    : caf::event_based_actor(cfg), open_(open) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](int) {
      open_.wait(false);
      quit();
    }};
  }

private:
  std::atomic<bool>& open_;
};

/// Adds up its messages; may end by itself after the last message.
class adder : public caf::event_based_actor {
public:
  adder(caf::actor_config& cfg, bool quits)
    : caf::event_based_actor(cfg), quits_(quits) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](int x) {
      sum_ += x;
      if (x == messages - 1 && quits_)
        quit();
    }};
  }

private:
  bool quits_;
  long sum_ = 0;
};

std::size_t count_workers(const caf::actor_system& sys) {
  // CAF's default number of workers.
  auto standard = std::max<std::size_t>(std::thread::hardware_concurrency(), 4);
  return caf::get_or(
    sys.config(), test::caf_option("scheduler.max-threads"), standard);
}

/// Blocks all workers while the mailboxes are filled.
class closed_gates {
public:
  explicit closed_gates(caf::actor_system& sys) {
    for (std::size_t i = 0; i < count_workers(sys); ++i)
      caf::anon_send(sys.spawn<gate>(open_), 0);
  }

  void open() {
    open_ = true;
    open_.notify_all();
  }

private:
  std::atomic<bool> open_ = false;
};

template <caf::spawn_options Options = caf::no_spawn_options>
std::vector<caf::actor> spawn(caf::actor_system& sys, long n, bool quits) {
  std::vector<caf::actor> result;
  result.reserve(static_cast<std::size_t>(n));
  for (long i = 0; i < n; ++i)
    result.push_back(sys.spawn<adder, Options>(quits));
  return result;
}

void fill(const std::vector<caf::actor>& actors) {
  for (auto& actor : actors)
    for (auto i = 0; i < messages; ++i)
      caf::anon_send(actor, i);
}

double rosia_drain(caf::actor_system& sys, long n) {
  rosia::shutdown_options opts;
  opts.signals = rosia::signal_behavior::none;
  opts.log_level = "error";
  opts.await_system = false;
  opts.deadline = 60s;
  rosia::shutdown x{sys, opts};
  rosia::phase_options phase;
  phase.after = {"threads"};
  phase.timeout = 60s;
  x.phase("actors", phase);
  closed_gates gates{sys};
  auto actors = spawn(sys, n, false);
  for (auto& actor : actors)
    x.adopt(actor, "actor");
  fill(actors);
  actors.clear();
  auto start = bench::clock::now();
  gates.open();
  x.begin();
  x.wait_for_shutdown();
  return bench::seconds_since(start);
}

double caf_process(caf::actor_system& sys, long n) {
  closed_gates gates{sys};
  auto actors = spawn(sys, n, true);
  fill(actors);
  actors.clear();
  auto start = bench::clock::now();
  gates.open();
  sys.await_all_actors_done();
  return bench::seconds_since(start);
}

/// Measures a program that only sends an exit message to all actors.
double caf_exits(caf::actor_system& sys, long n) {
  closed_gates gates{sys};
  auto actors = spawn(sys, n, false);
  fill(actors);
  auto start = bench::clock::now();
  gates.open();
  for (auto& actor : actors) {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    actor = nullptr;
  }
  sys.await_all_actors_done();
  return bench::seconds_since(start);
}

double allocated() {
  return static_cast<double>(::mallinfo2().uordblks);
}

void draining(benchmark::State& state) {
  bench::run_pairs(
    state, [](auto& sys) { return rosia_drain(sys, many_actors); },
    [](auto& sys) { return caf_process(sys, many_actors); },
    {.name = "draining",
     .quantity = "100,000 plain actors with 10 messages each, until all ended",
     .limit = 1.2},
    "ms", 1e3);
}

void exits(benchmark::State& state) {
  bench::run_pairs(
    state, [](auto& sys) { return caf_exits(sys, many_actors); },
    [](auto& sys) { return caf_process(sys, many_actors); },
    {.name = "draining",
     .quantity = "the same by exits that are merely sent, without Rosia"},
    "ms", 1e3);
}

void adopting(benchmark::State& state) {
  for (auto _ : state) {
    bench::system_scope scope;
    rosia::shutdown_options opts;
    opts.signals = rosia::signal_behavior::none;
    opts.log_level = "error";
    rosia::shutdown x{scope.sys, opts};
    // Otherwise workers would allocate memory for starting actors at the same
    // time.
    auto actors = spawn<caf::lazy_init>(scope.sys, many_actors, true);
    auto before = allocated();
    for (auto& actor : actors)
      x.adopt(actor, "worker");
    bench::report(
      {.name = "adopting",
       .quantity = "memory an actor that takes part in a shutdown",
       .value = (allocated() - before) / many_actors,
       .unit = "B",
       .limit = 300.0});
    fill(actors);
    actors.clear();
    x.begin();
    x.wait_for_shutdown();
  }
}

BENCHMARK(draining)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(exits)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(adopting)->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace
