// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/placement.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

namespace caf::rosia::detail {

using engine::node_id;
using engine::process_id;

namespace {

using neighbours = std::vector<std::vector<node_id>>;

/// Returns the nodes that are connected with `start` and not placed, nearest
/// first.
std::vector<node_id> component(
  node_id start, const std::vector<process_id>& homes, const neighbours& around,
  std::vector<bool>& seen) {
  std::vector<node_id> result{start};
  seen[start] = true;
  for (std::size_t i = 0; i < result.size(); ++i)
    for (auto x : around[result[i]])
      if (!seen[x] && homes[x] == unplaced) {
        seen[x] = true;
        result.push_back(x);
      }
  return result;
}

} // namespace

void place(std::vector<process_id>& homes,
           const std::vector<node_pair>& connections, process_id first,
           process_id last) {
  neighbours around(homes.size());
  for (auto& x : connections) {
    around[x.from].push_back(x.to);
    around[x.to].push_back(x.from);
  }
  // Place the neighbours of placed nodes, breadth first, so that they spread
  // evenly.
  std::deque<node_id> frontier;
  for (node_id i = 0; i < homes.size(); ++i)
    if (homes[i] != unplaced)
      frontier.push_back(i);
  auto favourite = [&](node_id id) {
    std::vector<std::size_t> votes(last);
    for (auto x : around[id])
      if (homes[x] >= first && homes[x] < last)
        ++votes[homes[x]];
    auto best = std::max_element(votes.begin() + first, votes.end());
    return best == votes.end() || *best == 0
             ? unplaced
             : static_cast<process_id>(best - votes.begin());
  };
  while (!frontier.empty()) {
    auto id = frontier.front();
    frontier.pop_front();
    for (auto x : around[id])
      if (homes[x] == unplaced && (homes[x] = favourite(x)) != unplaced)
        frontier.push_back(x);
  }
  std::vector<std::size_t> load(last);
  for (auto home : homes)
    if (home != unplaced && home < last)
      ++load[home];
  std::vector<std::vector<node_id>> parts;
  std::vector<bool> seen(homes.size());
  auto fair = (homes.size() + last - first - 1) / (last - first);
  for (node_id i = 0; i < homes.size(); ++i) {
    if (homes[i] != unplaced || seen[i])
      continue;
    auto all = component(i, homes, around, seen);
    for (std::size_t at = 0; at < all.size(); at += fair)
      parts.emplace_back(
        all.begin() + static_cast<std::ptrdiff_t>(at),
        all.begin()
          + static_cast<std::ptrdiff_t>(std::min(at + fair, all.size())));
  }
  std::stable_sort(parts.begin(), parts.end(), [](auto& x, auto& y) {
    return x.size() > y.size();
  });
  for (auto& part : parts) {
    auto least = static_cast<process_id>(
      std::min_element(load.begin() + first, load.end()) - load.begin());
    for (auto id : part)
      homes[id] = least;
    load[least] += part.size();
  }
}

} // namespace caf::rosia::detail
