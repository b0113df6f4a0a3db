// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Random graphs that take checkpoints, planned and on demand, and end at a
// random time in a random way. Runs resume from each checkpoint, on different
// threads and in different groups. Environment:
//   ROSIA_RESUME_GRAPHS       number of graphs (a fiftieth of
//                             ROSIA_PROPERTY_GRAPHS, which is 2000)
//   ROSIA_RESUME_CHECKPOINTS  number of checkpoints of each (3)
//   ROSIA_PROPERTY_FIRST      the first seed (0)
//   ROSIA_PROPERTY_JOBS       number of parallel runs (2)
//   ROSIA_SEED                one seed, with a full description; JOBS threads
//   run it
//                             GRAPHS times

#include "catch.hpp"

#include "property/campaign.hpp"
#include "property/complete_checkpoints.hpp"
#include "property/ending_plan.hpp"
#include "property/model/random.hpp"
#include "property/run.hpp"
#include "property/systems.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

namespace resume_test {

namespace {

using namespace property;

namespace run_file = rosia::run_file;

/// A graph, and the events of its run.
struct subject {
  explicit subject(std::uint64_t seed)
    : graph(model::make_graph(model::mix(seed, 0x636b7074),
                              {.nodes = 12, .physical = 25, .fails = 3})) {
    model::schedule_instead_of_yielding(graph);
    model::random rng{seed};
    auto last = graph.stop_after.value_or(model::forever);
    if (!graph.physical)
      expected = model::run_sequentially(graph, {}, last);
    std::uint64_t reactions = 100;
    std::int64_t time = 0;
    if (expected) {
      reactions = 0;
      for (auto& x : expected->logs)
        reactions += x.size();
      time = model::some_moment(*expected, rng);
    }
    every = std::chrono::nanoseconds{time / rng.pick({1, 2, 3, 10, 100}) + 1};
    // If physical time passes, saving must not take longer than that.
    if (graph.physical || graph.realtime)
      every = std::chrono::microseconds{rng.pick({300, 1000})};
    if (rng.percent(20))
      every.reset();
    demands = rng.pick({0u, 1u, 20u});
    if (rng.percent(60))
      plan.acts.push_back(
        {.kind = rng.pick({way::error, way::error, way::request}),
         .at = 1 + rng.below(reactions + 1)});
  }

  model::graph_spec graph;
  std::optional<model::expectation> expected;
  std::optional<std::chrono::nanoseconds> every;
  std::size_t demands = 0;
  ending_plan plan;
};

/// The events before a checkpoint, except for the nodes' states.
struct past {
  std::vector<company::taken> taken;
  std::vector<model::logical_time> proposals; // of the plan

  /// Whether the application ended there, or before, and the requests had
  /// arrived.
  bool ended = false;
};

/// @param ended whether a run ended in the sequence of resumed runs.
past past_of(outcome&& x, bool ended) {
  return {std::move(x.taken), std::move(x.done.proposals), ended};
}

std::string list(const std::vector<run_file::checkpoint>& all) {
  std::string result;
  for (auto& x : all)
    result += (result.empty() ? "" : ", ") + to_string(x.tag)
              + (x.final ? " (final)" : "");
  return result;
}

class campaign {
public:
  explicit campaign(std::uint64_t most) : most_(most) {
    // nop
  }

  void try_seed(std::uint64_t seed) {
    subject sample{seed};
    test::temporary_folder folder;
    auto file = folder.file("run.db");
    model::random rng{model::mix(seed, 0x72657375)};
    auto traced = rng.percent(50);
    auto first = try_on(
      sample.graph, sample, rng.next(), label_of(seed, ""), {},
      {.traced = traced,
       .ending = &sample.plan,
       .checkpoint = file,
       .checkpoint_every = sample.every,
       .demands = sample.demands});
    auto all = complete_checkpoints(file);
    auto is_end = [&](auto& y) { return y.final && y.tag == first.final; };
    // Otherwise it is unknown whether a final tag was lowered.
    if (traced && first.status == 0 && first.final != model::forever
        && std::none_of(all.begin(), all.end(), is_end))
      failures_.add(
        label_of(seed, ""),
        {"the end at " + to_string(first.final)
         + " is not among the checkpoints: " + list(all)});
    checkpoints_ += all.size();
    auto rest = continued(sample.graph);
    auto before = past_of(std::move(first), false);
    for (std::uint64_t i = 0; i < most_ && !all.empty(); ++i) {
      auto chosen = all.begin() + rng.below(all.size());
      auto tag = chosen->tag;
      before.ended = chosen->final;
      all.erase(chosen);
      try_on(rest, sample, rng.next(),
             label_of(seed, ", continued from " + to_string(tag)), before,
             {.traced = traced, .resume = file, .resume_at = tag});
    }
    try_again_and_again(sample, seed, rng, file, std::move(before));
    ++graphs_;
  }

