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

bool bounds::refresh() {
  if (loop_.exists() && upstreams_.bound() > lbts_)
    loop_.refresh();
  return raise();
}

promise_basis bounds::basis(
  bool started, logical_time next, logical_time logical) const noexcept {
  promise_basis result;
  result.events = std::min(next, stat());
  result.physical = upstreams_.takes_physical();
  result.by_code = started && !result.physical;
  result.bound
    = result.physical
        ? std::min(result.events, clock_->least_stamp(logical))
        : result.events;
  return result;
}

void bounds::publish_clock(logical_time logical) noexcept {
  if (upstreams_.takes_physical())
    published_clock_ = std::max(published_clock_, clock_->least_stamp(logical));
}

void bounds::update_loop(logical_time next) {
  auto entry = std::min(next, upstreams_.bound());
  if (upstreams_.takes_physical())
    entry = std::min(entry, published_clock_);
  loop_.update(entry);
  raise();
}

} // namespace caf::rosia::engine
