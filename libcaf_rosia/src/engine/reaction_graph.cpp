// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/reaction_graph.hpp"

#include "engine/components.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace caf::rosia::engine {

namespace {

/// The number of visited reactions after which a cycle is short enough.
constexpr std::size_t most_visits = 1'000'000;

constexpr auto no_mode = graph_description::no_mode;

bool contains(const std::vector<std::uint32_t>& xs, std::uint32_t x) {
  return std::find(xs.begin(), xs.end(), x) != xs.end();
}

/// Returns the mode without which the reaction never runs. At the last tag,
/// reactions to it run in several modes.
std::uint32_t needed_mode(const graph_description::reaction& x) noexcept {
  return is_at_shutdown(x.triggers) ? no_mode : x.mode;
}

} // namespace

// -- reactions ----------------------------------------------------------------

bool is_triggered(const graph_description::reaction& x,
                  std::uint32_t input) noexcept {
  graph_description::trigger by{graph_description::trigger_kind::input, input};
  return std::find(x.triggers.begin(), x.triggers.end(), by)
         != x.triggers.end();
}

bool is_at_shutdown(
  std::span<const graph_description::trigger> triggers) noexcept {
  return std::any_of(triggers.begin(), triggers.end(), [](auto& x) {
    return x.kind == graph_description::trigger_kind::at_shutdown;
  });
}

bool may_read(const graph_description::reaction& x,
              std::uint32_t input) noexcept {
  return is_triggered(x, input)
         || (x.kind != graph_description::reaction_kind::startup
             && (!x.declares || contains(x.reads, input)));
}

bool may_write(const graph_description::reaction& x,
               std::uint32_t output) noexcept {
  return !x.declares || contains(x.writes, output);
}

// -- constructors, destructors ------------------------------------------------

reaction_graph::reaction_graph(
  const std::vector<connection_spec>& all,
  std::vector<std::uint32_t> considered, const describer& describe)
  : all_(all), considered_(std::move(considered)) {
  for (auto i : considered_) {
    add_node(all_[i].source, describe);
    add_node(all_[i].target, describe);
    nodes_.at(all_[i].source).outgoing.push_back(i);
  }
  find_components();
}

reaction_graph::~reaction_graph() {
  // nop
}

void reaction_graph::add_node(node_id id, const describer& describe) {
  auto [at, is_new] = nodes_.try_emplace(id);
  if (!is_new)
    return;
  auto& added = at->second;
  if (describe)
    added.description = describe(id);
  else
    added.description.reactions.emplace_back();
  added.first = static_cast<vertex>(owners_.size());
  auto& all = added.description.reactions;
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (all[i].kind != graph_description::reaction_kind::startup) {
      added.reactions.push_back(i);
      owners_.push_back(id);
      modes_.push_back(needed_mode(all[i]));
    }
}

std::vector<reaction_graph::edge> reaction_graph::ends_of(
  std::uint32_t connection) const {
  auto& x = all_[connection];
  auto& from = nodes_.at(x.source);
  auto& to = nodes_.at(x.target);
  std::vector<vertex> writers;
  std::vector<vertex> readers;
  auto add = [this](std::vector<vertex>& added, vertex v) {
    if (std::none_of(added.begin(), added.end(), [&](auto w) {
          return modes_[v] == modes_[w];
        }))
      added.push_back(v);
  };
  for (auto i = from.reactions.size(); i-- > 0;)
    if (auto v = from.first + static_cast<vertex>(i);
        may_write(reaction_at(from, v), x.output))
      add(writers, v);
  for (std::size_t i = 0; i < to.reactions.size(); ++i)
    if (auto v = to.first + static_cast<vertex>(i);
        may_read(reaction_at(to, v), x.input))
      add(readers, v);
  std::vector<edge> result;
  for (auto v : writers)
    for (auto w : readers)
      result.push_back({v, w});
  return result;
}

void reaction_graph::add_order(std::vector<edge>& to) const {
  // The last reaction without a mode, and those of each mode after it.
  std::vector<vertex> last;
  for (vertex v = 0; v < owners_.size(); ++v) {
    if (v > 0 && owners_[v] != owners_[v - 1])
      last.clear();
    if (modes_[v] == no_mode) {
      for (auto w : last)
        to.push_back({w, v});
      last = {v};
      continue;
    }
    auto same = std::find_if(last.begin(), last.end(), [&](auto w) {
      return modes_[w] == modes_[v];
    });
    if (same != last.end()) {
      to.push_back({std::exchange(*same, v), v});
      continue;
    }
    if (!last.empty() && modes_[last.front()] == no_mode)
      to.push_back({last.front(), v});
    last.push_back(v);
  }
}

