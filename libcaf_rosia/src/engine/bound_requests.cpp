// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/bound_requests.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

namespace caf::rosia::engine {

void bound_requests::init() {
  auto& in = context_->config.in;
  for (std::uint32_t i = 0; i < in.size(); ++i)
    if (in[i].needs_requests && !in[i].intra_loop && !in[i].physical) {
      if (!addressees_)
        addressees_ = std::make_unique<addressees>();
      addressees_->connections.push_back(i);
    }
}

void bound_requests::collect(logical_time next) {
  auto& needed = context_->scratch->requested_bounds;
  auto lbts = bounds_->lbts();
  needed.clear();
  if (next != forever && next >= lbts)
    needed.push_back(next);
  if (auto final = bounds_->barrier().final();
      final != forever && lbts <= final)
    needed.push_back(final);
  for (auto& connection : context_->config.out) {
    auto requested = connection.clock.requested_bound();
    if (requested == forever)
      continue;
    if (auto bound = inverse(requested, connection.distance);
        bound != never && lbts <= bound)
      needed.push_back(bound);
  }
  std::sort(needed.begin(), needed.end());
}

bool bound_requests::wait_in_loop() {
  auto& needed = context_->scratch->requested_bounds;
  auto& loop = bounds_->loop();
  if (!loop.exists() || (needed.empty() && !loop.waits() && !relays()))
    return true;
  std::unique_lock guard{*context_->config.loop_time_table};
  loop.refresh_locked();
  // Not for what is held back from outside only: to wait for that and then for
  // something else would be new to the members each time.
  auto held_back = std::lower_bound(needed.begin(), needed.end(), loop.bound());
  loop.wait(
    held_back == needed.end() ? std::nullopt : std::optional{*held_back});
  if (bounds_->raise()) {
    // Somebody else has moved on in the meantime: look again.
    guard.unlock();
    context_->wake_listed();
    return false;
  }
  // Only who can do something about it looks what the others wait for.
  if (auto bound = relays() ? loop.requested_bound() : forever;
      bound != forever) {
    needed.insert(std::upper_bound(needed.begin(), needed.end(), bound), bound);
    if (bounds_->upstreams().takes_physical()
        && bounds_->published_clock() <= bound)
      clock_->wake_no_later_than(bound.ns + 1);
  }
  guard.unlock();
  context_->wake_listed();
  return true;
}

void bound_requests::wait_for_clock(const promise_basis& basis) {
  if (!basis.physical || basis.bound == basis.events)
    return; // elapsed time keeps back nothing
  for (auto& connection : context_->config.out)
    if (auto bound = connection.clock.requested_bound();
        bound != forever
        && !connection.shared->gone.load(std::memory_order_acquire))
      clock_->wake_no_later_than(inverse(bound, connection.distance).ns + 1);
}

void bound_requests::send() {
  auto& needed = context_->scratch->requested_bounds;
  // Whoever has thousands of inputs cannot look at all of them whenever one
  // answers: as long as it needs the same, everybody has its request.
  if (!addressees_ || needed.empty() || addressees_->requested_bounds == needed)
    return;
  addressees_->requested_bounds = needed;
  for (auto index : addressees_->connections) {
    auto& connection = context_->config.in[index];
    auto bound = std::lower_bound(
      needed.begin(), needed.end(), bounds_->upstreams().promise_of(index));
    if (bound == needed.end() || connection.requested_bound == *bound)
      continue;
    connection.requested_bound = *bound;
    outbox_->send(
      connection.source,
      {envelope::kind::bound_request, connection.source_index, *bound, never,
       nullptr});
  }
}

} // namespace caf::rosia::engine
