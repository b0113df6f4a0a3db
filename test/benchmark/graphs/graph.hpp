// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "benchmark/graphs/graph_spec.hpp"
#include "benchmark/work.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace bench {

/// A connection from an output to the only input of a node.
struct edge {
  std::uint32_t target = 0;
  /// Nanoseconds. 0 only if the target has a greater number.
  std::int64_t delay = 0;
};

using output_plan = std::vector<edge>;

struct node_plan {
  std::vector<output_plan> outputs;
  /// Whether the node writes a value to all outputs, or to one that depends on
  /// the value.
  bool writes_all = true;
  /// The number of values that the node writes by itself, and the nanoseconds
  /// between them. A node with an input has at most one, at the start.
  std::uint32_t ticks = 0;
  std::int64_t period = 1'000;
  /// Nanoseconds for each tag.
  std::int64_t work = 0;
};

/// A graph whose nodes pass on messages, as plain data. Nodes are numbered such
/// that connections without a delay lead to greater numbers.
struct graph_plan {
  std::vector<node_plan> nodes;
  /// Connections after which a message ends.
  std::uint32_t hops = 0;
};

/// Generates a graph, which depends on nothing but the parameters.
graph_plan make_graph(const graph_spec& x);

/// A message.
struct token {
  std::uint64_t value = 0;
  std::uint32_t hops = 0;
};

/// The results of a node.
struct node_result {
  std::uint64_t tags = 0;
  std::uint64_t messages = 0;
  /// Depends on all tags and values, and on their order.
  std::uint64_t digest = 0;

  friend bool operator==(const node_result&, const node_result&) = default;
};

/// The results of a run.
struct graph_result {
  std::vector<node_result> nodes;
  double seconds = 0;

  std::uint64_t messages() const;
};

/// Mixes the bits of a number.
constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 32)) * 0xbf58476d1ce4e5b9;
  return (x ^ (x >> 29)) * 0x94d049bb133111eb;
}

/// Calls `write(output, value)` for each output that a node writes.
template <class Write>
void write_outputs(const node_plan& plan, token x, Write&& write) {
  auto count = plan.outputs.size();
  if (count == 0)
    return;
  if (!plan.writes_all) {
    auto chosen = (x.value >> 33) % count;
    // Copies share the rest of the way, so that messages do not multiply.
    x.hops /= static_cast<std::uint32_t>(plan.outputs[chosen].size());
    write(chosen, x);
    return;
  }
  for (std::size_t i = 0; i < count; ++i)
    write(i, x);
}

/// Performs the work of a node at a tag.
inline void perform_work(const node_plan& plan) {
  if (plan.work > 0)
    work(std::chrono::nanoseconds{plan.work});
}

/// Executes a node at a tag, after its work. `sum` has the sum of the values
/// that arrive and the maximum of their hops; so their order does not matter.
template <class Write>
void react(const node_plan& plan, node_result& result, std::uint64_t tag,
           token sum, std::uint64_t messages, Write&& write) {
  ++result.tags;
  result.messages += messages;
  sum.value = mixed(sum.value + result.tags);
  result.digest = mixed(result.digest + sum.value + tag);
  if (sum.hops == 0)
    return;
  --sum.hops;
  write_outputs(plan, sum, write);
}

/// Returns the value that a node writes by itself.
constexpr token first_token(
  std::uint32_t node, std::uint32_t tick, std::uint32_t hops) noexcept {
  return {mixed((std::uint64_t{node} << 32) + tick), hops - 1};
}

} // namespace bench
