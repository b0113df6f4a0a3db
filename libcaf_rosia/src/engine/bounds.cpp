// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/bounds.hpp"

namespace caf::rosia::engine {

bool bounds::raise() noexcept {
  auto bound = std::min(upstreams_.bound(), loop_.bound());
  if (bound <= lbts_)
    return false;
  lbts_ = bound;
  return true;
}

bool bounds::refresh(const node_config& config) {
  if (loop_.exists() && upstreams_.bound() > lbts_)
    loop_.refresh(config);
  return raise();
}

promise_basis bounds::basis(
  const node_clock& clock, bool started, logical_time next,
  logical_time logical) const noexcept {
  promise_basis result;
  result.events = std::min(next, stat());
  result.physical = upstreams_.takes_physical();
  result.by_code = started && !result.physical;
  result.bound
    = result.physical
        ? std::min(result.events, clock.least_stamp(logical))
        : result.events;
  return result;
}

void bounds::publish_clock(
  const node_clock& clock, logical_time logical) noexcept {
  if (upstreams_.takes_physical())
    published_clock_ = std::max(published_clock_, clock.least_stamp(logical));
}

void bounds::update_loop(node_context& context, logical_time next) {
  auto entry = std::min(next, upstreams_.bound());
  if (upstreams_.takes_physical())
    entry = std::min(entry, published_clock_);
  loop_.update(context, entry);
  raise();
}

} // namespace caf::rosia::engine
