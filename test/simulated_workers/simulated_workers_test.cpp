// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The speed-up on many workers, as exact figures: the whole runtime runs on
// simulated workers, in simulated time.

#include "catch.hpp"
#include "simulated_workers/simulated_run.hpp"

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace simulated_workers_test {

using namespace simulated_workers;

namespace {

constexpr costs free_of_cost{
  .event = 0, .activation = 0, .wake = 0, .latency = 0};

figures print(const std::string& graph, std::size_t workers) {
  auto result = simulate(graph + ",work=10000", workers);
  std::cout << graph << ":\n  " << result.text() << std::endl;
  return result;
}

/// Checks graphs that have work for all workers.
void require_speedup(std::size_t workers,
                     const std::vector<std::string>& graphs) {
  for (auto& graph : graphs) {
    CAPTURE(graph, workers);
    auto found = print(graph, workers);
    CHECK(found.ready() >= 40);
    CHECK(found.speedup >= 0.8 * found.bound());
    CHECK(found.speedup <= found.bound());
  }
}

} // namespace

TEST_CASE("simulated workers: without fixed costs, one worker takes as long as "
          "the work") {
  for (auto spec : {"layers:nodes=5,rounds=2", "grid:nodes=5,rounds=9",
                    "chain:nodes=9,rounds=30"}) {
    CAPTURE(spec);
    auto found = simulate(std::string{spec} + ",work=10000", 1, free_of_cost);
    CHECK(found.duration == found.work);
    CHECK(found.speedup == 1);
  }
}

TEST_CASE("simulated workers: the figures are the same in each run") {
  for (auto spec : {"phold:nodes=200,hops=20,work=10000",
                    "fan:nodes=100,rounds=10,work=10000"}) {
    CAPTURE(spec);
    auto first = simulate(spec, 8);
    for (auto i = 0; i < 3; ++i)
      CHECK(simulate(spec, 8) == first);
  }
}

TEST_CASE("simulated workers: the speed-up on 2 workers") {
  require_speedup(
    2,
    {"phold:nodes=320,hops=60", "phold:nodes=1000,active=10,hops=100",
     "layers:nodes=200,layers=4,degree=2,rounds=4", "grid:nodes=16,rounds=60",
     "chain:nodes=170,rounds=170", "fan:nodes=100,rounds=100"});
}

TEST_CASE("simulated workers: the speed-up on 4 workers") {
  require_speedup(
    4,
    {"phold:nodes=700,hops=60", "layers:nodes=460,layers=4,degree=2,rounds=4",
     "grid:nodes=20,rounds=60", "chain:nodes=330,rounds=330",
     "fan:nodes=200,rounds=60"});
}

TEST_CASE("simulated workers: the speed-up on 16 workers") {
  require_speedup(
    16,
    {"phold:nodes=2600,hops=30", "layers:nodes=2200,layers=4,degree=2,rounds=4",
     "grid:nodes=32,rounds=120", "fan:nodes=800,rounds=30"});
}

TEST_CASE("simulated workers: the speed-up on 64 workers") {
  require_speedup(64, {"phold:nodes=12500,hops=16", "grid:nodes=96,rounds=75",
                       "fan:nodes=3000,rounds=20"});
}

// Prints the figures of the graphs in the environment: ROSIA_SIMULATED_GRAPHS,
// with spaces between, and ROSIA_SIMULATED_WORKERS.
TEST_CASE("simulated workers: the figures of other graphs", "[.][simulation]") {
  auto words = [](const char* variable) {
    auto* text = std::getenv(variable);
    std::istringstream in{text != nullptr ? text : ""};
    std::vector<std::string> result;
    for (std::string word; in >> word;)
      result.push_back(word);
    return result;
  };
  for (auto& graph : words("ROSIA_SIMULATED_GRAPHS"))
    for (auto& workers : words("ROSIA_SIMULATED_WORKERS"))
      print(graph, std::stoul(workers));
}

} // namespace simulated_workers_test
