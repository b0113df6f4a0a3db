// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/loop_member.hpp"

#include <mutex>

namespace caf::rosia::engine {

// -- groups -------------------------------------------------------------------

void loop_member::suspend(const node_config& config) {
  std::lock_guard guard{*config.loop_time_table};
  config.loop_time_table->stop_waiting(config.member);
  known_->waits = false;
  known_->suspended = true;
  known_->bound = forever;
}

// -- calls without the lock ---------------------------------------------------

void loop_member::drain(node_context& context) {
  if (shared()) {
    // The group's entry still includes what was in transit to its members.
    context.host->drain(context.scratch->mail);
    return;
  }
  auto& config = context.config;
  std::lock_guard guard{*config.loop_time_table};
  context.host->drain(context.scratch->mail);
  config.loop_time_table->absorb(config.member);
  refresh_locked(config);
}

void loop_member::refresh(const node_config& config) {
  std::lock_guard guard{*config.loop_time_table};
  refresh_locked(config);
}

void loop_member::leave(node_context& context, bool aborted) {
  if (shared())
    return;
  auto& config = context.config;
  auto& table = *config.loop_time_table;
  std::lock_guard guard{table};
  table.stop_waiting(config.member);
  if (!aborted) {
    table.absorb(config.member);
    table.update(config.member, forever, context.scratch->wake);
  }
}

void loop_member::keep_active(const node_config& config, logical_time last) {
  if (shared())
    return;
  std::lock_guard guard{*config.loop_time_table};
  config.loop_time_table->in_transit(config.member, last);
}

// -- calls with the lock ------------------------------------------------------

void loop_member::refresh_locked(const node_config& config) {
  known_->bound = config.loop_time_table->bound(config.member);
}

void loop_member::update(node_context& context, logical_time earliest) {
  auto& config = context.config;
  config.loop_time_table->update(
    config.member, earliest, context.scratch->wake);
  known_->ended = config.loop_time_table->ended();
  refresh_locked(config);
}

void loop_member::wait(node_context& context,
                       const std::optional<logical_time>& bound) {
  auto& config = context.config;
  known_->waits
    = bound
      && config.loop_time_table->wait(
        config.member, *bound, context.scratch->wake);
  if (!known_->waits)
    config.loop_time_table->stop_waiting(config.member);
}

logical_time loop_member::requested_bound(const node_config& config) const {
  return config.loop_time_table->requested_bound(config.member);
}

} // namespace caf::rosia::engine
