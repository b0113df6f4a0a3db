// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Random graphs with physical actions and connections and requests of an end,
// recorded and replayed. Environment:
//   ROSIA_PROPERTY_GRAPHS  half of this is the number of graphs (2000)
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
#include <mutex>

namespace replay_test {

namespace {

using namespace property;

class campaign {
public:
  void try_graph(std::uint64_t seed) {
    auto graph = model::make_graph(seed, options);
    test::temporary_folder folder;
    auto file = folder.file("run.db");
    auto run_on = [&](std::uint32_t variant, const std::string& record,
                      const std::string& replay) {
      auto bits = model::mix(seed, variant);
      auto threads = 1u << bits % 3;
      auto label
        = "seed " + std::to_string(seed) + " on " + std::to_string(threads)
          + " threads" + (replay.empty() ? "" : ", repeated");
      auto result = run(
        graph, systems_.get(threads, bits / 4 % 2 == 0),
        {.traced = bits / 8 % 4 == 0,
         .dallies = bits / 32 % 4 == 0,
         .groups = some_groups(bits / 128),
         .record = record,
         .replay = replay,
         .replay_piece = some_piece(bits / 4096)},
        dog_, label);
      return result;
    };
    auto first = run_on(0, file, "");
    for (auto& node : first.nodes)
      stamps_ += node.stamps.size();
    auto check = [&](const outcome& recorded, const outcome& repeated) {
      failures_.add("seed " + std::to_string(seed) + ", repeated",
                    replay_differences(recorded, repeated));
    };
    check(first, run_on(1, "", file));
    auto copy = folder.file("copy.db");
    auto second = run_on(2, copy, file);
    check(first, second);
    // A recording of the replay is equivalent, as far as it goes: after an
    // error, the replay may have ended earlier.
    check(second, run_on(3, "", copy));
    ++graphs_;
  }

  std::size_t failures() const {
    return failures_.size();
  }

  std::string summary() const {
    return std::to_string(graphs_) + " graphs recorded and repeated, "
           + std::to_string(stamps_) + " physical values";
  }

  static constexpr model::graph_options options{
    .nodes = 20, .physical = 90, .realtime = 20};

private:
  systems systems_;
  watchdog dog_{std::chrono::seconds{60}};
  findings failures_;
  std::atomic<std::size_t> graphs_{0}, stamps_{0};
};

} // namespace

TEST_CASE("8.2 random graphs are replayed as recorded", "[replay]") {
  auto one_seed = std::getenv("ROSIA_SEED");
  auto graphs = from_environment("ROSIA_PROPERTY_GRAPHS", one_seed ? 1 : 2000)
                / (one_seed ? 1 : 2);
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
}

} // namespace replay_test
