// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/explanation.hpp"

#include "engine/node.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace caf::rosia::engine {

using kind = blocker_kind;

blocker explanation::find() const {
  auto result = find_own();
  return result.kind == kind::none && config().instant_loop != nullptr
             && goal_ != forever
           ? node_of_instant_loop()
           : result;
}

blocker explanation::node_of_instant_loop() const {
  // Breadth first, against the connections of the loop.
  struct visit {
    const node_config* config;
    std::uint32_t via; // the connection to this node
  };
  std::vector<visit> visits{{&config(), blocker::no_connection}};
  std::unordered_set<const node*> seen;
  for (std::size_t i = 0; i < visits.size(); ++i)
    for (auto& in : visits[i].config->in) {
      if (!config().shares_instant_loop(in) || seen.contains(in.fused))
        continue;
      auto via = i == 0 ? in.number : visits[i].via;
      if (!in.fused->started()
          || explanation{in.fused->parts_, next_}.find_own().kind != kind::none)
        return {.kind = kind::loop,
                .connection = via,
                .node = in.source,
                .bound = next_};
      seen.insert(in.fused);
      visits.push_back({&in.fused->config(), via});
    }
  return {};
}

blocker explanation::find_own() const {
  if (auto found = end_of_application())
    return *found;
  if (auto found = upstream())
    return *found;
  if (auto found = late_sender())
    return *found;
  if (auto found = sender_at_last_tag())
    return *found;
  if (goal_ == forever)
    return source_of_physical();
  if (config().realtime && next_ <= parts_->bounds.barrier().requested()
      && next_.ns > parts_->host->elapsed())
    return {.kind = kind::clock, .bound = next_};
  if (auto* connection = flow_control::blocking(config(), next_))
    return {.kind = kind::receiver,
            .connection = connection->number,
            .node = parts_->outbox.receiver(*connection)};
  return {};
}

std::optional<blocker> explanation::end_of_application() const {
  auto& barrier = parts_->bounds.barrier();
  if (next_ > barrier.final() && parts_->bounds.upstreams().takes_physical())
    return blocker{.kind = kind::clock,
                   .bound = std::min(barrier.requested(), next_expiry())};
  if (auto* last_tag = barrier.last_tag();
      last_tag && last_tag->reported() && barrier.final() == forever)
    return blocker{.kind = kind::end};
  if (auto last = barrier.last_before_end();
      last != barrier.final() && next_ > last)
    return blocker{.kind = kind::agreement, .bound = last};
  if (auto& saving = parts_->checkpoints;
      saving && saving->waits() && next_ > saving->last())
    return blocker{.kind = kind::agreement, .bound = saving->last()};
  return std::nullopt;
}

std::optional<blocker> explanation::upstream() const {
  auto& upstreams = parts_->bounds.upstreams();
  auto loop_bound = forever;
  auto holder = config().member;
  auto* table = config().loop_time_table;
  if (parts_->bounds.loop().exists()) {
    std::lock_guard guard{*table};
    if (table->is_small()) {
      loop_bound = table->bound(config().member, &holder);
    } else {
      loop_bound = parts_->bounds.loop().bound();
      holder = table->holder(config().member);
    }
  }
  auto bound = std::min(upstreams.bound(), loop_bound);
  if (auto inner = parts_->bounds.inner(); inner < bound)
    return member_of_group(inner);
  if (bound > goal_ || bound == forever)
    return std::nullopt;
  if (loop_bound < upstreams.bound())
    return member_of_loop(table->nodes()[holder], loop_bound);
  auto& connection = config().in[upstreams.least_promised()];
  return blocker{
    .kind = kind::input,
    .connection = connection.number,
    .node = connection.source,
    .bound = bound};
}

std::optional<blocker> explanation::late_sender() const {
  auto final = parts_->bounds.barrier().final();
  if (!config().has_waits || next_ <= final)
    return std::nullopt;
  for (auto& x : *parts_->events.stamped()->max_waits())
    if (x.promise <= final) {
      auto& connection = config().in[x.connection];
      return blocker{
        .kind = kind::input,
        .connection = connection.number,
        .node = connection.source,
        .bound = x.promise};
    }
  return std::nullopt;
}

std::optional<blocker> explanation::sender_at_last_tag() const {
  auto& barrier = parts_->bounds.barrier();
  if (barrier.last_tag() == nullptr || next_ <= barrier.final())
    return std::nullopt;
  for (auto& connection : config().in)
    if (connection.instant && !connection.no_more
        && !config().shares_instant_loop(connection))
      return blocker{
        .kind = kind::last_tag,
        .connection = connection.number,
        .node = connection.source,
        .bound = just_past(barrier.final())};
  return std::nullopt;
}

std::optional<blocker> explanation::member_of_group(logical_time bound) const {
  if (bound > goal_)
    return std::nullopt;
  const in_connection* least = nullptr;
  auto promised = forever;
  for (auto& connection : config().in) {
    // The nodes of a loop without delay wait together.
    if (connection.fused == nullptr || config().shares_instant_loop(connection))
      continue;
    auto promise = connection.fused->promise_over(connection.source_index);
    if (least != nullptr && promise >= promised)
      continue;
    least = &connection;
    promised = promise;
  }
  if (least == nullptr
      || (config().instant_loop != nullptr && promised > goal_))
    return std::nullopt;
  return blocker{
    .kind = least->intra_loop ? blocker_kind::loop : blocker_kind::input,
    .connection = least->number,
    .node = least->source,
    .bound = bound};
}

blocker explanation::member_of_loop(node_id holder, logical_time bound) const {
  auto* input = input_towards(holder);
  // There was no search for the holder, so its input must do.
  if (holder == config().id && input != nullptr)
    holder = input->source;
  return {
    .kind = kind::loop,
    .connection = input != nullptr ? input->number : blocker::no_connection,
    .node = holder,
    .bound = bound};
}

blocker explanation::source_of_physical() const {
  for (auto& connection : config().in)
    if (connection.physical && !connection.no_more)
      return {.kind = kind::sender,
              .connection = connection.number,
              .node = connection.source};
  if (config().external)
    return {.kind = kind::outside};
  if (auto expiry = next_expiry(); expiry != forever)
    return {.kind = kind::clock, .bound = expiry};
  return {.kind = kind::none};
}

logical_time explanation::next_expiry() const noexcept {
  return parts_->bounds.upstreams().takes_values() || !config().watched
           ? forever
           : parts_->events.stamped()->watchdogs()->next_expiry();
}

const in_connection* explanation::input_towards(node_id holder) const {
  const in_connection* result = nullptr;
  auto candidates = 0;
  for (auto& connection : config().in)
    if (connection.intra_loop) {
      if (connection.source == holder)
        return &connection;
      result = &connection;
      ++candidates;
    }
  return candidates == 1 ? result : nullptr;
}

} // namespace caf::rosia::engine
