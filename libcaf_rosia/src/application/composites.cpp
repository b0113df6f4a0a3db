// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/composites.hpp"

#include "application/port_bundle.hpp"
#include "application/port_lookup.hpp"
#include "caf/rosia/composite.hpp"
#include "caf/rosia/graph_error.hpp"

#include <algorithm>
#include <limits>

namespace caf::rosia::detail {

// -- declarations -------------------------------------------------------------

composites::index composites::begin(std::string path, engine::node_id nodes) {
  auto id = static_cast<index>(all_.size());
  by_path_.emplace(path, id);
  all_.push_back({std::move(path), open_, nodes, first_relay});
  open_ = id;
  return id;
}

void composites::end(engine::node_id nodes) {
  all_[open_].last = nodes;
  open_ = all_[open_].parent;
}

engine::node_id composites::add_relay(relay x) {
  auto& owner = all_[x.owner];
  for (auto other : owner.relays)
    if (relay_of(other).name == x.name)
      throw graph_error("composite '" + owner.path + "' has '" + x.name
                        + "' twice; give one of the two another name");
  auto id = static_cast<engine::node_id>(first_relay + relays_.size());
  owner.relays.push_back(id);
  relays_.push_back(std::move(x));
  return id;
}

// -- properties ---------------------------------------------------------------

std::optional<composites::index> composites::find(
  const std::string& path) const {
  auto at = by_path_.find(path);
  return at == by_path_.end() ? std::nullopt : std::optional{at->second};
}

std::vector<engine::node_id> composites::find_relays(
  index owner, std::string_view name) const {
  std::vector<engine::node_id> result;
  for (auto id : all_[owner].relays)
    if (auto& x = relay_of(id); x.name == name || without_index(x.name) == name)
      result.push_back(id);
  return result;
}

composites::index composites::owner_of(engine::node_id id) const noexcept {
  if (is_relay(id))
    return relay_of(id).owner;
  // The last composite that begins at or before the node is its owner, or is
  // inside of its owner.
  auto next = std::partition_point(all_.begin(), all_.end(), [&](auto& x) {
    return x.first <= id;
  });
  if (next == all_.begin())
    return root;
  auto owner = static_cast<index>(next - all_.begin() - 1);
  while (owner != root && id >= all_[owner].last)
    owner = all_[owner].parent;
  return owner;
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
         const std::vector<engine::connection_spec>& segments,
         const port_names& names)
    : all_(all), segments_(segments), names_(names), to_(all.relays_.size()) {
    for (std::size_t i = 0; i < segments.size(); ++i) {
      auto& x = segments[i];
      engine::refuse_negative_delay(x, [&](auto id, auto output, auto index) {
        return names.path(id, output, index);
      });
      if (is_relay(x.target))
        to_[x.target - first_relay].push_back(i);
    }
  }

  joined_segments run() {
    for (auto& segment : segments_)
      if (!is_relay(segment.target))
        extend(segment);
    return std::move(result_);
  }

private:
  /// Adds the connections whose last segments are joined in `x`, in the order
  /// of the segments before.
  void extend(const engine::connection_spec& x) {
    if (!is_relay(x.source)) {
      result_.connections.push_back(x);
      result_.paths.emplace_back(path_.rbegin(), path_.rend());
      return;
    }
    if (std::find(path_.begin(), path_.end(), x.source) != path_.end())
      throw graph_error(
        "a loop leads through '" + all_.relay_of(x.source).path
        + "', and through inlets and outlets alone; put a node into the loop");
    path_.push_back(x.source);
    for (auto i : to_[x.source - first_relay])
      extend(joined(segments_[i], x));
    path_.pop_back();
  }

  engine::connection_spec joined(const engine::connection_spec& first,
                                 const engine::connection_spec& second) const {
    for (auto [x, y] : {std::pair{&first, &second}, {&second, &first}})
      if (x->physical && !y->physical && !y->distance.is_zero())
        throw graph_error(
          "the connection from " + path_from(first, second)
          + " is physical in one part, and has a delay in another part; the "
            "receiver's clock determines its tags, so leave out the delay");
    for (auto [x, y] : {std::pair{&first, &second}, {&second, &first}})
      if (x->has_max_wait() && (y->physical || y->has_max_wait()))
        throw graph_error(
          "the connection from " + path_from(first, second)
          + " has a maximal wait in one part, and "
          + (y->physical ? "is physical" : "a different one")
          + " in another part; leave out rosia::maxwait there");
    auto result = second;
    result.source = first.source;
    result.output = first.output;
    result.physical = first.physical || second.physical;
    result.distance = composed(first.distance, second.distance);
    result.max_wait = std::max(first.max_wait, second.max_wait);
    result.keep_latest
      = first.keep_latest == 0 || second.keep_latest == 0
          ? std::max(first.keep_latest, second.keep_latest)
          : std::min(first.keep_latest, second.keep_latest);
    return result;
  }

  /// Returns the path from the source of `first` to the target of `second`.
  std::string path_from(const engine::connection_spec& first,
                        const engine::connection_spec& second) const {
    auto result
      = '\'' + names_.path(first.source, true, first.output) + "' to ";
    for (auto i = path_.rbegin(); i != path_.rend(); ++i)
      result += '\'' + all_.relay_of(*i).path + "' to ";
    return result + '\'' + names_.path(second.target, false, second.input)
           + '\'';
  }

  const composites& all_;
  const std::vector<engine::connection_spec>& segments_;
  const port_names& names_;
  std::vector<std::vector<std::size_t>> to_; // segments, by relay
  std::vector<engine::node_id> path_;        // from the target
  joined_segments result_;
};

composites::joined_segments composites::join_segments(
  std::vector<engine::connection_spec> segments,
  const port_names& names) const {
  if (relays_.empty())
    return {std::move(segments)};
  return joiner{*this, segments, names}.run();
}

std::string composites::path_of(
  const joined_segments& x, std::size_t connection) const {
  std::string result;
  if (!x.paths.empty())
    for (auto id : x.paths[connection])
      result += '\'' + relay_of(id).path + "' to ";
  return result;
}

std::vector<std::string> composites::dangling(
  const std::vector<engine::connection_spec>& segments) const {
  std::vector<bool> connected(relays_.size());
  for (auto& x : segments) {
    if (is_relay(x.source) && relay_of(x.source).is_inlet)
      connected[x.source - first_relay] = true;
    if (is_relay(x.target) && !relay_of(x.target).is_inlet)
      connected[x.target - first_relay] = true;
  }
  std::vector<std::string> result;
  for (std::size_t i = 0; i < relays_.size(); ++i)
    if (!connected[i])
      result.push_back(relays_[i].path);
  return result;
}

} // namespace caf::rosia::detail
