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

/// Reads all that the page of a running application gets, as a browser does.
class reader {
public:
  ~reader() {
    if (thread_.joinable())
      thread_.join();
  }

  void look_at(const rosia::application& app) {
    thread_ = std::thread{[this, &app] { read(app); }};
  }

  /// How many texts came. Waits until the page is gone.
  int count() {
    thread_.join();
    return count_;
  }

private:
  void read(const rosia::application& app) {
    std::string url;
    // The page is there soon after the run has begun.
    while ((url = rosia::detail::application_access::page_url(app)).empty())
      std::this_thread::yield();
    test::viewer eyes{url};
    while (!eyes.next().empty())
      ++count_;
  }

  int count_ = 0;
  std::thread thread_;
};

double run_looked_at(caf::actor_system& sys, page what, reader& eyes) {
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
    eyes.look_at(app);
  auto start = bench::clock::now();
  app.run();
  return bench::seconds_since(start);
}

double run(caf::actor_system& sys, page what) {
  reader eyes;
  auto result = run_looked_at(sys, what, eyes);
  if (what == page::open && eyes.count() < 3)
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
