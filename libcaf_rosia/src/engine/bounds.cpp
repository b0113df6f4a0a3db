// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/bounds.hpp"

namespace caf::rosia::engine {

bool bounds::raise() noexcept {
  auto bound = std::min(outside(), inner_);
  if (bound <= lbts_)
    return false;
  lbts_ = bound;
  return true;
}

bool bounds::refresh(const node_config& config) {
  if (loop_.exists() && std::min(upstreams_.bound(), inner_) > lbts_)
    loop_.refresh(config);
  return raise();
}

logical_time bounds::least_stamp(
  const node_context& context, const node_clock& clock,
  logical_time logical) const noexcept {
  auto value
    = context.config.has_lead
        ? clock.least_stamp(logical, context.events.stamped()->lead())
        : clock.least_stamp(logical);
  if (!upstreams_.watches())
    return value;
  auto expiry = std::max(
    context.events.stamped()->watchdogs()->next_expiry(), just_past(logical));
  return upstreams_.takes_values() ? std::min(value, expiry) : expiry;
}

std::int64_t bounds::time_beyond(
  const node_context& context, logical_time bound) noexcept {
  auto at
    = context.config.has_lead
        ? inverse(bound, context.events.stamped()->lead())
        : bound;
  return std::max(at.ns, std::int64_t{-1}) + 1;
}

promise_basis bounds::basis(
  const node_context& context, const node_clock& clock, bool started,
  logical_time stat, logical_time next, logical_time logical) const noexcept {
  promise_basis result;
  result.events = std::min(next, stat);
  result.physical = upstreams_.takes_physical();
  result.by_code = started && !result.physical;
  result.bound
    = result.physical
        ? std::min(result.events, least_stamp(context, clock, logical))
        : result.events;
  return result;
}

void bounds::publish_clock(const node_context& context, const node_clock& clock,
                           logical_time logical) noexcept {
  if (upstreams_.takes_physical())
    loop_.publish_clock(least_stamp(context, clock, logical));
}

logical_time bounds::loop_entry(logical_time next) const noexcept {
  return std::min(outer_loop_entry(next), inner_);
}

logical_time bounds::outer_loop_entry(logical_time next) const noexcept {
  auto result = std::min(next, upstreams_.bound());
  return upstreams_.takes_physical()
           ? std::min(result, loop_.published_clock())
           : result;
}

void bounds::update_loop(node_context& context, logical_time next) {
  loop_.update(context, loop_entry(next));
  raise();
}

} // namespace caf::rosia::engine
