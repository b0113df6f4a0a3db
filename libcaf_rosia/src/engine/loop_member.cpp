// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/loop_member.hpp"

#include <mutex>

namespace caf::rosia::engine {

// -- calls without the lock ---------------------------------------------------

void loop_member::drain() {
  auto& config = context_->config;
  std::lock_guard guard{*config.loop_time_table};
  context_->host->drain(context_->scratch->mail);
  config.loop_time_table->absorb(config.member);
  refresh_locked();
}

void loop_member::refresh() {
  std::lock_guard guard{*context_->config.loop_time_table};
  refresh_locked();
}

void loop_member::leave(bool aborted) {
  auto& config = context_->config;
  auto& table = *config.loop_time_table;
  std::lock_guard guard{table};
  table.stop_waiting(config.member);
  if (!aborted) {
    table.absorb(config.member);
    table.update(config.member, forever, context_->scratch->wake);
  }
}

void loop_member::keep_active(logical_time last) {
  auto& config = context_->config;
  std::lock_guard guard{*config.loop_time_table};
  config.loop_time_table->in_transit(config.member, last);
}

// -- calls with the lock ------------------------------------------------------

void loop_member::refresh_locked() {
  auto& config = context_->config;
  bound_ = config.loop_time_table->bound(config.member);
}

void loop_member::update(logical_time earliest) {
  auto& config = context_->config;
  config.loop_time_table->update(
    config.member, earliest, context_->scratch->wake);
  ended_ = config.loop_time_table->ended();
  refresh_locked();
}

void loop_member::wait(const std::optional<logical_time>& bound) {
  auto& config = context_->config;
  waits_ = bound
           && config.loop_time_table->wait(
             config.member, *bound, context_->scratch->wake);
  if (!waits_)
    config.loop_time_table->stop_waiting(config.member);
}

logical_time loop_member::requested_bound() const {
  auto& config = context_->config;
  return config.loop_time_table->requested_bound(config.member);
}

} // namespace caf::rosia::engine
