// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/checkpointing.hpp"

#include <algorithm>
#include <limits>

namespace caf::rosia::engine {

logical_time next_checkpoint(std::int64_t period, logical_time tag) {
  if (period == 0 || tag == forever)
    return forever;
  auto ns = std::max<std::int64_t>(tag.ns, 0);
  auto count = ns / period + (ns % period != 0 || tag.microstep > 0 ? 1 : 0);
  count = std::max<std::int64_t>(count, 1);
  if (count > std::numeric_limits<std::int64_t>::max() / period)
    return forever;
  return {count * period, 0};
}

checkpointing::checkpointing(
  std::int64_t period, logical_time after, std::size_t connections)
  : period_(period), after_(after), in_transit_(connections) {
  saved(just_past(after));
}

logical_time checkpointing::last() const noexcept {
  return std::min({periodic_, answer_, agreed()});
}

logical_time checkpointing::due() const noexcept {
  auto next = std::min(periodic_, agreed());
  return answer_ < next ? forever : next;
}

void checkpointing::agree(logical_time tag) {
  answer_ = forever;
  if (tag != forever)
    agreed_.insert(std::upper_bound(agreed_.begin(), agreed_.end(), tag), tag);
}

void checkpointing::saved(logical_time until) noexcept {
  periodic_ = next_checkpoint(period_, until);
  agreed_.erase(
    agreed_.begin(), std::lower_bound(agreed_.begin(), agreed_.end(), until));
}

void checkpointing::sent(std::uint32_t connection, logical_time now,
                         logical_time arrival, const value& content) {
  auto& log = in_transit_[connection];
  while (!log.empty() && log.front().tag <= now)
    log.pop();
  log.push({arrival, content});
}

std::vector<event> checkpointing::in_transit(
  std::uint32_t connection, logical_time now) const {
  std::vector<event> result;
  auto& log = in_transit_[connection];
  for (std::size_t i = 0; i < log.size(); ++i)
    if (log[i].tag > now)
      result.push_back(log[i]);
  return result;
}

} // namespace caf::rosia::engine
