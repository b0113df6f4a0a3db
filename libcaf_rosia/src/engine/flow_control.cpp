// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/flow_control.hpp"

#include <algorithm>
#include <atomic>

namespace caf::rosia::engine {

// -- at the sender ------------------------------------------------------------

bool flow_control::wait_for_receivers(logical_time tag) {
  for (auto& connection : context_->config.out) {
    auto is_full = [&] { return connection.window.holds_before(tag, limit()); };
    if (!is_full())
      continue;
    update(connection);
    if (!is_full())
      continue;
    // The receiver looks at `sender_waits` after it has written `executed`.
    connection.shared->sender_waits.store(true, std::memory_order_seq_cst);
    update(connection);
    if (is_full())
      return true;
  }
  return false;
}

const out_connection* flow_control::blocking(logical_time tag) const noexcept {
  for (auto& connection : context_->config.out)
    if (connection.window.holds_before(tag, limit())
        && !connection.shared->gone.load(std::memory_order_acquire)
        && connection.shared->sender_waits.load(std::memory_order_relaxed))
      return &connection;
  return nullptr;
}

bool flow_control::needs_ack(const out_connection& connection) const noexcept {
  auto& window = connection.window;
  return window.size() >= ack_threshold()
         && window.sent() >= window.ack_requested_at() + ack_distance(limit());
}

bool flow_control::request_ack(
  out_connection& connection, logical_time executed_below) {
  update(connection, executed_below);
  if (connection.window.size() < ack_threshold())
    return false;
  connection.window.ack_requested();
  return true;
}

std::uint32_t flow_control::ack_threshold() const noexcept {
  return std::max(limit() / 2, 1u);
}

void flow_control::update(out_connection& connection,
                          logical_time executed_below) {
  auto& window = connection.window;
  auto was_saturated = window.size() >= limit();
  window.update(*connection.shared, executed_below);
  if (was_saturated && window.size() < limit())
    --saturated_;
}

// -- at the receiver ----------------------------------------------------------

void flow_control::report_executed() {
  auto& unreported = context_->scratch->unreported;
  for (auto index : unreported) {
    auto& connection = context_->config.in[index];
    if (connection.queue.empty())
      connection.queue.release_above(kept_capacity);
    if (connection.window.report(*connection.shared))
      context_->host->wake(connection.source);
  }
  unreported.clear();
}

} // namespace caf::rosia::engine
