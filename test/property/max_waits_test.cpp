// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Random graphs with maximal waits, recorded and replayed. Environment:
//   ROSIA_PROPERTY_GRAPHS  a tenth of this is the number of graphs (2000)
//   ROSIA_PROPERTY_FIRST   the first seed (0)
//   ROSIA_PROPERTY_JOBS    number of parallel runs (2)
//   ROSIA_SEED             one seed, with a full description; JOBS threads run
//                          it GRAPHS times

#include "catch.hpp"

#include "property/campaign.hpp"
#include "property/model/random.hpp"
#include "property/run.hpp"
#include "property/systems.hpp"
#include "temporary_folder.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace max_waits_property_test {

namespace {

using namespace property;

std::size_t tardy_values_in(std::string_view trace) {
  std::size_t result = 0;
  constexpr std::string_view event = "\"event\":\"tardy\"";
  for (auto at = trace.find(event); at != std::string_view::npos;
       at = trace.find(event, at + event.size()))
    ++result;
  return result;
}

class campaign {
public:
  void try_graph(std::uint64_t seed) {
    auto graph = model::make_graph(seed, options);
    auto label = "seed " + std::to_string(seed);
    test::temporary_folder folder;
    auto file = folder.file("run.db");
    auto run_on = [&](std::uint32_t variant, const std::string& record,
                      const std::string& replay) {
      auto bits = model::mix(seed, variant);
      return run(
        graph, systems_.get(1u << bits % 3, bits / 4 % 2 == 0),
        {.traced = true,
         .dallies = bits / 8 % 2 == 0,
         .groups = some_groups(bits / 16),
         .record = record,
         .replay = replay,
         .replay_piece = some_piece(bits / 256)},
        dog_, label);
    };
    auto first = run_on(0, file, "");
    failures_.add(label, judge(graph, first, nullptr));
    tardy_ += tardy_values_in(first.trace);
    for (auto variant : {1u, 2u}) {
      auto again = run_on(variant, "", file);
      failures_.add(label + ", repeated", replay_differences(first, again));
      if (!graph.fails)
        failures_.add(
          label + ", repeated", differences(first.trace, again.trace));
    }
    ++graphs_;
  }

  std::size_t failures() const {
    return failures_.size();
  }

  std::size_t tardy() const {
    return tardy_;
  }

  std::string summary() const {
    return std::to_string(graphs_) + " graphs recorded and repeated, "
           + std::to_string(tardy_) + " tardy values";
  }

  static constexpr model::graph_options options{
    .nodes = 20, .physical = 40, .realtime = 60, .waits = 100};

private:
  systems systems_;
  watchdog dog_{std::chrono::seconds{60}};
  findings failures_;
  std::atomic<std::size_t> graphs_{0}, tardy_{0};
};

} // namespace

TEST_CASE("10.10.1 random graphs with maximal waits end, no message is late, "
          "and they are replayed as recorded",
          "[replay]") {
  auto one_seed = std::getenv("ROSIA_SEED");
  auto graphs = from_environment("ROSIA_PROPERTY_GRAPHS", one_seed ? 1 : 2000)
                / (one_seed ? 1 : 10);
  auto first = from_environment("ROSIA_PROPERTY_FIRST", 0);
  if (one_seed) {
    first = std::strtoull(one_seed, nullptr, 10);
    std::puts(to_string(model::make_graph(first, campaign::options)).c_str());
  }
  campaign all;
  in_parallel(graphs, [&](auto i) {
    all.try_graph(one_seed ? first : first + i);
    return all.failures() < 20;
  });
  std::puts(all.summary().c_str());
  CHECK(all.failures() == 0);
  if (graphs >= 40 && !one_seed)
    CHECK(all.tardy() > 0);
}

} // namespace max_waits_property_test
