// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/send_window.hpp"

#include <atomic>

namespace caf::rosia::engine {

void send_window::update(const link& shared, logical_time executed_below) {
  if (shared.gone.load(std::memory_order_seq_cst)) {
    in_flight_.clear();
    return;
  }
  auto executed = shared.executed.load(std::memory_order_seq_cst);
  while (!in_flight_.empty()
         && (executed_ < executed || in_flight_.front() < executed_below)) {
    in_flight_.pop();
    ++executed_;
  }
  if (in_flight_.empty())
    in_flight_.release_above(kept_capacity);
}

} // namespace caf::rosia::engine
