// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/executors.hpp"

#include "runtime/run_context.hpp"

#include <caf/make_counted.hpp>

#include <algorithm>

namespace caf::rosia::detail {

executors::executors(std::size_t nodes, std::size_t workers)
  : workers_(workers), loop_sizes_(nodes), groups_(nodes) {
  for (auto& x : groups_)
    x.store(alone, std::memory_order_relaxed);
}

void executors::find_loops(
  const engine::topology& graph, std::span<const engine::node_id> local) {
  std::unordered_map<std::uint32_t, std::uint32_t> sizes;
  for (auto id : local)
    if (auto loop = graph.loop_of(id); loop != graph.no_loop)
      ++sizes[loop];
  for (auto id : local)
    if (auto loop = graph.loop_of(id);
        loop != graph.no_loop && sizes[loop] == graph.loop_size(loop))
      loop_sizes_[id] = sizes[loop];
}

executor& executors::make(const std::shared_ptr<run_context>& run,
                          node_exchange exchange) {
  std::lock_guard guard{mutex_};
  return add(run, exchange);
}

executor& executors::take(const std::shared_ptr<run_context>& run,
                          node_exchange exchange) {
  std::lock_guard guard{mutex_};
  // A thread that looked up an executor late may have its token for a moment.
  auto i
    = std::find_if(without_nodes_.begin(), without_nodes_.end(), [&](auto* x) {
        return x->load_.rules == exchange && x->token_.take();
      });
  if (i != without_nodes_.end()) {
    auto& result = **i;
    without_nodes_.erase(i);
    return result;
  }
  auto& result = add(run, exchange);
  result.token_.take();
  return result;
}

void executors::give_back(executor& x) {
  std::lock_guard guard{mutex_};
  without_nodes_.push_back(&x);
}

engine::loop_time_table& executors::make_table(
  std::vector<engine::node_id> nodes, std::vector<delay> distances,
  const std::vector<bool>& clocked) {
  std::lock_guard guard{mutex_};
  return *tables_.emplace_back(std::make_unique<shared_loop_time_table>(
    std::move(nodes), std::move(distances), clocked));
}

void executors::release() {
  // The executors may hold the last references to the run, and thus to this
  // object, so they are destroyed after the lock is released.
  std::vector<caf::intrusive_ptr<executor>> all;
  std::lock_guard guard{mutex_};
  all.swap(all_);
  without_nodes_.clear();
}

bool executors::note_group(
  engine::node_id node, std::optional<engine::node_id> first) {
  auto now = first.value_or(alone);
  return groups_[node].exchange(now, std::memory_order_relaxed) != now;
}

std::optional<engine::node_id> executors::first_of_group(
  engine::node_id node) const {
  auto first = groups_[node].load(std::memory_order_relaxed);
  return first == alone ? std::nullopt : std::optional{first};
}

executor& executors::add(const std::shared_ptr<run_context>& run,
                         node_exchange exchange) {
  all_.push_back(caf::make_counted<executor>(run, all_.size(), exchange));
  return *all_.back();
}

} // namespace caf::rosia::detail
