// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/bound_requests.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

namespace caf::rosia::engine {

void bound_requests::init(const node_config& config) {
  auto& in = config.in;
  for (std::uint32_t i = 0; i < in.size(); ++i)
    if (in[i].needs_requests && !in[i].intra_loop && !in[i].physical) {
      if (!addressees_)
        addressees_ = std::make_unique<addressees>();
      addressees_->all.push_back({i});
    }
}

void bound_requests::forget(std::uint32_t connection) noexcept {
  if (!addressees_)
    return;
  auto& all = addressees_->all;
  auto found = std::lower_bound(
    all.begin(), all.end(), connection,
    [](auto& x, auto index) { return x.connection < index; });
  if (found != all.end() && found->connection == connection)
    found->requested_bound = never;
}

void bound_requests::collect(node_parts& parts, logical_time next) {
  auto& bounds = parts.bounds;
  auto& needed = parts.scratch->requested_bounds;
  auto lbts = bounds.lbts();
  needed.clear();
  if (next != forever && next >= lbts)
    needed.push_back(next);
  if (auto final = bounds.barrier().final(); final != forever && lbts <= final)
    needed.push_back(final);
  if (parts.checkpoints)
    if (auto tag = parts.checkpoints->due(); tag != forever && lbts <= tag)
      needed.push_back(tag);
  for (auto index : parts.outbox.requested()) {
    auto& connection = parts.config.out[index];
    auto requested = connection.clock.requested_bound();
    if (requested == forever)
      continue;
    if (auto bound = inverse(requested, connection.distance);
        bound != never && lbts <= bound)
      needed.push_back(bound);
  }
  std::sort(needed.begin(), needed.end());
}

void bound_requests::add_requests_of_loop(node_parts& parts) {
  auto& needed = parts.scratch->requested_bounds;
  std::lock_guard guard{*parts.config.loop_time_table};
  if (auto bound = parts.bounds.loop().requested_bound(parts.config);
      bound != forever)
    needed.insert(std::upper_bound(needed.begin(), needed.end(), bound), bound);
}

bool bound_requests::wait_in_loop(node_parts& parts) {
  auto& bounds = parts.bounds;
  auto& needed = parts.scratch->requested_bounds;
  auto& loop = bounds.loop();
  auto waits = !loop.shared() && (!needed.empty() || loop.waits());
  if (!loop.exists() || (!waits && !relays(bounds)))
    return true;
  std::unique_lock guard{*parts.config.loop_time_table};
  if (!loop.shared()) {
    loop.refresh_locked(parts.config);
    // Skip bounds that are held back from outside only: each change of the
    // awaited bound would be news to the members.
    auto held_back
      = std::lower_bound(needed.begin(), needed.end(), loop.bound());
    loop.wait(
      parts,
      held_back == needed.end() ? std::nullopt : std::optional{*held_back});
    if (bounds.raise()) {
      // Another member advanced: check again.
      guard.unlock();
      parts.wake_listed();
      return false;
    }
  }
  // Only a node that can relay requests reads the bounds for which members
  // wait.
  if (auto bound
      = relays(bounds) ? loop.requested_bound(parts.config) : forever;
      bound != forever) {
    needed.insert(std::upper_bound(needed.begin(), needed.end(), bound), bound);
    if (bounds.upstreams().takes_physical() && loop.published_clock() <= bound)
      parts.clock.wake_no_later_than(bounds::time_beyond(parts, bound));
  }
  guard.unlock();
  parts.wake_listed();
  return true;
}

void bound_requests::wait_for_clock(
  node_parts& parts, const promise_basis& basis) {
  if (!basis.physical || basis.bound == basis.events)
    return; // elapsed time does not limit the promises
  for (auto index : parts.outbox.requested()) {
    auto& connection = parts.config.out[index];
    if (auto bound = connection.clock.requested_bound();
        bound != forever
        && !connection.shared->gone.load(std::memory_order_acquire))
      parts.clock.wake_no_later_than(
        bounds::time_beyond(parts, inverse(bound, connection.distance)));
  }
}

void bound_requests::send(node_parts& parts) {
  auto& needed = parts.scratch->requested_bounds;
  // Scanning thousands of inputs after each answer would be too slow. While the
  // needed bounds are the same, each sender has its request.
  if (!addressees_ || needed.empty() || addressees_->requested_bounds == needed)
    return;
  addressees_->requested_bounds = needed;
  for (auto& receiver : addressees_->all) {
    auto& connection = parts.config.in[receiver.connection];
    auto bound = std::lower_bound(
      needed.begin(), needed.end(),
      parts.bounds.upstreams().promise_of(receiver.connection));
    if (bound == needed.end() || receiver.requested_bound == *bound)
      continue;
    receiver.requested_bound = *bound;
    outbox::send(
      *parts.host, connection.source,
      {.tag = *bound,
       .kind = envelope_kind::bound_request,
       .connection = connection.source_index});
  }
}

} // namespace caf::rosia::engine
