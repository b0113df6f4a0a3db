// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Eight workers share a task. They are a bank: nodes of one class, which are
// created and connected together.
//
//               +--> worker[0] --+
//   dispatcher -+--> ...         +--> collector
//               +--> worker[7] --+
//
// The dispatcher has an output for each worker, and the collector an input. All
// workers execute the same tag, in parallel, and one reaction of the collector
// has all of their results.

#include <chrono>
#include <cstddef>
#include <cstdio>

#include "caf/rosia/all.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t workers = 8;

// A range of numbers, without the last one.
struct range {
  int first = 0;
  int last = 0;

  template <class Inspector>
  friend auto inspect(Inspector& f, range& x) {
    return rosia::inspect_members(f, x, x.first, x.last);
  }
};

// Every 10 ms, divides the next numbers among the workers.
struct dispatcher : rosia::node, rosia::stateless<dispatcher> {
  rosia::tick next{this, "next", 10ms};
  rosia::output_ports<range> tasks{this, "tasks", workers};

  rosia::reaction on_next{
    this, "on_next", {next}, [this] {
      constexpr auto width = 1000;
      auto from = static_cast<int>(now().ns / 10'000'000) * width;
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        auto at = [&](std::size_t part) {
          return from + static_cast<int>(part * width / tasks.size());
        };
        tasks[i](range{at(i), at(i + 1)});
      }
    }};
};

// Counts prime numbers.
struct worker : rosia::node, rosia::stateless<worker> {
  rosia::input_port<range> task{this, "task"};
  rosia::output_port<int> primes{this, "primes"};

  static bool is_prime(int x) {
    for (auto i = 2; i * i <= x; ++i)
      if (x % i == 0)
        return false;
    return x > 1;
  }

  rosia::reaction on_task{
    this, "on_task", {task}, [this] {
      auto result = 0;
      for (auto x = task->first; x < task->last; ++x)
        result += is_prime(x) ? 1 : 0;
      primes(result);
    }};
};

struct collector : rosia::node {
  rosia::input_ports<int> parts{this, "parts", workers};
  rosia::state<int> total{this, "total"};

  rosia::reaction on_parts{
    this, "on_parts", parts, [this] {
      for (auto [index, part] : parts.present())
        total = *total + *part;
      std::printf("%d primes at %s\n", *total, to_string(now()).c_str());
    }};
};

int run(caf::actor_system& sys) {
  auto options = rosia::options_from(sys.config());
  if (!options.stop_after)
    options.stop_after = rosia::logical_time{} + rosia::after(50ms);
  rosia::application app{sys, options};
  auto from = app.create<dispatcher>("dispatcher");
  auto bank = app.create_bank<worker>("worker", workers);
  auto to = app.create<collector>("collector");
  from[&dispatcher::tasks] >>= bank[&worker::task]; // each to one
  bank[&worker::primes] >>= to[&collector::parts];
  return app.run();
}

} // namespace

int main(int argc, char** argv) {
  return rosia::exec_main(argc, argv, run);
}
