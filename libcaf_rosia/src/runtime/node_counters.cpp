// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_counters.hpp"

#include <algorithm>

namespace caf::rosia::detail {

void node_counters::note_lag(std::int64_t ns) noexcept {
  auto lag = std::max<std::int64_t>(ns, 0);
  auto bound = std::lower_bound(lag_bounds.begin(), lag_bounds.end(), lag);
  lags[static_cast<std::size_t>(bound - lag_bounds.begin())].add();
  lag_sum.add(static_cast<std::uint64_t>(lag));
}

node_counters& run_counters::make(engine::node_id id, std::size_t outputs) {
  counters_[id] = std::make_unique<node_counters>(outputs);
  return *counters_[id];
}

} // namespace caf::rosia::detail
