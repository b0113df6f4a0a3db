// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/lag_watch.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

namespace {

constexpr std::int64_t shortest_limit = 1'000'000'000;

} // namespace

lag_watch::lag_watch(std::optional<std::int64_t> lag_warn) noexcept
  : limit_(std::max(lag_warn.value_or(longest_lag), shortest_limit)),
    by_default_(!lag_warn) {
  // nop
}

lag_watch::findings lag_watch::look(
  std::int64_t now, const std::vector<sight>& all) {
  take_in(now, all);
  if (by_default_)
    return look_by_default(now, all);
  findings result;
  auto stuck = false;
  for (auto& x : all) {
    auto lasted = late_for(now, x);
    if (x.doing == doing::wait_for_worker && lasted >= limit_)
      result.waiting.push_back(x.node);
    if (x.doing != doing::code)
      continue;
    stuck = stuck || lasted >= limit_;
    if (entries_.at(x.node).words.due(lasted))
      result.named.push_back({x.node, x.doing, now - x.tag});
  }
  // Code that does not return explains why other nodes wait. So may a lack of
  // workers.
  if (stuck)
    return result;
  auto* first = longest(now, all, doing::wait_for_worker);
  if (first == nullptr)
    first = longest(now, all, doing::wait_for_others);
  if (first == nullptr)
    return result;
  auto lasted = late_for(now, *first);
  if (entries_.at(first->node).words.due(lasted)) {
    std::erase(result.waiting, first->node);
    auto is_late = first->doing == doing::wait_for_others;
    result.named.push_back(
      {first->node, first->doing, is_late ? now - first->tag : lasted});
  }
  return result;
}

lag_watch::findings lag_watch::look_by_default(
  std::int64_t now, const std::vector<sight>& all) {
  findings result;
  auto stuck = false;
  for (auto& x : all) {
    auto lasted = now - entries_.at(x.node).since;
    if (x.doing != doing::code || lasted < longest_code)
      continue;
    stuck = true;
    if (named_.insert(x.node).second)
      result.named.push_back({x.node, x.doing, lasted});
  }
  // Code that does not return explains why other nodes lag.
  if (auto found = find_lag(now, all);
      found && !stuck && named_.insert(found->node).second)
    result.named.push_back(*found);
  return result;
}

std::optional<lag_watch::finding> lag_watch::find_lag(
  std::int64_t now, const std::vector<sight>& all) {
  auto before = std::exchange(slow_, {});
  const sight* slowest = nullptr;
  const sight* last = nullptr;
  auto known = false;
  for (auto& x : all) {
    auto is_late = (x.doing == doing::code || x.doing == doing::wait_for_others)
                   && x.tag < now - limit_;
    if (!is_late)
      continue;
    known = known || named_.contains(x.node);
    if (last == nullptr || x.tag < last->tag)
      last = &x;
    if (x.doing != doing::code)
      continue;
    auto i = before.find(x.node);
    auto looks = slow_[x.node] = i == before.end() ? 1 : i->second + 1;
    // A node that runs all the time delays the nodes after it, which are at
    // earlier tags or run from time to time.
    if (looks >= looks_at_slow_code
        && (slowest == nullptr || looks > slow_.at(slowest->node)
            || (looks == slow_.at(slowest->node) && x.tag > slowest->tag)))
      slowest = &x;
  }
  lagged_ = last == nullptr ? 0 : lagged_ + 1;
  // A node that was named before may be why these nodes lag.
  if (known)
    return std::nullopt;
  if (slowest != nullptr)
    return finding{slowest->node, doing::slow_code, now - slowest->tag};
  if (auto* first = longest(now, all, doing::wait_for_worker);
      first != nullptr && first->tag != no_time)
    return finding{first->node, first->doing, late_for(now, *first)};
  if (lagged_ < looks_at_lag)
    return std::nullopt;
  // Code that does not follow physical time may be why nodes wait.
  for (auto& x : all)
    if (auto lasted = now - entries_.at(x.node).since;
        x.doing == doing::code && lasted >= limit_)
      return finding{x.node, x.doing, lasted};
  return finding{last->node, last->doing, now - last->tag};
}

std::int64_t lag_watch::late_for(std::int64_t now, const sight& x) const {
  auto& known = entries_.at(x.node);
  switch (x.doing) {
    case doing::code:
      // A short run of a late event is not what delays the node.
      return std::min(now - known.since, now - x.tag);
    case doing::wait_for_worker:
      return now - known.since;
    case doing::wait_for_others:
      // Null messages wake it up while it waits.
      return std::min(now - known.piece_since, now - x.tag);
    default:
      return 0;
  }
}

const lag_watch::sight* lag_watch::longest(
  std::int64_t now, const std::vector<sight>& all, doing activity) const {
  const sight* result = nullptr;
  for (auto& x : all)
    if (x.doing == activity && late_for(now, x) >= limit_
        && (result == nullptr || late_for(now, x) > late_for(now, *result)))
      result = &x;
  return result;
}

void lag_watch::take_in(std::int64_t now, const std::vector<sight>& all) {
  auto before = std::exchange(entries_, {});
  for (auto& x : all) {
    auto i = before.find(x.node);
    auto is_known
      = i != before.end() && i->second.piece == x.piece
        && (i->second.doing == doing::code) == (x.doing == doing::code);
    if (!is_known) {
      entries_.emplace(
        x.node, entry{x.doing, x.piece, now, now, growing_interval{limit_}});
      continue;
    }
    auto& known = entries_.insert(*i).first->second;
    if (std::exchange(known.doing, x.doing) != x.doing)
      known.since = now;
  }
}

} // namespace caf::rosia::detail
