// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// What the live page costs an application of 1,000 nodes, each of which
// executes every millisecond of logical time, as fast as possible: while
// somebody looks at the page, and while nobody does.

#include "application/application_access.hpp"
#include "light_nodes.hpp"
#include "pairs.hpp"
#include "watch/web_client.hpp"

#include "caf/rosia/application.hpp"

#include <benchmark/benchmark.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr int sinks = 999;

/// Some seconds, in which the page is updated several times.
constexpr int ticks = 60'000;

enum class page { none, closed, open };

/// Reads all that the page gets, as a browser does.
class reader {
public:
  explicit reader(const std::string& url) : eyes_(url) {
    // nop
  }

  ~reader() {
    if (thread_.joinable())
      thread_.join();
  }

  /// How many texts came. Waits until the page is gone.
  int count() {
    thread_.join();
    return count_;
  }

private:
  void read() {
    while (!eyes_.next().empty())
      ++count_;
  }

  test::viewer eyes_;
  int count_ = 0;
  std::thread thread_{[this] { read(); }};
};

double run_looked_at(caf::actor_system& sys, page what,
                     std::optional<reader>& looking) {
  auto opts = bench::fast();
  if (what != page::none)
    opts.watch = "127.0.0.1:0";
  rosia::application app{sys, opts};
  auto from = app.create<bench::ticker>("ticker", ticks, 1ms);
  for (auto i = 0; i < sinks; ++i) {
    auto to = app.create<bench::summing_sink>("sink " + std::to_string(i));
    app.connect(from, &bench::ticker::out, to, &bench::summing_sink::in);
  }
  if (what == page::open)
    looking.emplace(rosia::detail::application_access::page_url(app));
  auto start = bench::clock::now();
  app.run();
  return bench::seconds_since(start);
}

double run(caf::actor_system& sys, page what) {
  std::optional<reader> looking;
  auto result = run_looked_at(sys, what, looking);
  if (looking && looking->count() < 3)
    throw std::runtime_error("the page was not updated");
  return result;
}

void measure(benchmark::State& state, page what, const std::string& name,
             const std::string& how, double limit) {
  bench::run_pairs(
    state, [&](caf::actor_system& sys) { return run(sys, what); },
    [](caf::actor_system& sys) { return run(sys, page::none); },
    {.name = name,
     .what = "1,000 nodes, 60,000 tags, with the live page " + how
             + ", against without",
     .limit = limit},
    "s", 1);
}

void watch_open(benchmark::State& state) {
  measure(state, page::open, "watch, open", "open", 1.03);
}

void watch_closed(benchmark::State& state) {
  measure(state, page::closed, "watch, closed", "closed", 1.01);
}

BENCHMARK(watch_open)->Iterations(9)->Unit(benchmark::kMillisecond);
BENCHMARK(watch_closed)->Iterations(9)->Unit(benchmark::kMillisecond);

} // namespace
