// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/neighbourhood.hpp"

#include "runtime/node_runner.hpp"
#include "runtime/run_context.hpp"

#include <algorithm>
#include <span>
#include <unordered_set>

namespace caf::rosia::detail {

namespace {

/// The maximal number of connections that an executor follows to find
/// neighbours: for each of its nodes, and in total. Following all connections
/// of a large group would take longer than its calls.
constexpr std::size_t connections_of_member = 16;
constexpr std::size_t connections_in_sight = 256;

/// The maximal number of nodes with a common neighbour that are considered, in
/// each direction.
constexpr std::size_t siblings_in_sight = 256;

/// Returns the executor of a node; null if it is `self` or does not exchange
/// nodes, or if the node is in another process.
executor* partner(run_context& run, const executor& self, engine::node_id id) {
  if (run.nodes().find(id) == nullptr)
    return nullptr;
  auto& x = run.actors().runner_at(id).runs_on();
  return &x != &self && x.exchanges() ? &x : nullptr;
}

} // namespace

std::vector<executor*> neighbourhood::neighbours(executor& self) {
  auto& run = *self.run_;
  auto& members = self.nodes_.members;
  std::vector<executor*> result;
  std::unordered_set<executor*> seen;
  std::vector<engine::node_id> nodes; // with connections to follow
  std::size_t followed = 0;
  auto& graph = run.graph().topology();
  auto reach = [&](engine::node_id id) {
    ++followed;
    auto* x = partner(run, self, id);
    if (x == nullptr || !seen.insert(x).second)
      return;
    result.push_back(x);
    if (x->load_.joins())
      nodes.push_back(id);
  };
  auto sight
    = std::min(members.size() * connections_of_member, connections_in_sight);
  auto first = self.load_.random_number() % members.size();
  for (std::size_t i = 0; i < std::min(members.size(), sight); ++i)
    nodes.push_back(members[(first + i) % members.size()]->engine().id());
  for (std::size_t i = 0; i < nodes.size() && followed < sight; ++i) {
    auto id = nodes[i];
    for (auto c : graph.outgoing(id))
      if (auto& connection = graph.connections()[c]; !connection.physical)
        reach(connection.target);
    for (auto c : graph.incoming(id))
      if (auto& connection = graph.connections()[c]; !connection.physical)
        reach(connection.source);
  }
  return result;
}

std::vector<executor*> neighbourhood::siblings(executor& self) {
  auto& run = *self.run_;
  auto& members = self.nodes_.members;
  std::vector<executor*> result;
  auto& graph = run.graph().topology();
  auto add_near
    = [&](std::span<const std::uint32_t> all, std::uint32_t own, auto end_of) {
        auto add = [&](std::uint32_t c) {
          auto* x
            = graph.connections()[c].physical
                ? nullptr
                : partner(run, self, end_of(graph.connections()[c]));
          if (x != nullptr && (result.empty() || result.back() != x))
            result.push_back(x);
        };
        auto at = static_cast<std::size_t>(
          std::find(all.begin(), all.end(), own) - all.begin());
        auto before = all.first(at).last(std::min(at, siblings_in_sight));
        auto after
          = all.subspan(at).first(std::min(all.size() - at, siblings_in_sight));
        std::for_each(before.rbegin(), before.rend(), add);
        std::for_each(after.begin(), after.end(), add);
      };
  auto id = members[self.load_.random_number() % members.size()]->engine().id();
  for (auto c : graph.incoming(id))
    if (auto& connection = graph.connections()[c]; !connection.physical)
      add_near(graph.outgoing(connection.source), c, [](auto& x) {
        return x.target;
      });
  for (auto c : graph.outgoing(id))
    if (auto& connection = graph.connections()[c]; !connection.physical)
      add_near(graph.incoming(connection.target), c, [](auto& x) {
        return x.source;
      });
  return result;
}

} // namespace caf::rosia::detail
