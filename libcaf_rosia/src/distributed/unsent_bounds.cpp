// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/unsent_bounds.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

void unsent_bounds::set(std::uint32_t connection, logical_time bound) {
  if (std::exchange(bounds_[connection], bound) == never)
    changed_.push_back(connection);
}

std::vector<bound_range> unsent_bounds::take() {
  std::vector<bound_range> result;
  // A node sends to its receivers in order.
  if (!std::ranges::is_sorted(changed_))
    std::ranges::sort(changed_);
  for (auto connection : changed_) {
    auto bound = std::exchange(bounds_[connection], never);
    if (!result.empty() && result.back().bound == bound
        && result.back().first + result.back().count == connection)
      ++result.back().count;
    else
      result.push_back({connection, 1, bound});
  }
  changed_.clear();
  return result;
}

} // namespace caf::rosia::detail
