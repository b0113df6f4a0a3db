// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Generated graphs, beside a sequential event queue without the library. The
// ratio says how far the library is from that limit; with several threads and
// work in the nodes it may be below 1.

#include "generated_graphs.hpp"
#include "pairs.hpp"

#include "benchmark/graphs/application.hpp"
#include "benchmark/graphs/event_queue.hpp"
#include "benchmark/graphs/graph.hpp"
#include "benchmark/graphs/graph_spec.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

namespace {

void run_graph(benchmark::State& state, const graph_spec& spec) {
  auto graph = make_graph(spec);
  system_scope scope{spec.threads};
  auto library = [&] { return run_as_application(graph, scope.sys, fast()); };
  auto expected = run_with_event_queue(graph);
  if (library().nodes != expected.nodes) {
    state.SkipWithError("the results differ from those of the event queue");
    return;
  }
  run_by_turns(
    state, [&] { return library().seconds; },
    [&] { return run_with_event_queue(graph).seconds; },
    {.name = graph_row,
     .quantity = to_string(spec) + ", per message, against one binary heap",
     .unit = "ns",
     .kind = spec.kind,
     .nodes = static_cast<double>(graph.nodes.size())},
    1e9 / static_cast<double>(expected.messages()));
}

void add_graph(const graph_spec& spec) {
  benchmark::RegisterBenchmark(
    ("graph/" + to_string(spec)).c_str(),
    [spec](benchmark::State& state) { run_graph(state, spec); })
    ->Iterations(7)
    ->Unit(benchmark::kMillisecond);
}

/// The rows of the table. They are small, so that all benchmarks take minutes.
/// With 30 hops, most of the time is that of the nodes' start and end.
const bool has_added_all = [] {
  for (auto text :
       {"phold", "phold:nodes=1024,hops=30", "phold:nodes=1024,hops=1000",
        "phold:work=10000,threads=2", "layers",
        "layers:work=10000,rounds=5,threads=2", "rings", "fan", "chain", "grid",
        "random", "random:seed=2", "random:seed=3",
        "random:nodes=3000,loops=0,rounds=50",
        "fan:nodes=3000,rounds=300,threads=2"})
    add_graph(parse_graph_spec(text));
  return true;
}();

} // namespace

std::vector<graph_spec> graphs_by_size() {
  std::vector<graph_spec> result;
  for (std::uint32_t nodes = 64; nodes <= 65'536; nodes *= 4) {
    result.push_back(parse_graph_spec("phold"));
    result.back().nodes = nodes;
    result.back().hops = std::min(655'360 / nodes, 300u);
    // Each value of a source becomes up to 254 messages.
    result.push_back(parse_graph_spec("layers:layers=8,degree=2"));
    result.back().nodes = nodes / 8;
    result.back().rounds = std::max(16'384 / nodes, 2u);
  }
  return result;
}

void run_only(const std::vector<graph_spec>& graphs) {
  benchmark::ClearRegisteredBenchmarks();
  for (auto& x : graphs)
    add_graph(x);
}

} // namespace bench
