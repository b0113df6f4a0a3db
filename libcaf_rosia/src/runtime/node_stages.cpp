// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_stages.hpp"

namespace caf::rosia::detail {

node_stages::node_stages(std::size_t nodes)
  : size_(nodes), stages_(std::make_unique<std::atomic<node_stage>[]>(nodes)) {
  // nop
}

void node_stages::set(engine::node_id id, node_stage stage) noexcept {
  auto& entry = stages_[id];
  auto old = entry.load(std::memory_order_relaxed);
  while (
    !is_last(old)
    && !entry.compare_exchange_weak(old, stage, std::memory_order_release)) {
    // try again
  }
}

void node_stages::set_all(node_stage stage) noexcept {
  for (engine::node_id i = 0; i < size_; ++i)
    set(i, stage);
}

std::vector<node_stage> node_stages::copy() const {
  std::vector<node_stage> result(size_);
  for (engine::node_id i = 0; i < size_; ++i)
    result[i] = get(i);
  return result;
}

} // namespace caf::rosia::detail
