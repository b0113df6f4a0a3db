// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The generated graphs of the benchmarks: the library and the sequential event
// queue must execute the same tags with the same values.

#include "catch.hpp"

#include "benchmark/graphs/application.hpp"
#include "benchmark/graphs/event_queue.hpp"
#include "benchmark/graphs/graph.hpp"
#include "benchmark/graphs/graph_spec.hpp"

#include "support.hpp"

#include <algorithm>
#include <string>

namespace graphs_test {

using namespace bench;

namespace {

/// A small graph of each kind.
const std::vector<std::string> specs{
  "phold:nodes=6,degree=2,hops=20",
  "phold:nodes=40,degree=3,hops=10,delay=5",
  "layers:nodes=5,layers=4,degree=2,rounds=3",
  "rings:nodes=3,layers=4,hops=10",
  "fan:nodes=5,rounds=4",
  "chain:nodes=5,rounds=4",
  "grid:nodes=4,rounds=3",
  "random:nodes=12,degree=3,rounds=5,hops=6",
  "random:nodes=30,degree=4,loops=100,rounds=3,hops=6,delay=1000",
  "random:nodes=30,degree=4,loops=0,active=40,rounds=5",
  "random:nodes=20,rounds=5,heavy=20,work=1000",
};

/// Returns the results of the event queue if the library has the same.
graph_result run_both(const graph_plan& graph, caf::actor_system& system,
                      const std::string& groups) {
  auto opts = fast();
  opts.groups = groups;
  auto expected = run_with_event_queue(graph);
  CHECK(run_as_application(graph, system, opts).nodes == expected.nodes);
  return expected;
}

std::string problem(const std::string& spec) {
  try {
    parse_graph_spec(spec);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "none";
}

std::uint64_t messages_in(const std::string& spec) {
  return run_with_event_queue(make_graph(parse_graph_spec(spec))).messages();
}

} // namespace

TEST_CASE("generated graphs: the library and the event queue execute the same",
          "[benchmark]") {
  test_system system;
  for (auto& spec : specs)
    for (auto groups : {"auto", "off", "all"}) {
      CAPTURE(spec, groups);
      auto result
        = run_both(make_graph(parse_graph_spec(spec)), system, groups);
      CHECK(result.messages() > 10);
    }
}

TEST_CASE("generated graphs: random parameters", "[benchmark]") {
  test_system system;
  for (auto seed = 1u; seed <= 20; ++seed) {
    auto spec = random_graph_spec(seed);
    CAPTURE(to_string(spec));
    spec.nodes = std::min(spec.nodes, 50u);
    spec.rounds = std::min(spec.rounds, 5u);
    run_both(make_graph(spec), system, "auto");
  }
}

TEST_CASE("generated graphs: the event queue counts messages and tags",
          "[benchmark]") {
  CHECK(messages_in("phold:nodes=50,active=10,hops=7") == 5 * 7);
  CHECK(messages_in("chain:nodes=5,rounds=4") == 4 * 4);
  CHECK(messages_in("fan:nodes=5,rounds=4") == 4 * (5 + 5));
  CHECK(messages_in("grid:nodes=4,rounds=3") == 3 * 2 * 4 * 3);
  CHECK(messages_in("rings:nodes=3,layers=4,hops=10") == 4 * 10);
  auto fan = run_with_event_queue(make_graph(parse_graph_spec("fan:rounds=4")));
  CHECK(fan.nodes[0].tags == 0);
  CHECK(fan.nodes[1].tags == 4);
  CHECK(fan.nodes.back().tags == 4);
  CHECK(fan.nodes.back().messages == 4 * 100);
}

TEST_CASE("generated graphs: a value that differs changes the result",
          "[benchmark]") {
  auto graph = make_graph(parse_graph_spec("chain:nodes=3,rounds=2"));
  auto result = run_with_event_queue(graph);
  graph.nodes[0].outputs[0][0].delay = 1;
  CHECK(run_with_event_queue(graph).nodes[2].digest != result.nodes[2].digest);
  CHECK(result.nodes[1].digest != result.nodes[2].digest);
}

TEST_CASE("generated graphs: the same parameters give the same graph",
          "[benchmark]") {
  auto digests = [](const std::string& spec) {
    return run_with_event_queue(make_graph(parse_graph_spec(spec))).nodes;
  };
  CHECK(digests("random:rounds=5") == digests("random:rounds=5"));
  CHECK(digests("random:rounds=5") != digests("random:rounds=5,seed=2"));
}

TEST_CASE("generated graphs: the text of parameters", "[benchmark]") {
  CHECK(to_string(parse_graph_spec("phold")) == "phold");
  CHECK(to_string(parse_graph_spec("phold:nodes=64,work=5")) == "phold:work=5");
  CHECK(parse_graph_spec("rings:nodes=7,layers=3").nodes == 7);
  CHECK(problem("ring").starts_with(
    "unknown kind of graph 'ring'; known are phold, layers, rings, "));
  CHECK(
    problem("phold:size=3")
      .starts_with("unknown parameter 'size' of a graph; known are nodes, "));
  CHECK(problem("phold:nodes=1")
        == "invalid value '1' of 'nodes': it must be a number from 2 to "
           "10000000");
  for (auto text : {"phold:nodes", "phold:nodes=", "phold:nodes=3x",
                    "phold:nodes=-3", "phold:nodes=99999999999999"})
    CHECK(problem(text).starts_with("invalid value"));
}

TEST_CASE("generated graphs: random parameters have a text", "[benchmark]") {
  for (auto seed = 1u; seed <= 100; ++seed) {
    auto text = to_string(random_graph_spec(seed));
    CHECK(to_string(parse_graph_spec(text)) == text);
  }
}

} // namespace graphs_test
