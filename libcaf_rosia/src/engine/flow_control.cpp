// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/flow_control.hpp"

#include "engine/node.hpp"

#include <algorithm>
#include <atomic>

namespace caf::rosia::engine {

namespace {

/// Returns the number of messages in flight from which acks are requested: half
/// of the limit.
std::uint32_t ack_threshold(const node_config& config) noexcept {
  return std::max(config.max_in_flight / 2, 1u);
}

} // namespace

// -- at the sender ------------------------------------------------------------

bool flow_control::wait_for_receivers(node_config& config, logical_time tag) {
  for (auto& connection : config.out) {
    auto is_full = [&] {
      return connection.window.holds_before(tag, config.max_in_flight);
    };
    if (!is_full())
      continue;
    update(config, connection);
    if (!is_full())
      continue;
    // The receiver reads `sender_waits` after it wrote `executed`.
    connection.shared->sender_waits.store(true, std::memory_order_seq_cst);
    update(config, connection);
    if (is_full())
      return true;
  }
  return false;
}

void flow_control::fuse(const node_config& config, out_connection& connection) {
  auto& window = connection.window;
  if (window.size() >= config.max_in_flight)
    --saturated_;
  window.restart(window.sent());
  connection.shared->sender_waits.store(false, std::memory_order_relaxed);
}

void flow_control::split(const node_config& config, out_connection& connection,
                         const in_connection& to, const event_queue& events) {
  auto& window = connection.window;
  window.restart(to.window.executed());
  connection.shared->executed.store(
    to.window.executed(), std::memory_order_seq_cst);
  auto index = connection.target_index;
  for (std::size_t i = 0; i < events.size(to, index); ++i)
    window.push(events.tag_of(to, index, i));
  if (window.size() >= config.max_in_flight)
    ++saturated_;
}

bool flow_control::holds_back_inside(
  const node_config& config, logical_time tag) {
  return std::any_of(
    config.out.begin(), config.out.end(), [&](auto& connection) {
      if (connection.fused == nullptr)
        return false;
      if (connection.fused->failed())
        return true;
      auto index = connection.target_index;
      auto& in = connection.fused->config().in[index];
      auto& events = connection.fused->events();
      return events.size(in, index) >= config.max_in_flight
             && events.tag_of(in, index, config.max_in_flight - 1) < tag;
    });
}

const out_connection* flow_control::blocking(
  const node_config& config, logical_time tag) noexcept {
  for (auto& connection : config.out)
    if (connection.window.holds_before(tag, config.max_in_flight)
        && !connection.shared->gone.load(std::memory_order_acquire)
        && connection.shared->sender_waits.load(std::memory_order_relaxed))
      return &connection;
  return nullptr;
}

bool flow_control::needs_ack(
  const node_config& config, const out_connection& connection) noexcept {
  auto& window = connection.window;
  return window.size() >= ack_threshold(config)
         && window.sent_since_ack_request()
              >= ack_distance(config.max_in_flight);
}

bool flow_control::request_ack(
  const node_config& config, out_connection& connection,
  logical_time executed_below) {
  update(config, connection, executed_below);
  if (connection.window.size() < ack_threshold(config))
    return false;
  connection.window.ack_requested();
  return true;
}

void flow_control::update(const node_config& config, out_connection& connection,
                          logical_time executed_below) {
  auto& window = connection.window;
  auto was_saturated = window.size() >= config.max_in_flight;
  window.update(*connection.shared, executed_below);
  if (was_saturated && window.size() < config.max_in_flight)
    --saturated_;
}

// -- at the receiver ----------------------------------------------------------

void flow_control::report_executed(node_context& context) {
  auto& unreported = context.scratch->unreported;
  for (auto index : unreported) {
    auto& connection = context.config.in[index];
    if (connection.queue.empty())
      connection.queue.release_above(kept_capacity);
    if (connection.window.report(*connection.shared))
      context.host->wake(connection.source);
  }
  unreported.clear();
}

} // namespace caf::rosia::engine
