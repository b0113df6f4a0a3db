// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Random graphs over several processes against the oracle. The processes are
// actor systems of this process that share nothing and communicate by CAF's
// middleman. Environment:
//   ROSIA_PROPERTY_GRAPHS  a tenth of this is the number of graphs (2000)
//   ROSIA_PROPERTY_FIRST   the first seed (0)
//   ROSIA_PROPERTY_JOBS    number of parallel runs (2)
//   ROSIA_SEED             one seed, with a full description; JOBS threads run
//                          it GRAPHS times

#include "caf_version.hpp"
#include "catch.hpp"

#include "caf/rosia/config.hpp"

#include "free_port.hpp"
#include "property/campaign.hpp"
#include "property/complete_checkpoints.hpp"
#include "property/model/random.hpp"
#include "property/run.hpp"
#include "rosia_trace/commands.hpp"
#include "temporary_folder.hpp"

#include "caf/rosia/multiplexer.hpp"

#include <caf/io/middleman.hpp>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

namespace processes_test {

namespace {

using namespace property;

/// An actor system like that of a separate process.
struct own_system {
  struct settings : rosia::config {
    settings(bool stealing, bool own_loop) {
      if (own_loop)
        rosia::load_multiplexer(*this);
      else
        load<caf::io::middleman>();
      test::set_caf_option(*this, "scheduler.max-threads", 2);
      if (stealing)
        test::set_policy(*this, "stealing");
      test::set_caf_option(*this, "work-stealing.relaxed-sleep-duration",
                           caf::timespan{std::chrono::microseconds{100}});
      test::set_caf_option(*this, "middleman.workers", 0);
    }
  };

  own_system(bool stealing, bool own_loop)
    : config(stealing, own_loop), system(config) {
    // nop
  }

  settings config;
  caf::actor_system system;
};

share make_share(const model::graph_spec& graph, std::uint64_t seed) {
  model::random rng{model::mix(seed, 0x706c616365)};
  share result;
  // In some cases, the coordinator's process runs nodes as well.
  std::uint32_t first = rng.below(3) == 0 ? 0 : 1;
  auto n = 2 + first + rng.below(4);
  result.processes = {"coordinator"};
  for (std::uint32_t i = 1; i < n; ++i)
    result.processes.push_back("p" + std::to_string(i));
  std::map<std::uint32_t, std::size_t> homes; // of inseparable loops
  for (auto& loop : model::inseparable_loops(graph)) {
    std::size_t home = first + rng.below(n - first);
    result.homes.push_back(
      loop ? homes.try_emplace(*loop, home).first->second : home);
  }
  return result;
}

std::string merge(const share& parts, const std::vector<outcome>& xs) {
  test::temporary_folder folder;
  rosia_trace::combination_options options;
  for (std::size_t i = 0; i < xs.size(); ++i)
    options.files.push_back(folder.write(parts.processes[i], xs[i].trace));
  std::ostringstream out;
  std::ostringstream warnings;
  rosia_trace::merge_command(options, out, warnings);
  if (auto text = warnings.str(); !text.empty())
    throw std::runtime_error{text};
  return out.str();
}

class campaign {
public:
  void try_graph(std::uint64_t seed) {
    auto graph = model::make_graph(seed, {.nodes = 12});
    std::optional<model::expectation> expected;
    if (!graph.physical)
      expected = model::run_sequentially(
        graph, {}, graph.stop_after.value_or(model::forever));
    auto parts = make_share(graph, seed);
    parts.port = test::free_port();
    auto label = "seed " + std::to_string(seed) + " over "
                 + std::to_string(parts.processes.size()) + " processes";
    try {
      auto result = run_parts(graph, parts, seed, label);
      auto problems = judge(graph, result, expected ? &*expected : nullptr);
      failures_.add(label, problems);
      if (graph.physical)
        try_replay(graph, seed, label);
      if (!graph.physical && !graph.realtime)
        try_resume(graph, seed, label);
      for (auto& node : result.nodes)
        entries_ += node.log.size();
    } catch (const std::exception& e) {
      failures_.add(label, {e.what()});
    }
    ++graphs_;
  }

  std::size_t failures() const {
    return failures_.size();
  }

  std::string summary() const {
    return std::to_string(graphs_) + " graphs over processes, "
           + std::to_string(entries_) + " reactions, "
           + std::to_string(checkpoints_) + " checkpoints";
  }

private:
  /// Replays the recording of a run over processes, or in one, in one process
  /// and over different ones.
  void try_replay(const model::graph_spec& graph, std::uint64_t seed,
                  const std::string& label) {
    test::temporary_folder folder;
    auto file = folder.file("run.db");
    auto in_one = [&](const manner& settings) {
      own_system own{seed % 2 == 0, false};
      return run(graph, own.system, settings, dog_, label);
    };
    auto over_processes = [&](std::uint64_t placing, const manner& settings) {
      auto parts = make_share(graph, placing);
      parts.port = test::free_port();
      return run_parts(graph, parts, placing, label, settings);
    };
    auto piece = some_piece(seed);
    manner repeated{.replay = file, .replay_piece = piece};
    auto first = over_processes(seed, {.record = file});
    failures_.add(
      label + ", repeated in one", replay_differences(first, in_one(repeated)));
    failures_.add(
      label + ", repeated over others",
      replay_differences(first, over_processes(seed + 1, repeated)));
    repeated.replay = folder.file("one.db");
    auto alone = in_one({.record = repeated.replay});
    failures_.add(
      label + ", recorded in one, repeated over several",
      replay_differences(alone, over_processes(seed + 2, repeated)));
  }

