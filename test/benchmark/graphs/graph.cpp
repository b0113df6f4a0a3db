// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/graphs/graph.hpp"

#include "engine/random.hpp"

#include <algorithm>
#include <utility>

namespace bench {

namespace {

using engine_test::random_source;

class generator {
public:
  explicit generator(const graph_spec& spec) : spec_(spec), rng_(spec.seed) {
    result_.hops = spec.hops;
  }

  graph_plan make() {
    if (spec_.kind == "phold")
      phold();
    else if (spec_.kind == "layers")
      layers();
    else if (spec_.kind == "rings")
      rings();
    else if (spec_.kind == "fan")
      fan();
    else if (spec_.kind == "chain")
      chain();
    else if (spec_.kind == "grid")
      grid();
    else
      random();
    for (auto& x : result_.nodes)
      if (spec_.work > 0 && rng_.chance(spec_.heavy))
        x.work = spec_.work;
    return std::move(result_);
  }

private:
  /// Each message is sent on to a random neighbor, after a delay.
  void phold() {
    result_.nodes.resize(spec_.nodes);
    auto messages = std::max(
      spec_.nodes * std::uint64_t{spec_.active} / 100, std::uint64_t{1});
    for (auto& x : result_.nodes) {
      x.writes_all = false;
      x.ticks = messages > 0 ? 1 : 0;
      messages -= messages > 0 ? 1 : 0;
      for (std::uint32_t i = 0; i < spec_.degree; ++i)
        x.outputs.push_back({{rng_.below(spec_.nodes), random_delay()}});
    }
  }

  /// Each node of a layer sends to random nodes of the next one.
  void layers() {
    result_.nodes.resize(std::size_t{spec_.nodes} * spec_.layers);
    for (std::uint32_t i = 0; i < spec_.nodes; ++i)
      make_source(i);
    for (std::uint32_t layer = 1; layer < spec_.layers; ++layer)
      for (std::uint32_t i = 0; i < spec_.nodes * spec_.degree; ++i)
        connect((layer - 1) * spec_.nodes + i / spec_.degree,
                {layer * spec_.nodes + rng_.below(spec_.nodes), 0});
  }

  /// In each ring, a message goes round.
  void rings() {
    result_.nodes.resize(std::size_t{spec_.nodes} * spec_.layers);
    for (std::uint32_t ring = 0; ring < spec_.layers; ++ring) {
      auto first = ring * spec_.nodes;
      result_.nodes[first].ticks = 1;
      for (std::uint32_t i = 0; i < spec_.nodes; ++i)
        connect(first + i, {first + (i + 1) % spec_.nodes, random_delay()});
    }
  }

  /// A source, nodes that pass its values on, and a sink.
  void fan() {
    auto sink = spec_.nodes + 1;
    result_.nodes.resize(std::size_t{sink} + 1);
    make_source(0);
    for (std::uint32_t i = 1; i < sink; ++i) {
      connect(0, {i, 0});
      connect(i, {sink, 0});
    }
  }

  void chain() {
    result_.nodes.resize(spec_.nodes);
    make_source(0);
    for (std::uint32_t i = 1; i < spec_.nodes; ++i)
      connect(i - 1, {i, 0});
  }

  /// A square whose nodes send to the right and down.
  void grid() {
    auto side = spec_.nodes;
    result_.nodes.resize(std::size_t{side} * side);
    make_source(0);
    for (std::uint32_t row = 0; row < side; ++row)
      for (std::uint32_t column = 0; column < side; ++column) {
        auto id = row * side + column;
        if (column + 1 < side)
          connect(id, {id + 1, 0});
        if (row + 1 < side)
          connect(id, {id + side, 0});
      }
  }

  /// Sources, and nodes that send a message on to some of their neighbors.
  void random() {
    result_.nodes.resize(spec_.nodes);
    auto sources = std::clamp(
      spec_.nodes * std::uint64_t{spec_.active} / 100, std::uint64_t{1},
      std::uint64_t{spec_.nodes} - 1);
    for (std::uint32_t id = 0; id < spec_.nodes; ++id) {
      result_.nodes[id].writes_all = false;
      if (id < sources)
        make_source(id);
      for (std::uint32_t i = 0; i < spec_.degree; ++i) {
        auto target = static_cast<std::uint32_t>(sources)
                      + rng_.below(spec_.nodes - sources);
        auto with_delay = rng_.chance(spec_.loops);
        if (target <= id && !with_delay)
          continue;
        // Some outputs have several connections.
        auto& outputs = result_.nodes[id].outputs;
        edge added{target, with_delay ? random_delay() : 0};
        if (outputs.empty() || !rng_.chance(20))
          outputs.push_back({added});
        else
          add(outputs.back(), added);
      }
    }
  }

  void make_source(std::uint32_t id) {
    auto& x = result_.nodes[id];
    x.ticks = spec_.rounds;
    x.period = 1'000 + rng_.below(1'000);
  }

  std::int64_t random_delay() {
    return std::int64_t{spec_.delay} + rng_.below(spec_.delay);
  }

  /// Connects the first output of a node.
  void connect(std::uint32_t from, edge x) {
    auto& outputs = result_.nodes[from].outputs;
    if (outputs.empty())
      outputs.emplace_back();
    add(outputs.front(), x);
  }

  /// Adds a connection, unless there is already one to the same node.
  static void add(output_plan& to, edge x) {
    if (std::ranges::find(to, x.target, &edge::target) == to.end())
      to.push_back(x);
  }

  const graph_spec& spec_;
  random_source rng_;
  graph_plan result_;
};

} // namespace

graph_plan make_graph(const graph_spec& x) {
  return generator{x}.make();
}

std::uint64_t graph_result::messages() const {
  std::uint64_t result = 0;
  for (auto& x : nodes)
    result += x.messages;
  return result;
}

} // namespace bench
