// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/loop_division.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace caf::rosia::engine {

namespace {

using member = loop_division::member;
using edge = loop_division::edge;

/// Members that are in one part: a forest, with the first of them as root.
class clusters {
public:
  explicit clusters(std::size_t members) : root_(members), size_(members, 1) {
    std::iota(root_.begin(), root_.end(), member{0});
  }

  member root(member x) noexcept {
    while (root_[x] != x)
      x = root_[x] = root_[root_[x]];
    return x;
  }

  /// Returns the size of the cluster with this root.
  std::size_t size(member root) const noexcept {
    return size_[root];
  }

  void join(member x, member y) noexcept {
    x = root(x);
    y = root(y);
    if (x == y)
      return;
    root_[std::max(x, y)] = std::min(x, y);
    size_[std::min(x, y)] += size_[std::max(x, y)];
  }

private:
  std::vector<member> root_;
  std::vector<std::size_t> size_;
};

/// Joins members in the order of delays, as long as no cluster becomes too
/// large.
/// @returns the delay that must not be within a cluster, unlike shorter ones.
delay find_shortest_apart(std::size_t members, std::span<const edge> edges,
                          std::size_t most) {
  std::vector<edge> sorted{edges.begin(), edges.end()};
  std::ranges::sort(sorted, {}, &edge::distance);
  clusters joined{members};
  auto fits = [&](const edge& x) {
    joined.join(x.from, x.to);
    return joined.size(joined.root(x.to)) <= most;
  };
  auto first = std::ranges::find_if_not(sorted, fits);
  return first == sorted.end() ? delay{} : first->distance;
}

} // namespace

std::optional<loop_division> loop_division::find(
  std::size_t members, std::span<const edge> edges, std::size_t parts) {
  if (parts < 2 || members < parts)
    return std::nullopt;
  loop_division result;
  auto& lookahead = result.lookahead_;
  lookahead
    = find_shortest_apart(members, edges, (members + parts - 1) / parts);
  if (lookahead.is_zero())
    return std::nullopt;
  clusters joined{members};
  for (auto& x : edges)
    if (x.distance < lookahead)
      joined.join(x.from, x.to);
  result.part_of_.resize(members);
  std::size_t placed = 0;
  std::size_t last = members; // none
  for (member i = 0; i < members; ++i) {
    auto root = joined.root(i);
    if (root != i) {
      result.part_of_[i] = result.part_of_[root];
      continue;
    }
    auto next = (placed + joined.size(i) / 2) * parts / members;
    if (next != last)
      ++result.parts_;
    last = next;
    result.part_of_[i] = static_cast<member>(result.parts_ - 1);
    placed += joined.size(i);
  }
  if (result.parts_ < 2)
    return std::nullopt;
  return result;
}

std::vector<delay> loop_division::distances(std::span<const edge> edges) const {
  std::vector<std::vector<std::pair<member, delay>>> out(part_of_.size());
  for (auto& x : edges)
    out[x.from].emplace_back(x.to, x.distance);
  std::vector<delay> result(parts_ * parts_);
  for (member from = 0; from < parts_; ++from) {
    using item = std::pair<delay, member>;
    std::priority_queue<item, std::vector<item>, std::greater<>> frontier;
    for (member i = 0; i < part_of_.size(); ++i)
      for (auto& [to, distance] : out[i])
        if (part_of_[i] == from && part_of_[to] != from)
          frontier.emplace(distance, to);
    std::vector<bool> settled(part_of_.size());
    std::vector<bool> reached(parts_);
    for (auto missing = parts_; missing > 0 && !frontier.empty();) {
      auto [distance, i] = frontier.top();
      frontier.pop();
      if (settled[i])
        continue;
      settled[i] = true;
      auto part = part_of_[i];
      if (!reached[part]) {
        reached[part] = true;
        result[part * parts_ + from] = distance;
        --missing;
      }
      if (part == from)
        continue; // a path from there is no shorter
      for (auto& [to, further] : out[i])
        if (!settled[to])
          frontier.emplace(compose(distance, further), to);
    }
  }
  return result;
}

} // namespace caf::rosia::engine
