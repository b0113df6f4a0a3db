// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_counters.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

void node_counters::note_lag(std::int64_t ns, std::int64_t now) noexcept {
  constexpr auto relaxed = std::memory_order_relaxed;
  auto lag = std::max<std::int64_t>(ns, 0);
  auto bound = std::lower_bound(lag_bounds.begin(), lag_bounds.end(), lag);
  lags[static_cast<std::size_t>(bound - lag_bounds.begin())].add();
  lag_sum.add(static_cast<std::uint64_t>(lag));
  auto part = std::max<std::int64_t>(now, 0) / time_of_slot;
  auto& slot = maxima_[static_cast<std::size_t>(part % slots)];
  if (slot.part.load(relaxed) != part) {
    slot.part.store(part, relaxed);
    slot.lag.store(lag, relaxed);
  } else if (lag > slot.lag.load(relaxed)) {
    slot.lag.store(lag, relaxed);
  }
}

node_counts node_counters::read(std::int64_t now) const {
  constexpr auto relaxed = std::memory_order_relaxed;
  node_counts result;
  result.at = now;
  result.pieces = pieces.value();
  result.busy = busy.value();
  result.late = late.value();
  result.dropped = dropped.value();
  for (auto& x : written)
    result.written.push_back(x.value());
  for (auto& x : lags)
    result.lags.push_back(x.value());
  result.lag_sum = lag_sum.value();
  auto part = std::max<std::int64_t>(now, 0) / time_of_slot;
  for (auto& x : maxima_)
    if (auto y = x.part.load(relaxed); y >= 0 && y > part - slots)
      result.lag_max = std::max(result.lag_max, x.lag.load(relaxed));
  return result;
}

node_counters& run_counters::make(engine::node_id id, std::size_t outputs) {
  counters_[id] = std::make_unique<node_counters>(outputs);
  return *counters_[id];
}

void run_counters::note(engine::node_id id, node_counts x) {
  std::lock_guard guard{mutex_};
  reported_[id] = std::move(x);
}

std::optional<node_counts> run_counters::read(
  engine::node_id id, std::int64_t now) const {
  if (auto* own = find(id))
    return own->read(now);
  std::lock_guard guard{mutex_};
  return reported_[id];
}

} // namespace caf::rosia::detail