bool reaction_graph::leads_to(vertex x, vertex y) const {
  auto has_none = [this](auto v) { return modes_[v] == no_mode; };
  if (x == y || modes_[x] == modes_[y] || has_none(y))
    return true;
  for (auto v = x; v < y; ++v)
    if (has_none(v))
      return true;
  return false;
}

void reaction_graph::find_components() {
  std::vector<edge> edges;
  add_order(edges);
  for (auto i : considered_)
    for (auto& x : ends_of(i))
      edges.push_back(x);
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> row;
  make_rows(
    owners_.size(), edges.size(), [&](auto i) { return edges[i].source; },
    first, row);
  components_
    = components(owners_.size(), edges, first, row, [](auto&) { return true; });
}

std::vector<reaction_graph::place> reaction_graph::order() const {
  // Without cycles, each reaction is a component.
  std::vector<vertex> sorted(owners_.size());
  for (vertex v = 0; v < sorted.size(); ++v)
    sorted[components_[v]] = v;
  std::vector<place> result;
  for (auto v = sorted.rbegin(); v != sorted.rend(); ++v) {
    auto& owner = nodes_.at(owners_[*v]);
    result.push_back({owners_[*v], owner.reactions[*v - owner.first]});
  }
  return result;
}

// -- cycles -------------------------------------------------------------------

bool reaction_graph::is_in_cycle(std::uint32_t connection) const {
  auto ends = ends_of(connection);
  return std::any_of(ends.begin(), ends.end(), [this](auto& x) {
    return components_[x.source] == components_[x.target];
  });
}

std::vector<reaction_graph::step> reaction_graph::find_cycle() const {
  // Each cycle leads over connections.
  std::vector<vertex> starts;
  for (auto i : considered_)
    for (auto& x : ends_of(i))
      if (components_[x.source] == components_[x.target])
        starts.push_back(x.target);
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  std::vector<step> result;
  std::size_t visited = 0;
  for (auto v : starts) {
    if (visited > most_visits)
      break;
    auto limit = result.empty() ? owners_.size() + 1 : result.size();
    if (auto found = find_cycle_through(v, limit, visited); !found.empty())
      result = std::move(found);
  }
  return result;
}

std::vector<reaction_graph::step> reaction_graph::find_cycle_through(
  vertex start, std::size_t shorter_than, std::size_t& visited) const {
  // The search visits pairs of connection and reader. A step over a connection
  // may begin at each later reaction of the node that may write the output.
  struct visit {
    step taken;
    vertex reader;
    std::size_t previous; // in `visits`
    std::size_t length;
  };
  constexpr auto no_visit = ~std::size_t{0};
  std::vector<visit> visits;
  std::vector<bool> seen(owners_.size());
  std::size_t next = 0;
  auto extend = [&](vertex from, std::size_t previous, std::size_t length) {
    auto& owner = nodes_.at(owners_[from]);
    auto end = owner.first + static_cast<vertex>(owner.reactions.size());
    for (auto i : owner.outgoing) {
      auto& x = all_[i];
      auto writer = from;
      while (writer < end
             && (components_[writer] != components_[start]
                 || !may_write(reaction_at(owner, writer), x.output)
                 || !leads_to(from, writer)))
        ++writer;
      if (writer == end)
        continue;
      auto& to = nodes_.at(x.target);
      for (std::size_t r = 0; r < to.reactions.size(); ++r) {
        auto reader = to.first + static_cast<vertex>(r);
        // The start may be reached as a reaction that follows the reader.
        if (seen[reader] || components_[reader] != components_[start]
            || !may_read(reaction_at(to, reader), x.input))
          continue;
        seen[reader] = true;
        visits.push_back(
          {{i, owner.reactions[writer - owner.first], to.reactions[r]},
           reader,
           previous,
           length + 1});
      }
    }
  };
  extend(start, no_visit, 0);
  for (; next < visits.size(); ++next, ++visited) {
    auto [taken, reader, previous, length] = visits[next];
    if (length >= shorter_than)
      return {};
    if (reader == start) {
      std::vector<step> result;
      for (auto i = next; i != no_visit; i = visits[i].previous)
        result.push_back(visits[i].taken);
      std::reverse(result.begin(), result.end());
      return result;
    }
    extend(reader, next, length);
  }
  return {};
}

} // namespace caf::rosia::engine
