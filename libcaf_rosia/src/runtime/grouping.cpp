// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/grouping.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace caf::rosia::detail {

using engine::node_id;

namespace {

/// Finds the loops that have more members than a group.
/// @param nodes the nodes of this process, ascending.
/// @returns the members in this process, in their order of execution at one
///          tag.
std::vector<std::vector<node_id>> large_loops(
  const engine::topology& graph, const std::vector<node_id>& nodes,
  std::size_t limit) {
  std::map<std::uint32_t, std::vector<node_id>> loops;
  for (auto id : nodes)
    if (auto loop = graph.loop_of(id);
        loop != graph.no_loop && graph.loop_size(loop) > limit)
      loops[loop].push_back(id);
  std::vector<std::vector<node_id>> result;
  for (auto& [loop, members] : loops) {
    std::ranges::sort(members, {}, [&](auto id) { return graph.rank(id); });
    result.push_back(std::move(members));
  }
  return result;
}

} // namespace

group_limits limits_for(std::size_t nodes, std::size_t workers, bool alone,
                        bool follows_clock) {
  group_limits result;
  if (!alone)
    return result;
  if (workers == 1) {
    result.together = true;
    result.loop = std::max(result.loop, nodes);
    result.usual = std::max(result.usual, nodes);
  } else if (!follows_clock) {
    result.usual = std::max(result.usual, nodes / (parts_of_worker * workers));
  }
  // Two workers execute quick nodes of two groups no faster than one worker
  // executes those of one group, unless few messages pass between them.
  if (workers <= 2 || !follows_clock)
    result.quick
      = std::max(result.quick, workers <= 2 ? nodes : nodes / workers);
  return result;
}

std::vector<executed_nodes> first_executors(
  const grouping& rules, const engine::topology& graph,
  const std::vector<node_id>& nodes, const group_limits& limits) {
  using enum grouping::manner;
  std::vector<executed_nodes> result;
  std::vector<bool> placed(graph.nodes());
  auto add = [&](std::vector<node_id> members, bool moves, bool later = false,
                 bool divides = false) {
    for (auto id : members)
      placed[id] = true;
    result.push_back(
      {.members = std::move(members),
       .moves = moves,
       .seated_later = later,
       .divides = divides});
  };
  auto is_local = [&](auto id) {
    return std::binary_search(nodes.begin(), nodes.end(), id);
  };
  // The members are in one process.
  for (auto& loop : graph.inseparable_loops())
    if (is_local(loop.front()))
      add(std::move(loop), false);
  for (auto id : rules.separate)
    if (is_local(id) && !placed[id])
      add({id}, false);
  auto is_placed = [&](auto id) { return placed[id]; };
  auto moves = rules.kind == by_load || rules.kind == at_random;
  auto begins_alone = moves && nodes.size() <= most_alone;
  // A loop within one group needs no table.
  auto may_be_group = [&](const std::vector<node_id>& loop) {
    return loop.size() == graph.loop_size(graph.loop_of(loop.front()))
           && std::ranges::none_of(loop, is_placed);
  };
  if (rules.kind == connected || rules.kind == by_load)
    for (auto& members : large_loops(graph, nodes, limits.loop)) {
      if (may_be_group(members))
        add(std::move(members), false, false, rules.kind == by_load);
      else
        for (auto id : members)
          if (!placed[id])
            add({id}, false);
    }
  std::vector<bool> on_trial(graph.nodes());
  if (rules.kind == by_load && begins_alone)
    for (auto& members : large_loops(graph, nodes, most_alone_in_loop)) {
      if (!may_be_group(members))
        continue;
      for (auto id : members)
        on_trial[id] = true;
      if (limits.together)
        continue;
      add(std::move(members), true, true);
      result.back().on_trial = true;
    }
  if (rules.kind == listed) {
    for (auto members : rules.groups)
      if (std::erase_if(members, is_placed); !members.empty())
        add(std::move(members), false);
  } else if (rules.kind == connected || rules.kind == by_load) {
    auto others = nodes;
    std::erase_if(others, is_placed);
    auto limit = rules.kind == connected ? limits.quick : limits.usual;
    for (auto& members : connected_groups(graph, others, limit)) {
      auto has_loop
        = std::ranges::any_of(members, [&](auto id) { return on_trial[id]; });
      add(std::move(members), moves, begins_alone);
      result.back().on_trial = has_loop;
    }
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
