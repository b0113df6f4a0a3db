// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Random graphs against a sequential oracle. Environment:
//   ROSIA_PROPERTY_GRAPHS  number of graphs (2000)
//   ROSIA_PROPERTY_FIRST   the first seed (0)
//   ROSIA_PROPERTY_LARGE   number of large graphs (20)
//   ROSIA_PROPERTY_TRACE   0: without traces, which synchronize threads (1)
//   ROSIA_PROPERTY_JOBS    number of parallel runs (2)
//   ROSIA_SEED             one seed, with a full description; JOBS threads run
//   it
//                          GRAPHS times
// Each graph runs on 1, 2 and 4 threads with its trace checked, and once more
// without a trace. An example that takes a night:
//   ROSIA_PROPERTY_GRAPHS=1000000 ROSIA_PROPERTY_FIRST=2000 property_test

#include "catch.hpp"

#include "property/campaign.hpp"
#include "property/model/random.hpp"
#include "property/run.hpp"
#include "property/systems.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace property_test {

namespace {

using namespace property;

/// Runs graphs, and collects problems.
class campaign {
public:
  /// Tries one seed on all systems.
  void try_graph(std::uint64_t seed, const model::graph_options& opts = {}) {
    auto graph = model::make_graph(seed, opts);
    std::optional<model::expectation> expected;
    if (!graph.physical)
      expected = model::run_sequentially(
        graph, {}, graph.stop_after.value_or(model::forever));
    auto try_on = [&](std::uint32_t threads, bool stealing, manner settings) {
      auto label
        = "seed " + std::to_string(seed) + " on " + std::to_string(threads)
          + " threads, " + (stealing ? "stealing" : "sharing")
          + (settings.traced ? "" : ", untraced")
          + (settings.dallies ? ", dallying" : "")
          + ", groups=" + settings.groups;
      auto result
        = run(graph, systems_.get(threads, stealing), settings, dog_, label);
      auto problems = judge(graph, result, expected ? &*expected : nullptr);
      count(result);
      failures_.add(label, problems);
      return result;
    };
    std::vector<std::string> traces;
    auto stealing
      = [&](std::uint32_t threads) { return (seed + threads / 2) % 2 == 0; };
    // Delays let other threads run, and physical time pass.
    auto dallies
      = [&](std::uint32_t threads) { return (seed / 2 + threads) % 4 == 0; };
    auto groups = [&](std::uint32_t threads) {
      return some_groups(model::mix(seed, threads));
    };
    for (auto threads : {1u, 2u, 4u})
      traces.push_back(
        try_on(threads, stealing(threads),
               {.traced = traced_,
                .dallies = dallies(threads),
                .groups = groups(threads)})
          .trace);
    if (traced_)
      try_on(
        seed % 3 == 0 ? 4 : 2, seed / 3 % 2 == 0,
        {.traced = false, .dallies = seed / 6 % 2 == 0, .groups = groups(8)});
    if (traced_ && expected && !graph.fails)
      for (std::size_t i = 1; i < traces.size(); ++i)
        failures_.add(
          "seed " + std::to_string(seed), differences(traces[0], traces[i]));
    ++graphs_;
  }

  /// Returns the number of problems.
  std::size_t failures() const {
    return failures_.size();
  }

  std::string summary() const {
    return std::to_string(graphs_) + " graphs, " + std::to_string(runs_)
           + " runs, " + std::to_string(entries_) + " reactions, "
           + std::to_string(stamps_) + " physical values, "
           + std::to_string(finals_) + " final tags, " + std::to_string(errors_)
           + " errors on purpose";
  }

private:
  void count(const outcome& x) {
    ++runs_;
    finals_ += x.final != model::forever;
    errors_ += x.failed;
    for (auto& node : x.nodes) {
      entries_ += node.log.size();
      stamps_ += node.stamps.size();
    }
  }

  bool traced_ = from_environment("ROSIA_PROPERTY_TRACE", 1) != 0;
  systems systems_;
  watchdog dog_{std::chrono::seconds{60}};
  findings failures_;
  std::atomic<std::size_t> graphs_{0}, runs_{0}, entries_{0}, stamps_{0},
    finals_{0}, errors_{0};
};

} // namespace

TEST_CASE("loops of hundreds of nodes do what the oracle does") {
  // With more than 256 members, the loop time table has no table of distances.
  campaign all;
  in_parallel(from_environment("ROSIA_PROPERTY_LARGE", 20), [&](auto i) {
    all.try_graph(i, {.least_nodes = 260, .nodes = 400, .physical = 30});
    return true;
  });
  std::puts(all.summary().c_str());
  CHECK(all.failures() == 0);
}

TEST_CASE(
  "7.1 random graphs do what the oracle does, on any number of threads") {
  auto one_seed = std::getenv("ROSIA_SEED");
  auto graphs = from_environment("ROSIA_PROPERTY_GRAPHS", one_seed ? 1 : 2000);
  auto first = from_environment("ROSIA_PROPERTY_FIRST", 0);
  if (one_seed) {
    first = std::strtoull(one_seed, nullptr, 10);
    std::puts(to_string(model::make_graph(first)).c_str());
  }
  campaign all;
  in_parallel(graphs, [&](auto i) {
    all.try_graph(one_seed ? first : first + i);
    return all.failures() < 20;
  });
  std::puts(all.summary().c_str());
  CHECK(all.failures() == 0);
}

} // namespace property_test
