// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The cost of recording all values of a stream: the time until the last value
// has arrived, while another thread writes the file.

#include "pairs.hpp"
#include "temporary_folder.hpp"

#include "caf/rosia/application.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/task.hpp"

#include <benchmark/benchmark.h>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr int length = 1'000'000;

struct source : rosia::node {
  rosia::output_port<int> out{this, "out"};

  rosia::task start() {
    for (auto i = 1; i <= length; ++i) {
      out(i);
      co_await rosia::after(1us);
    }
  }
};

struct sink : rosia::node {
  rosia::input_port<int> in{this, "in"};
  long sum = 0;
  bench::clock::time_point last;

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          sum += *in;
                          if (*in == length)
                            last = bench::clock::now();
                        }};
};

double stream(caf::actor_system& sys, const std::string& record) {
  auto opts = bench::fast();
  opts.record.file = record;
  opts.record.ports = record.empty() ? "" : "from.out";
  rosia::application app{sys, opts};
  auto from = app.create<source>("from");
  auto to = app.create<sink>("to");
  app.connect(from, &source::out, to, &sink::in);
  auto start = bench::clock::now();
  app.run();
  return std::chrono::duration<double>(to->last - start).count() / length;
}

void recording(benchmark::State& state) {
  bench::run_pairs(
    state,
    [](caf::actor_system& sys) {
      test::temporary_folder folder;
      return stream(sys, folder.file("run.db"));
    },
    [](caf::actor_system& sys) { return stream(sys, ""); },
    {.name = "recording",
     .quantity = "a source to a sink with each value recorded, per message, "
                 "against the same without",
     .limit = 1.5});
}

BENCHMARK(recording)->Iterations(7)->Unit(benchmark::kMillisecond);

} // namespace
