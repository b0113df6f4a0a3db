// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/pending_events.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace caf::rosia::detail {

std::int64_t pending_events::take(batch& into, const timekeeper& time) {
  std::int64_t known = 0;
  {
    std::lock_guard guard{mutex()};
    std::swap(into, batch_);
    known = time.elapsed();
    for (auto& [node, first] : awaited_)
      known = std::min(known, first.ns);
  }
  auto size = into.deadlines.size() * sizeof(deadline)
              + into.tardy.size() * sizeof(tardy_event);
  for (auto& x : into.events)
    size += x.size;
  memory_.used.fetch_sub(size, std::memory_order_relaxed);
  return known;
}

void pending_events::add(engine::node_id node, const engine::stamped_value& x) {
  auto size = sizeof(event) + payload_size_.load(std::memory_order_relaxed);
  if (reserve(size))
    batch_.events.push_back({node, size, x});
}

void pending_events::add(engine::node_id node, std::uint32_t reaction,
                         const engine::passed_deadline& x) {
  std::lock_guard guard{mutex()};
  if (reserve(sizeof(deadline)))
    batch_.deadlines.push_back({node, reaction, x});
}

void pending_events::add(engine::node_id node, std::uint32_t connection,
                         const engine::tardy_value& x) {
  std::lock_guard guard{mutex()};
  if (reserve(sizeof(tardy_event)))
    batch_.tardy.push_back({node, connection, x});
}

void pending_events::await(engine::node_id node, logical_time first) {
  if (first == forever)
    awaited_.erase(node);
  else
    awaited_[node] = first;
}

void pending_events::reach(engine::node_id node, logical_time tag) {
  std::lock_guard guard{mutex()};
  batch_.reached[node] = tag;
}

bool pending_events::reserve(std::size_t size) noexcept {
  if (memory_.used.load(std::memory_order_relaxed) > memory_.limit) {
    note_lost(1);
    return false;
  }
  memory_.used.fetch_add(size, std::memory_order_relaxed);
  return true;
}

} // namespace caf::rosia::detail