  /// Resumes from checkpoints of a run over processes, in one process and over
  /// different ones.
  void try_resume(model::graph_spec graph, std::uint64_t seed,
                  const std::string& label) {
    model::schedule_instead_of_yielding(graph);
    auto expected = model::run_sequentially(
      graph, {}, graph.stop_after.value_or(model::forever));
    model::random rng{model::mix(seed, 0x72657375)};
    auto time = model::some_moment(expected, rng);
    test::temporary_folder folder;
    auto file = folder.file("run.db");
    auto parts = make_share(graph, seed + 2);
    parts.port = test::free_port();
    auto first = run_parts(
      graph, parts, seed, label + ", saved",
      {.checkpoint = file,
       .checkpoint_every
       = std::chrono::nanoseconds{time / rng.pick({1, 2, 5}) + 1},
       .demands = rng.pick({0u, 3u})});
    failures_.add(label + ", saved", judge(graph, first, &expected));
    auto all = complete_checkpoints(file + ".coordinator");
    if (all.empty())
      return;
    checkpoints_ += all.size();
    auto chosen = all[rng.below(all.size())];
    manner settings{.resume = file, .resume_at = chosen.tag};
    auto rest = continued(graph);
    auto go_on = [&](const std::string& where, auto&& run_rest) {
      auto name = label + ", continued from " + to_string(chosen.tag) + where;
      outcome again = run_rest(name);
      // The trace lacks the messages in transit at that time.
      again.trace.clear();
      again.taken.insert(
        again.taken.end(), first.taken.begin(), first.taken.end());
      if (chosen.final && again.status == 0)
        again.statuses.clear();
      failures_.add(name, judge(rest, again, &expected));
    };
    go_on(" in one", [&](auto& name) {
      own_system own{seed % 2 == 0, false};
      return run(rest, own.system, settings, dog_, name);
    });
    go_on(" over others", [&](auto& name) {
      auto others = make_share(rest, seed + 1);
      others.port = test::free_port();
      return run_parts(rest, others, seed + 1, name, settings);
    });
  }

  outcome run_parts(
    const model::graph_spec& graph, const share& parts, std::uint64_t seed,
    const std::string& label, manner files = {}) {
    std::vector<std::future<outcome>> futures;
    for (std::size_t i = 0; i < parts.processes.size(); ++i)
      futures.push_back(std::async(std::launch::async, [&, i] {
        auto part = parts;
        part.self = i;
        auto bits = model::mix(seed, i);
        own_system own{bits % 2 == 0, bits / 8 % 2 == 0};
        auto settings = files;
        settings.traced = true;
        settings.dallies = bits / 2 % 4 == 0;
        settings.groups = some_groups(bits / 16);
        settings.part = &part;
        return run(
          graph, own.system, settings, dog_, label + ", " + parts.processes[i]);
      }));
    std::vector<outcome> all;
    for (auto& x : futures)
      x.wait();
    for (auto& x : futures)
      all.push_back(x.get());
    auto trace = merge(parts, all);
    auto result = join(parts, std::move(all));
    result.trace = std::move(trace);
    result.final = std::min(result.final, final_tag_in(result.trace));
    return result;
  }

  watchdog dog_{std::chrono::seconds{60}};
  findings failures_;
  std::atomic<std::size_t> graphs_{0}, entries_{0}, checkpoints_{0};
};

} // namespace

TEST_CASE("random graphs over several processes do what the oracle does",
          "[processes]") {
  auto one_seed = std::getenv("ROSIA_SEED");
  auto graphs = from_environment("ROSIA_PROPERTY_GRAPHS", one_seed ? 1 : 2000)
                / (one_seed ? 1 : 10);
  auto first = from_environment("ROSIA_PROPERTY_FIRST", 0);
  if (one_seed) {
    first = std::strtoull(one_seed, nullptr, 10);
    std::puts(to_string(model::make_graph(first, {.nodes = 12})).c_str());
  }
  campaign all;
  in_parallel(graphs, [&](auto i) {
    all.try_graph(one_seed ? first : first + i);
    return all.failures() < 20;
  });
  std::puts(all.summary().c_str());
  CHECK(all.failures() == 0);
}

} // namespace processes_test
