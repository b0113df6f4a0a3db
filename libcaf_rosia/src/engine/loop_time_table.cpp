// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/loop_time_table.hpp"

#include <algorithm>
#include <queue>
#include <utility>

namespace caf::rosia::engine {

// -- constructors, destructors ------------------------------------------------

loop_time_table::loop_time_table(
  std::vector<node_id> nodes, const std::vector<edge>& edges,
  const std::vector<bool>& clocked, std::size_t matrix_up_to)
  : nodes_(std::move(nodes)), entries_(nodes_.size()),
    upstream_(nodes_.size()) {
  for (auto& x : edges)
    upstream_[x.to].push_back({x.from, x.distance});
  init(clocked);
  if (nodes_.size() > matrix_up_to) {
    downstream_.resize(nodes_.size());
    for (auto& x : edges)
      downstream_[x.from].push_back({x.to, x.distance});
    return;
  }
  distances_.resize(nodes_.size());
}

loop_time_table::loop_time_table(
  std::vector<node_id> nodes, const std::vector<delay>& distances,
  const std::vector<bool>& clocked)
  : nodes_(std::move(nodes)), entries_(nodes_.size()) {
  init(clocked);
  auto size = static_cast<std::ptrdiff_t>(nodes_.size());
  for (auto row = distances.begin(); row != distances.end(); row += size)
    distances_.emplace_back(row, row + size);
  mail_.resize(nodes_.size());
}

loop_time_table::~loop_time_table() {
  // nop
}

// -- exclusion ----------------------------------------------------------------

void loop_time_table::lock() {
  // nop
}

void loop_time_table::unlock() {
  // nop
}

// -- entries ------------------------------------------------------------------

void loop_time_table::in_transit(member to, logical_time arrival) {
  auto& x = entries_[to];
  x.transit = std::min(x.transit, arrival);
  update_active(to);
}

void loop_time_table::absorb(member id) {
  auto& x = entries_[id];
  x.earliest = std::min(x.earliest, x.transit);
  x.transit = forever;
}

void loop_time_table::update(
  member id, logical_time earliest, std::vector<node_id>& wake) {
  auto& x = entries_[id];
  if (x.earliest == earliest)
    return;
  x.earliest = earliest;
  update_active(id);
  if (active_.empty()) {
    // The loop is done, so all of its members may leave.
    wake.insert(wake.end(), nodes_.begin(), nodes_.end());
    return;
  }
  for (auto candidate = x.holds_back; candidate != nobody;) {
    auto next = entries_[candidate].next;
    if (!hold(candidate, entries_[candidate].awaited))
      wake.push_back(nodes_[candidate]);
    candidate = next;
  }
}

// -- parts of a loop ----------------------------------------------------------

bool loop_time_table::deliver(
  member part, part_message content, std::vector<node_id>& wake) {
  auto& mail = mail_[part];
  if (mail.closed)
    return false;
  auto& x = entries_[part];
  auto tag = content.content.tag;
  auto waits = x.held_by != nobody;
  auto concerns = waits ? tag <= x.awaited : mail.messages.empty();
  if (concerns && (wake.empty() || wake.back() != nodes_[part]))
    wake.push_back(nodes_[part]);
  if (content.content.kind == envelope_kind::data)
    in_transit(part, tag);
  mail.messages.push_back(std::move(content));
  return true;
}

// -- bounds -------------------------------------------------------------------

logical_time loop_time_table::bound(member id, member* by) {
  auto& x = entries_[id];
  // An LBTS never decreases [4.3], so it is the same as long as what bounded it
  // is. The entry of an aborted member may fall, but that member sends nothing.
  // An observer gets the first of several such members.
  if (by == nullptr && x.bounded_by != nobody
      && holds(x.bounded_by, x.bounded_at, x.bound))
    return x.bound;
  auto result = x.transit;
  auto holder = id;
  x.bounded_by = nobody;
  auto lowest = forever;
  if (!is_small())
    for (auto z : active_)
      lowest = std::min(lowest, low(z));
  visit_upstream(
    id,
    [&](member z, const delay& d) {
      if (auto tag = saturating_add(low(z), d); tag < result) {
        result = tag;
        holder = x.bounded_by = z;
        x.bounded_at = d;
      }
      return true;
    },
    [&](const delay& d) { return saturating_add(lowest, d) >= result; });
  if (by != nullptr && result != forever)
    *by = holder;
  x.bound = result;
  return result;
}

bool loop_time_table::wait(
  member id, logical_time awaited, std::vector<node_id>& wake) {
  auto& x = entries_[id];
  auto is_new = x.held_by == nobody || x.awaited != awaited;
  if (!hold(id, awaited))
    return false;
  if (!is_new || clocked_.empty())
    return true;
  auto consider = [&](member z, const delay& d) {
    if (z != id && saturating_add(low(z), d) <= awaited)
      wake.push_back(nodes_[z]);
  };
  if (is_small()) {
    for (auto z : clocked_)
      consider(z, distance(z, id));
    return true;
  }
  search_upstream(id, [&](member z, const delay& d) {
    if (saturating_add(logical_time{}, d) > awaited)
      return false;
    if (entries_[z].clocked)
      consider(z, d);
    return true;
  });
  return true;
}

void loop_time_table::stop_waiting(member id) noexcept {
  auto& x = entries_[id];
  if (x.held_by == nobody)
    return;
  if (x.next != nobody)
    entries_[x.next].previous = x.previous;
  if (x.previous != nobody)
    entries_[x.previous].next = x.next;
  else
    entries_[x.held_by].holds_back = x.next;
  x.held_by = x.next = x.previous = nobody;
}

logical_time loop_time_table::requested_bound(member id) const {
  auto result = forever;
  auto consider = [&](const entry& x, const delay& d) {
    if (saturating_add(low(id), d) <= x.awaited)
      result = std::min(result, inverse(x.awaited, d));
  };
  if (is_small()) {
    for (member z = 0; z < entries_.size(); ++z)
      if (auto& x = entries_[z]; x.held_by != nobody)
        consider(x, distance(id, z));
    return result;
  }
  search_downstream(id, [&](member z, const delay& d) {
    if (auto& x = entries_[z]; x.held_by != nobody)
      consider(x, d);
    return true;
  });
  return result;
}

// -- for views ----------------------------------------------------------------

logical_time loop_time_table::low(member id) const noexcept {
  auto& x = entries_[id];
  return std::min(x.earliest, x.transit);
}

logical_time loop_time_table::awaited_bound(member id) const noexcept {
  auto& x = entries_[id];
  return x.held_by == nobody ? forever : x.awaited;
}

std::size_t loop_time_table::find_holder(
  std::span<const member> from, std::span<const logical_time> lows, member to,
  logical_time awaited, std::size_t hint) const {
  if (is_small()) {
    auto distances = distances_to(to);
    auto holds = [&](std::size_t i) {
      return lows[i] <= awaited
             && saturating_add(lows[i], distances[from[i]]) <= awaited;
    };
    if (hint < from.size() && holds(hint))
      return hint;
    std::size_t result = 0;
    while (result < from.size() && !holds(result))
      ++result;
    return result;
  }
  auto result = from.size();
  search_upstream(to, [&](member z, const delay& d) {
    if (saturating_add(logical_time{}, d) > awaited)
      return false;
    auto at = std::ranges::lower_bound(from, z);
    if (at == from.end() || *at != z)
      return true;
    auto i = static_cast<std::size_t>(at - from.begin());
    if (saturating_add(lows[i], d) > awaited)
      return true;
    result = i;
    return false;
  });
  return result;
}

// -- implementation -----------------------------------------------------------

void loop_time_table::init(const std::vector<bool>& clocked) {
  for (member i = 0; i < entries_.size(); ++i) {
    update_active(i);
    entries_[i].clocked = clocked[i];
    if (clocked[i])
      clocked_.push_back(i);
  }
}

void loop_time_table::update_active(member id) {
  auto& x = entries_[id];
  auto is_active = x.active_at < active_.size() && active_[x.active_at] == id;
  auto should_be = low(id) != forever;
  if (is_active == should_be)
    return;
  if (should_be) {
    x.active_at = static_cast<std::uint32_t>(active_.size());
    active_.push_back(id);
  } else {
    auto last = active_.back();
    active_[x.active_at] = last;
    entries_[last].active_at = x.active_at;
    active_.pop_back();
  }
}

bool loop_time_table::hold(member id, logical_time awaited) {
  auto& x = entries_[id];
  auto holder = nobody;
  delay held_at;
  if (x.transit <= awaited) {
    holder = id;
  } else if (x.held_by != nobody && x.held_by != id
             && holds(x.held_by, x.held_at, awaited)) {
    holder = x.held_by;
    held_at = x.held_at;
  } else {
    visit_upstream(
      id,
      [&](member z, const delay& d) {
        if (!holds(z, d, awaited))
          return true;
        holder = z;
        held_at = d;
        return false;
      },
      [&](const delay& d) {
        return saturating_add(logical_time{}, d) > awaited;
      });
  }
  x.awaited = awaited;
  x.held_at = held_at;
  if (holder == x.held_by)
    return holder != nobody;
  stop_waiting(id);
  if (holder == nobody)
    return false;
  x.held_by = holder;
  x.next = entries_[holder].holds_back;
  if (x.next != nobody)
    entries_[x.next].previous = id;
  entries_[holder].holds_back = id;
  return true;
}

std::span<const delay> loop_time_table::distances_to(member to) const {
  auto& result = distances_[to];
  if (result.empty()) {
    result.resize(entries_.size());
    search_upstream(to, [&](member from, const delay& d) {
      result[from] = d;
      return true;
    });
  }
  return result;
}

template <class Visit, class Done>
void loop_time_table::visit_upstream(
  member to, Visit&& visit, Done&& done) const {
  if (is_small()) {
    auto distances = distances_to(to);
    for (auto z : active_)
      if (!visit(z, distances[z]))
        return;
    return;
  }
  search_upstream(to, [&](member z, const delay& d) {
    if (done(d))
      return false;
    return low(z) == forever || visit(z, d);
  });
}

template <class Visit>
void loop_time_table::search_upstream(member to, Visit&& visit) const {
  search(
    to, upstream_,
    [](const delay& path, const delay& step) { return compose(step, path); },
    visit);
}

template <class Visit>
void loop_time_table::search_downstream(member from, Visit&& visit) const {
  search(from, downstream_, compose, visit);
}

template <class Visit, class Extend>
void loop_time_table::search(
  member start, const std::vector<std::vector<neighbour>>& neighbours,
  Extend&& extend, Visit&& visit) const {
  struct item {
    delay distance;
    member id;
    bool operator>(const item& other) const noexcept {
      return distance > other.distance;
    }
  };
  std::priority_queue<item, std::vector<item>, std::greater<>> frontier;
  std::vector<bool> settled(entries_.size());
  for (auto& x : neighbours[start])
    frontier.push({x.distance, x.other});
  while (!frontier.empty()) {
    auto [d, z] = frontier.top();
    frontier.pop();
    if (settled[z])
      continue;
    settled[z] = true;
    if (!visit(z, d))
      return;
    for (auto& x : neighbours[z])
      if (!settled[x.other])
        frontier.push({extend(d, x.distance), x.other});
  }
}

} // namespace caf::rosia::engine
