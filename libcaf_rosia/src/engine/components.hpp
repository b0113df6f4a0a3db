// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace caf::rosia::engine {

/// Sorts the numbers of edges by node, and in ascending order for each node.
template <class NodeOf>
void make_rows(std::size_t nodes, std::size_t edges, NodeOf&& node_of,
               std::vector<std::uint32_t>& first,
               std::vector<std::uint32_t>& row) {
  first.assign(nodes + 1, 0);
  for (std::size_t i = 0; i < edges; ++i)
    ++first[node_of(i) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  auto next = first;
  row.resize(edges);
  for (std::size_t i = 0; i < edges; ++i)
    row[next[node_of(i)]++] = static_cast<std::uint32_t>(i);
}

/// Computes the strongly connected components of the edges that `follow`
/// accepts, by Tarjan's algorithm without recursion. Numbers them in the
/// reverse of a topological order. If edges leave a choice, components that are
/// declared first have higher numbers.
/// @param first for each node, the begin of its edges in `row`.
template <class Edge, class Follow>
std::vector<std::uint32_t> components(
  std::size_t nodes, const std::vector<Edge>& edges,
  const std::vector<std::uint32_t>& first,
  const std::vector<std::uint32_t>& row, Follow&& follow) {
  constexpr auto unseen = ~std::uint32_t{0};
  struct frame {
    std::uint32_t node;
    std::uint32_t next;
  };
  std::vector<std::uint32_t> result(nodes, unseen);
  std::vector<std::uint32_t> index(nodes, unseen);
  std::vector<std::uint32_t> low(nodes);
  std::vector<std::uint32_t> stack;
  std::vector<frame> calls;
  std::uint32_t counter = 0;
  std::uint32_t found = 0;
  auto enter = [&](std::uint32_t x) {
    index[x] = low[x] = counter++;
    stack.push_back(x);
    calls.push_back({x, first[x + 1]});
  };
  for (auto root = static_cast<std::uint32_t>(nodes); root-- > 0;) {
    if (index[root] != unseen)
      continue;
    enter(root);
    while (!calls.empty()) {
      auto& top = calls.back();
      auto x = top.node;
      if (top.next > first[x]) {
        auto& edge = edges[row[--top.next]];
        if (!follow(edge))
          continue;
        if (index[edge.target] == unseen)
          enter(edge.target);
        else if (result[edge.target] == unseen)
          low[x] = std::min(low[x], index[edge.target]);
        continue;
      }
      calls.pop_back();
      if (!calls.empty()) {
        auto parent = calls.back().node;
        low[parent] = std::min(low[parent], low[x]);
      }
      if (low[x] != index[x])
        continue;
      for (auto member = unseen; member != x;) {
        member = stack.back();
        stack.pop_back();
        result[member] = found;
      }
      ++found;
    }
  }
  return result;
}

} // namespace caf::rosia::engine
