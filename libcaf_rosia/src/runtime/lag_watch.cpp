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
  const sight* first = nullptr; // of those that wait for a worker
  for (auto& x : all) {
    auto& known = entries_.at(x.node);
    if (!x.runs) {
      if (now - known.since < limit_)
        continue;
      ++result.waiting;
      if (first == nullptr || known.since < entries_.at(first->node).since)
        first = &x;
      continue;
    }
    // What came late and runs for a moment is not what keeps the node back.
    auto lasted = std::min(now - known.since, now - x.tag);
    stuck = stuck || lasted >= limit_;
    if (known.words.due(lasted))
      result.named.push_back({x.node, true, now - x.tag});
  }
  // While code does not return, that is why workers are missing.
  if (stuck || first == nullptr)
    return result;
  auto& known = entries_.at(first->node);
  if (known.words.due(now - known.since)) {
    --result.waiting;
    result.named.push_back({first->node, false, now - known.since});
  }
  return result;
}

void lag_watch::take_in(std::int64_t now, const std::vector<sight>& all) {
  auto before = std::exchange(entries_, {});
  for (auto& x : all) {
    auto i = before.find(x.node);
    if (i != before.end() && i->second.runs == x.runs
        && i->second.piece == x.piece)
      entries_.insert(*i);
    else
      entries_.emplace(
        x.node, entry{x.runs, x.piece, now, growing_interval{limit_}});
  }
}

} // namespace caf::rosia::detail
