// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/composites.hpp"

#include "application/port_lookup.hpp"
#include "caf/rosia/composite.hpp"
#include "caf/rosia/graph_error.hpp"

#include <algorithm>
#include <limits>

namespace caf::rosia::detail {

// -- declarations -------------------------------------------------------------

composites::index composites::begin(std::string path, engine::node_id nodes) {
  auto id = static_cast<index>(all_.size());
  all_.push_back({std::move(path), open_, nodes, first_relay, nullptr});
  open_ = id;
  return id;
}

void composites::end(engine::node_id nodes) {
  all_[open_].last = nodes;
  open_ = all_[open_].parent;
}

engine::node_id composites::add_relay(relay x) {
  auto again = std::any_of(relays_.begin(), relays_.end(), [&](auto& y) {
    return y.owner == x.owner && y.name == x.name;
  });
  if (again)
    throw graph_error("composite '" + path(x.owner) + "' has '" + x.name
                      + "' twice; give one of the two another name");
  auto id = static_cast<engine::node_id>(first_relay + relays_.size());
  relays_.push_back(std::move(x));
  return id;
}

// -- properties ---------------------------------------------------------------

std::optional<composites::index> composites::find(
  std::string_view path) const noexcept {
  for (index i = 0; i < all_.size(); ++i)
    if (all_[i].path == path)
      return i;
  return std::nullopt;
}

std::vector<engine::node_id> composites::find_relays(
  index owner, std::string_view name) const {
  std::vector<engine::node_id> result;
  for (std::size_t i = 0; i < relays_.size(); ++i)
    if (auto& x = relays_[i];
        x.owner == owner && (x.name == name || without_index(x.name) == name))
      result.push_back(static_cast<engine::node_id>(first_relay + i));
  return result;
}

composites::index composites::owner_of(engine::node_id id) const noexcept {
  if (is_relay(id))
    return relay_of(id).owner;
  // The inner ones come after the outer ones.
  for (auto i = all_.size(); i > 0; --i)
    if (id >= all_[i - 1].first && id < all_[i - 1].last)
      return static_cast<index>(i - 1);
  return root;
}

bool composites::is_reachable(engine::node_id id) const noexcept {
  auto owner = owner_of(id);
  return owner == open_ || (is_relay(id) && all_[owner].parent == open_);
}

void composites::refuse(engine::node_id id, const std::string& name) const {
  auto owner = owner_of(id);
  if (owner == root)
    throw graph_error("'" + name + "' is outside of composite '" + path(open_)
                      + "'; connect an inlet or an outlet");
  // The outermost composite that is closed.
  while (all_[owner].parent != open_ && all_[owner].parent != root)
    owner = all_[owner].parent;
  auto& outer = path(owner);
  auto inner
    = name.starts_with(outer + '.') ? name.substr(outer.size() + 1) : name;
  throw graph_error("'" + inner + "' is inside of '" + outer
                    + "'; connect an inlet or an outlet");
}

// -- the graph ----------------------------------------------------------------

namespace {

/// Returns the delay of two connections in a row [1.5].
delay composed(const delay& first, const delay& second) noexcept {
  if (second.ns() == 0) {
    constexpr auto most = std::numeric_limits<std::uint32_t>::max();
    auto room = most - first.steps();
    return delay::from_parts(
      first.ns(), first.steps() + std::min(room, second.steps()));
  }
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  auto room = most - first.ns();
  return delay::from_parts(
    first.ns() + std::min(room, second.ns()), second.steps());
}

} // namespace

class composites::joiner {
public:
  joiner(const composites& all,
         const std::vector<engine::connection_spec>& segments)
    : all_(all), segments_(segments), to_(all.relays_.size()) {
    for (std::size_t i = 0; i < segments.size(); ++i)
      if (is_relay(segments[i].target))
        to_[segments[i].target - first_relay].push_back(i);
  }

  std::vector<engine::connection_spec> run() {
    for (auto& segment : segments_)
      if (!is_relay(segment.target))
        extend(segment, 0);
    return std::move(result_);
  }

private:
  /// Adds the connections whose last segments are joined in `x`, in the order
  /// of the segments before.
  void extend(const engine::connection_spec& x, std::size_t depth) {
    if (!is_relay(x.source)) {
      result_.push_back(x);
      return;
    }
    if (depth > to_.size())
      throw graph_error(
        "a loop leads through '" + all_.relay_of(x.source).path
        + "', and through inlets and outlets alone; put a node into the loop");
    for (auto i : to_[x.source - first_relay])
      extend(joined(segments_[i], x), depth + 1);
  }

  engine::connection_spec joined(const engine::connection_spec& first,
                                 const engine::connection_spec& second) const {
    auto& path = all_.relay_of(second.source).path;
    for (auto* x : {&first, &second})
      if (!x->physical && x->distance.ns() < 0)
        throw graph_error(
          "a connection of '" + path + "' has a negative delay");
    for (auto [x, y] : {std::pair{&first, &second}, {&second, &first}})
      if (x->physical && !y->physical && !y->distance.is_zero())
        throw graph_error(
          "a connection through '" + path
          + "' is physical on one side, and has a delay on the other; the "
            "receiver's clock determines its tags, so leave out the delay");
    auto result = second;
    result.source = first.source;
    result.output = first.output;
    result.physical = first.physical || second.physical;
    result.distance = composed(first.distance, second.distance);
    result.keep_latest
      = first.keep_latest == 0 || second.keep_latest == 0
          ? std::max(first.keep_latest, second.keep_latest)
          : std::min(first.keep_latest, second.keep_latest);
    return result;
  }

  const composites& all_;
  const std::vector<engine::connection_spec>& segments_;
  std::vector<std::vector<std::size_t>> to_; // segments, by relay
  std::vector<engine::connection_spec> result_;
};

std::vector<engine::connection_spec> composites::join_segments(
  std::vector<engine::connection_spec> segments) const {
  if (relays_.empty())
    return segments;
  return joiner{*this, segments}.run();
}

std::vector<std::string> composites::dangling(
  const std::vector<engine::connection_spec>& segments) const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < relays_.size(); ++i) {
    auto id = static_cast<engine::node_id>(first_relay + i);
    auto is_inner = [&](auto& x) {
      return (relays_[i].is_inlet ? x.source : x.target) == id;
    };
    if (std::none_of(segments.begin(), segments.end(), is_inner))
      result.push_back(relays_[i].path);
  }
  return result;
}

} // namespace caf::rosia::detail
