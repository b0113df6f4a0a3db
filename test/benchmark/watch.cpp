// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The cost of the live page for an application of 1,000 nodes, each of which
// executes a tag every millisecond, with and without a viewer. As fast as
// possible, it is the duration of the run; in physical time, the time until the
// last node has executed a tag, and the processor time. A message between quick
// nodes takes about 30 ns, and counting it about 3 ns.

#include "application/application_access.hpp"
#include "light_nodes.hpp"
#include "pairs.hpp"
#include "watch/web_client.hpp"

#include "caf/rosia/application.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr int sinks = 999;

/// A few seconds, in which the page is updated several times.
constexpr int ticks = 25'000;
constexpr int physical_ticks = 5'000;

/// In physical time nodes are alone at first, until light nodes are known.
constexpr int first_ticks = 1'000;

enum class page { none, closed, open };

/// Reads everything that the page of a running application sends, as a browser
/// does.
class reader {
public:
  ~reader() {
    if (thread_.joinable())
      thread_.join();
  }

  void look_at(const rosia::application& app) {
    thread_ = std::thread{[this, &app] { read(app); }};
  }

  /// Returns the number of received texts. Waits until the page is closed.
  int count() {
    thread_.join();
    return count_;
  }

private:
  void read(const rosia::application& app) {
    std::string url;
    // The page opens soon after the start of the run.
    while ((url = rosia::detail::application_access::page_url(app)).empty())
      std::this_thread::yield();
    test::viewer eyes{url};
    while (!eyes.next().empty())
      ++count_;
  }

  int count_ = 0;
  std::thread thread_;
};

/// The times at which the last of all nodes began each tag.
class finish_times {
public:
  explicit finish_times(int tags) : late_(static_cast<std::size_t>(tags)) {
    // nop
  }

  /// Records the lateness of a node at this tag. May be called from any thread.
  void note(int tag, std::int64_t ns) {
    auto& x = late_[static_cast<std::size_t>(tag)];
    auto known = x.load(std::memory_order_relaxed);
    while (ns > known
           && !x.compare_exchange_weak(known, ns, std::memory_order_relaxed))
      ;
  }

  /// Returns the median in seconds.
  double median() const {
    std::vector<double> result;
    for (auto i = late_.begin() + first_ticks; i != late_.end(); ++i)
      result.push_back(static_cast<double>(i->load()) / 1e9);
    return bench::quantile(result, 0.5);
  }

private:
  std::vector<std::atomic<std::int64_t>> late_;
};

struct timed_sink : rosia::node {
  explicit timed_sink(finish_times& x) : times(&x) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  finish_times* times;

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          times->note(*in, elapsed().count() - now().ns);
                        }};
};

/// Creates a source of this number of tags, and its sinks.
template <class Sink, class... Ts>
void build(rosia::application& app, int tags, Ts&... xs) {
  auto from = app.create<bench::ticker>("ticker", tags, 1ms);
  for (auto i = 0; i < sinks; ++i) {
    auto to = app.create<Sink>("sink " + std::to_string(i), xs...);
    app.connect(from, &bench::ticker::out, to, &Sink::in);
  }
}

rosia::options with_page(rosia::options opts, page view) {
  if (view != page::none)
    opts.watch.address = "127.0.0.1:0";
  return opts;
}

/// Runs the application that `make` builds, with the page.
/// @returns seconds.
template <class Fun>
double run(caf::actor_system& sys, const rosia::options& opts, page view,
           Fun make) {
  reader eyes;
  auto result = 0.0;
  {
    rosia::application app{sys, with_page(opts, view)};
    make(app);
    if (view == page::open)
      eyes.look_at(app);
    auto start = bench::clock::now();
    app.run();
    result = bench::seconds_since(start);
  }
  // The page closes with the application.
  if (view == page::open && eyes.count() < 3)
    throw std::runtime_error("the page was not updated");
  return result;
}

// -- as fast as possible ------------------------------------------------------

double run_fast(caf::actor_system& sys, page view) {
  // Equal groups in both runs, because the choice of groups has more effect
  // than a page.
  auto opts = bench::fast();
  opts.groups = "all";
  return run(sys, opts, view, [](rosia::application& app) {
    build<bench::summing_sink>(app, ticks);
  });
}

void measure_fast(benchmark::State& state, page view, const std::string& name,
                  const std::string& condition, double limit) {
  bench::run_pairs(
    state, [view](caf::actor_system& sys) { return run_fast(sys, view); },
    [](caf::actor_system& sys) { return run_fast(sys, page::none); },
    {.name = name,
     .quantity = "1,000 nodes, 25,000 tags, with the live page " + condition
                 + ", against without",
     .limit = limit},
    "s", 1);
}

// -- in physical time ---------------------------------------------------------

struct physical_run {
  double late; // seconds
  double cpu;  // in seconds, of all threads
};

physical_run run_physical(caf::actor_system& sys, page view) {
  finish_times times{physical_ticks};
  auto before = bench::cpu_seconds();
  run(sys, bench::realtime(), view, [&](rosia::application& app) {
    build<timed_sink>(app, physical_ticks, times);
  });
  return {times.median(), bench::cpu_seconds() - before};
}

void measure_physical(
  benchmark::State& state, page view, const std::string& name,
  const std::string& condition, double limit) {
  bench::system_scope scope;
  std::vector<double> with, without, ratios, shares;
  for (auto _ : state) {
    auto mine = run_physical(scope.sys, view);
    auto other = run_physical(scope.sys, page::none);
    with.push_back(mine.late * 1e6);
    without.push_back(other.late * 1e6);
    ratios.push_back(mine.late / other.late);
    shares.push_back((mine.cpu - other.cpu) / (physical_ticks / 1e3) * 100);
  }
  bench::report(
    {.name = name,
     .quantity = "when the last of 1,000 nodes begins a tag at 1 kHz, "
                 "with the live page "
                 + condition + ", against without",
     .value = bench::quantile(with, 0.5),
     .unit = "us",
     .reference = bench::quantile(without, 0.5),
     .ratio = bench::quantile(ratios, 0.5),
     .limit = limit});
  bench::report(
    {.name = name,
     .quantity = "the same: the part of a processor that it takes",
     .value = bench::quantile(shares, 0.5),
     .unit = "%"});
}

// -- pairs --------------------------------------------------------------------

void watch_open(benchmark::State& state) {
  measure_fast(state, page::open, "watch, open", "open", 1.35);
}

void watch_closed(benchmark::State& state) {
  measure_fast(state, page::closed, "watch, closed", "closed", 1.2);
}

void watch_open_physical(benchmark::State& state) {
  measure_physical(state, page::open, "watch, open", "open", 1.2);
}

void watch_closed_physical(benchmark::State& state) {
  measure_physical(state, page::closed, "watch, closed", "closed", 1.2);
}

BENCHMARK(watch_open)->Iterations(9)->Unit(benchmark::kMillisecond);
BENCHMARK(watch_closed)->Iterations(9)->Unit(benchmark::kMillisecond);
BENCHMARK(watch_open_physical)->Iterations(9)->Unit(benchmark::kMillisecond);
BENCHMARK(watch_closed_physical)->Iterations(9)->Unit(benchmark::kMillisecond);

} // namespace
