// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Random graphs that are ended at a random time in a random way: by requests,
// signals, errors, kills, deadlines, several of them at once, or not at all.
// Environment:
//   ROSIA_SOAK_GRAPHS      number of graphs (half of ROSIA_PROPERTY_GRAPHS,
//                          which is 2000)
//   ROSIA_PROPERTY_FIRST   the first seed (0)
//   ROSIA_PROPERTY_JOBS    number of parallel runs (2)
//   ROSIA_SEED             one seed, with a full description; JOBS threads run
//   it
//                          GRAPHS times
// Each graph runs on 1, 2 and 4 threads with its trace checked, and once more
// without a trace, because tracing synchronizes threads. An example that takes
// about an hour:
//   ROSIA_SOAK_GRAPHS=100000 property_test '[soak]'

#include "catch.hpp"

#include "property/campaign.hpp"
#include "property/ending_plan.hpp"
#include "property/model/random.hpp"
#include "property/run.hpp"
#include "property/systems.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace soak_test {

namespace {

using namespace property;

/// A graph, and the plan for its end.
struct subject {
  explicit subject(std::uint64_t seed)
    : graph(model::make_graph(model::mix(seed, 0x736f616b),
                              {.nodes = 12, .physical = 30, .fails = 6})) {
    model::random rng{seed};
    // Most graphs become idle soon. Some must be busy when they are ended.
    auto longer = rng.pick({1u, 3u, 20u});
    for (auto& x : graph.nodes)
      x.limit *= longer;
    if (!graph.physical)
      expected = model::run_sequentially(
        graph, {}, graph.stop_after.value_or(model::forever));
    std::uint64_t reactions = rng.pick({0u, 20u, 100u, 500u});
    if (expected) {
      reactions = 0;
      for (auto& x : expected->logs)
        reactions += x.size();
    }
    plan = make_ending_plan(seed, graph.nodes.size(), reactions);
  }

  model::graph_spec graph;
  std::optional<model::expectation> expected;
  ending_plan plan;
};

class soak {
public:
  void try_seed(std::uint64_t seed) {
    subject sample{seed};
    std::string first;
    for (auto threads : {1u, 2u, 4u}) {
      auto trace = try_on(seed, sample, threads, true);
      if (threads == 1)
        first = std::move(trace);
      else if (sample.expected && !sample.graph.fails)
        findings_.add(
          "seed " + std::to_string(seed) + " on 1 and "
            + std::to_string(threads) + " threads",
          differences(first, trace));
    }
    try_on(seed, sample, seed % 3 == 0 ? 4 : 2, false);
    ++graphs_;
  }

  const findings& found() const noexcept {
    return findings_;
  }

  // -- how runs ended ---------------------------------------------------------

  std::size_t alone() const {
    return alone_;
  }

  std::size_t agreed() const {
    return agreed_;
  }

  std::size_t aborted(int status) const {
    return status == 1 ? errors_ : status == 128 ? signals_ : deadlines_;
  }

  std::size_t vanished() const {
    return vanished_;
  }

  std::string summary() const {
    auto text = [](auto& x) { return std::to_string(x); };
    return text(graphs_) + " graphs, " + text(runs_) + " runs, "
           + text(reactions_) + " reactions; by themselves " + text(alone_)
           + ", at a final tag " + text(agreed_) + ", aborted after an error "
           + text(errors_) + " (a node vanished: " + text(vanished_)
           + "), a second signal " + text(signals_) + ", a deadline "
           + text(deadlines_);
  }

private:
  std::string try_on(std::uint64_t seed, const subject& sample,
                     std::uint32_t threads, bool traced) {
    auto bits = model::mix(seed, threads * 2 + (traced ? 1 : 0));
    auto stealing = bits % 2 == 0;
    auto dallies = bits / 2 % 4 == 0;
    auto groups = some_groups(bits / 8);
    auto label
      = "seed " + std::to_string(seed) + " on " + std::to_string(threads)
        + " threads, " + (stealing ? "stealing" : "sharing")
        + (traced ? "" : ", untraced") + (dallies ? ", dallying" : "")
        + ", groups=" + groups + "; " + to_string(sample.plan);
    auto result = run(
      sample.graph, systems_.get(threads, stealing),
      {.traced = traced,
       .dallies = dallies,
       .groups = groups,
       .ending = &sample.plan},
      dog_, label);
    findings_.add(label, judge(sample.graph, result,
                               sample.expected ? &*sample.expected : nullptr));
    count(result);
    return std::move(result.trace);
  }

  void count(const outcome& result) {
    ++runs_;
    for (auto& node : result.nodes)
      reactions_ += node.log.size();
    vanished_ += result.vanished();
    auto& kind
      = result.status == 1     ? errors_
        : result.status == 128 ? signals_
        : result.status == 129 ? deadlines_
        : result.final != model::forever
          ? agreed_
          : alone_;
    ++kind;
  }

  systems systems_;
  watchdog dog_{std::chrono::seconds{120}};
  findings findings_;
  std::atomic<std::size_t> graphs_{0}, runs_{0}, reactions_{0}, alone_{0},
    agreed_{0}, errors_{0}, signals_{0}, deadlines_{0}, vanished_{0};
};

} // namespace

TEST_CASE(
  "7.5 whenever and however a graph is ended, all nodes agree, no message "
  "is lost or late, and no node hangs",
  "[soak]") {
  constexpr std::size_t enough = 100;
  auto one_seed = std::getenv("ROSIA_SEED");
  auto graphs = from_environment(
    "ROSIA_SOAK_GRAPHS",
    one_seed ? 1 : from_environment("ROSIA_PROPERTY_GRAPHS", 2000) / 2);
  auto first = from_environment("ROSIA_PROPERTY_FIRST", 0);
  if (one_seed) {
    first = std::strtoull(one_seed, nullptr, 10);
    subject x{first};
    std::printf(
      "%s\n%s\n", to_string(x.graph).c_str(), to_string(x.plan).c_str());
  }
  own_signals_do_nothing guard;
  soak all;
  in_parallel(graphs, [&](auto i) {
    all.try_seed(one_seed ? first : first + i);
    return all.found().size() < 20;
  });
  std::puts(all.summary().c_str());
  CHECK(all.found().size() == 0);
  if (one_seed || graphs < enough)
    return;
  // Otherwise the end of the other nodes is unknown.
  CHECK(all.alone() > 0);
  CHECK(all.agreed() > 0);
  CHECK(all.vanished() > 0);
  CHECK(all.aborted(1) > all.vanished());
  CHECK(all.aborted(129) > 0);
}

} // namespace soak_test