  std::size_t failures() const {
    return failures_.size();
  }

  std::size_t checkpoints() const {
    return checkpoints_;
  }

  std::string summary() const {
    return std::to_string(graphs_) + " graphs, " + std::to_string(checkpoints_)
           + " checkpoints, " + std::to_string(runs_) + " runs, "
           + std::to_string(stamps_) + " physical values, "
           + std::to_string(aborted_) + " aborted";
  }

private:
  static std::string label_of(std::uint64_t seed, const std::string& rest) {
    return "seed " + std::to_string(seed) + rest;
  }

  /// Simulates a service that is started again whenever it has ended. Each run
  /// resumes from the last one, and takes checkpoints.
  void try_again_and_again(
    const subject& sample, std::uint64_t seed, model::random& rng,
    const std::string& file, past before) {
    auto rest = continued(sample.graph);
    for (auto i = rng.below(4); i > 0; --i) {
      auto plan = sample.plan;
      for (auto& act : plan.acts)
        act.at = rng.below(act.at + 1);
      auto all = complete_checkpoints(file);
      auto last
        = std::max_element(all.begin(), all.end(), [](auto& y, auto& z) {
            return std::tie(y.number, y.final, y.tag)
                   < std::tie(z.number, z.final, z.tag);
          });
      before.ended = before.ended || (last != all.end() && last->final);
      auto result = try_on(
        rest, sample, rng.next(),
        label_of(seed, ", again with " + to_string(plan)), before,
        {.traced = rng.percent(50),
         .ending = &plan,
         .checkpoint = file,
         .checkpoint_every = sample.every,
         .resume = file,
         .demands = sample.demands});
      before = past_of(std::move(result), before.ended);
      rest = continued(std::move(rest));
    }
  }

  outcome try_on(const model::graph_spec& graph, const subject& sample,
                 std::uint64_t bits, const std::string& label,
                 const past& before, manner settings) {
    auto threads = 1u << bits % 3;
    settings.dallies = bits / 4 % 4 == 0;
    settings.groups = some_groups(bits / 16);
    auto& sys = systems_.get(threads, bits / 1024 % 2 == 0);
    outcome result;
    try {
      result = run(graph, sys, settings, dog_, label);
      auto add = [](auto& to, auto& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      add(result.taken, before.taken);
      add(result.done.proposals, before.proposals);
      if (before.ended && result.status == 0)
        result.statuses.clear();
      failures_.add(
        label + ", groups=" + settings.groups,
        judge(graph, result, sample.expected ? &*sample.expected : nullptr));
    } catch (const std::exception& e) {
      failures_.add(label, {e.what()});
    }
    ++runs_;
    aborted_ += result.status == 1;
    for (auto& node : result.nodes)
      stamps_ += node.stamps.size();
    return result;
  }

  std::uint64_t most_;
  systems systems_;
  watchdog dog_{std::chrono::seconds{60}};
  findings failures_;
  std::atomic<std::size_t> graphs_{0}, checkpoints_{0}, runs_{0}, stamps_{0},
    aborted_{0};
};

} // namespace

TEST_CASE("8.6 random graphs resume from each of their checkpoints as if they "
          "had never ended",
          "[resume]") {
  auto one_seed = std::getenv("ROSIA_SEED");
  auto graphs = from_environment(
    "ROSIA_RESUME_GRAPHS",
    one_seed ? 1 : from_environment("ROSIA_PROPERTY_GRAPHS", 2000) / 50);
  auto first = from_environment("ROSIA_PROPERTY_FIRST", 0);
  if (one_seed) {
    first = std::strtoull(one_seed, nullptr, 10);
    subject sample{first};
    std::printf(
      "%scheckpoint_every: %s, demands: %zu, end: %s\n",
      to_string(sample.graph).c_str(),
      sample.every ? to_string(model::delay{*sample.every}).c_str() : "never",
      sample.demands, to_string(sample.plan).c_str());
  }
  campaign all{from_environment("ROSIA_RESUME_CHECKPOINTS", 3)};
  in_parallel(graphs, [&](auto i) {
    all.try_seed(one_seed ? first : first + i);
    return all.failures() < 20;
  });
  std::puts(all.summary().c_str());
  CHECK(all.failures() == 0);
  if (graphs >= 40 && !one_seed)
    CHECK(all.checkpoints() > graphs);
}

} // namespace resume_test
