// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/observation.hpp"

#include <utility>

namespace caf::rosia::detail {

observation::observation(std::vector<node_stage> stages)
  : stages_(std::move(stages)), states_(stages_.size()) {
  // nop
}

void observation::put(engine::node_id node, engine::snapshot&& x) {
  auto state = std::make_unique<engine::snapshot>(std::move(x));
  std::lock_guard guard{mutex_};
  if (states_[node])
    return;
  states_[node] = std::move(state);
  if (++known_ == states_.size())
    changed_.notify_all();
}

bool observation::knows(engine::node_id node) const {
  std::lock_guard guard{mutex_};
  return states_[node] != nullptr;
}

void observation::wait(std::chrono::milliseconds limit) {
  std::unique_lock guard{mutex_};
  changed_.wait_for(guard, limit, [&] { return known_ == states_.size(); });
}

} // namespace caf::rosia::detail
