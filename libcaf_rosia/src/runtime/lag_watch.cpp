// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/lag_watch.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

namespace {

constexpr std::int64_t shortest_limit = 1'000'000'000;

} // namespace

lag_watch::lag_watch(std::int64_t lag_warn) noexcept
  : limit_(std::max(lag_warn, shortest_limit)) {
  // nop
}

lag_watch::findings lag_watch::look(
  std::int64_t now, const std::vector<sight>& all) {
  take_in(now, all);
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
  // While code does not return, that is why others wait; and while workers are
  // missing, that may be.
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

std::int64_t lag_watch::late_for(std::int64_t now, const sight& x) const {
  auto& known = entries_.at(x.node);
  switch (x.doing) {
    case doing::code:
      // What came late and runs for a moment is not what keeps the node back.
      return std::min(now - known.since, now - x.tag);
    case doing::wait_for_worker:
      return now - known.since;
    case doing::wait_for_others:
      // Null messages wake it up in between.
      return std::min(now - known.piece_since, now - x.tag);
    default:
      return 0;
  }
}

const lag_watch::sight* lag_watch::longest(
  std::int64_t now, const std::vector<sight>& all, doing what) const {
  const sight* result = nullptr;
  for (auto& x : all)
    if (x.doing == what && late_for(now, x) >= limit_
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
