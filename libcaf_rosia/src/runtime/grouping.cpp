// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/grouping.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace caf::rosia::detail {

using engine::node_id;

namespace {

/// Tells whether a node is a member of a loop that does not fit into a group:
/// of parts of one each call takes long.
bool is_in_large_loop(const engine::topology& graph, node_id id) {
  auto loop = graph.loop_of(id);
  return loop != graph.no_loop && graph.loop_size(loop) > most_members;
}

} // namespace

std::vector<executed_nodes> first_executors(
  const grouping& how, const engine::topology& graph,
  const std::vector<node_id>& nodes) {
  using enum grouping::manner;
  std::vector<executed_nodes> result;
  std::vector<bool> placed(graph.nodes());
  auto add = [&](std::vector<node_id> members, bool moves) {
    for (auto id : members)
      placed[id] = true;
    result.push_back({std::move(members), moves});
  };
  for (auto id : how.separate)
    if (std::binary_search(nodes.begin(), nodes.end(), id))
      add({id}, false);
  auto is_placed = [&](auto id) { return placed[id]; };
  auto moves = how.how == by_load || how.how == at_random;
  if (how.how == connected || how.how == by_load)
    for (auto id : nodes)
      if (!placed[id] && is_in_large_loop(graph, id))
        add({id}, false);
  if (how.how == listed) {
    for (auto members : how.groups)
      if (std::erase_if(members, is_placed); !members.empty())
        add(std::move(members), false);
  } else if (how.how == connected
             || (how.how == by_load && nodes.size() > most_alone)) {
    auto others = nodes;
    std::erase_if(others, is_placed);
    for (auto& members : connected_groups(graph, others))
      add(std::move(members), moves);
  }
  for (auto id : nodes)
    if (!placed[id])
      add({id}, moves);
  return result;
}

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
