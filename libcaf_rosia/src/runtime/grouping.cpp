// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/grouping.hpp"

#include <algorithm>
#include <cstdint>

namespace caf::rosia::detail {

using engine::node_id;

std::vector<std::vector<node_id>> connected_groups(
  const engine::topology& graph, const std::vector<node_id>& nodes,
  std::size_t limit) {
  constexpr auto elsewhere = ~std::uint32_t{0};
  constexpr auto unseen = elsewhere - 1;
  std::vector<std::uint32_t> part(graph.nodes(), elsewhere);
  for (auto id : nodes)
    part[id] = unseen;
  std::vector<std::vector<node_id>> connected;
  for (auto id : nodes) {
    if (part[id] != unseen)
      continue;
    auto number = static_cast<std::uint32_t>(connected.size());
    auto& members = connected.emplace_back();
    auto reach = [&](node_id x) {
      if (part[x] != unseen)
        return;
      part[x] = number;
      members.push_back(x);
    };
    reach(id);
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (auto c : graph.outgoing(members[i]))
        if (!graph.connections()[c].physical)
          reach(graph.connections()[c].target);
      for (auto c : graph.incoming(members[i]))
        if (!graph.connections()[c].physical)
          reach(graph.connections()[c].source);
    }
  }
  std::vector<std::vector<node_id>> result;
  for (auto& members : connected) {
    std::sort(members.begin(), members.end(), [&](auto x, auto y) {
      return graph.rank(x) < graph.rank(y);
    });
    for (std::size_t at = 0; at < members.size(); at += limit) {
      auto begin = members.begin() + static_cast<std::ptrdiff_t>(at);
      auto size = std::min(limit, members.size() - at);
      if (size > 1)
        result.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
    }
  }
  return result;
}

} // namespace caf::rosia::detail
