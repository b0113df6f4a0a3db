// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/outbox.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace caf::rosia::engine {

// -- constructors -------------------------------------------------------------

void outbox::init(const node_config& config,
                  const std::vector<node_id>& peers) {
  if (peers.empty())
    return;
  num_peers_ = static_cast<std::uint32_t>(peers.size());
  peers_ = std::make_unique<peer[]>(num_peers_);
  for (std::uint32_t i = 0; i < num_peers_; ++i)
    peers_[i].id = peers[i];
  for (auto& connection : config.out)
    if (connection.intra_loop)
      peers_[connection.peer].intra_loop = true;
  leads_outside_
    = std::ranges::any_of(config.out, [](auto& x) { return !x.intra_loop; });
}

// -- adding -------------------------------------------------------------------

void outbox::clear() noexcept {
  for (auto& receiver : peers())
    receiver.batch.clear();
}

// -- bound requests -----------------------------------------------------------

void outbox::request(node_config& config, std::uint32_t index,
                     logical_time bound) {
  auto& clock = config.out[index].clock;
  auto pending = clock.requested_bound() != forever;
  clock.request(bound);
  if (pending || clock.requested_bound() == forever)
    return;
  if (!requested_)
    requested_ = std::make_unique<std::vector<std::uint32_t>>();
  requested_->push_back(index);
}

// -- sending ------------------------------------------------------------------

logical_time outbox::promise_over(
  const node_config& config, const out_connection& connection,
  const promise_basis& basis) {
  auto bound = basis.bound;
  if (basis.by_code)
    bound = std::max(bound, config.outputs[connection.output]->promised);
  return connection.clock.promise_above(
    saturating_add(bound, connection.distance));
}

bool outbox::send_intra_loop(node_context& context, flow_control& flow) {
  if (added_ == 0)
    return false;
  auto& config = context.config;
  for (auto& connection : config.out) {
    if (!connection.intra_loop || connection.unsent.empty())
      continue;
    if (connection.remote)
      request_ack(config, flow, connection);
    config.loop_time_table->in_transit(
      connection.target_member, first_arrival(connection));
    connection.unsent.clear();
  }
  auto to_itself = false;
  auto has_more = false;
  for (auto& receiver : peers())
    if (!receiver.batch.empty()) {
      if (!receiver.intra_loop) {
        has_more = true;
        continue;
      }
      to_itself = to_itself || receiver.id == config.id;
      send(context, receiver);
      context.scratch->wake.push_back(receiver.id);
    }
  if (!has_more)
    added_ = 0;
  return to_itself;
}

void outbox::send(node_context& context, flow_control& flow,
                  const promise_basis& basis) {
  if (!leads_outside_)
    return;
  auto& out = context.config.out;
  auto send_to = [&](peer& receiver) {
    if (receiver.batch.empty())
      return;
    send(context, receiver);
    context.host->wake(receiver.id);
  };
  if (added_ > 0 || basis.events != announced_
      || basis.by_code != announced_by_code_) {
    for (auto& connection : out)
      if (!connection.intra_loop && !connection.physical
          && connection.fused == nullptr)
        announce(context, flow, connection, basis);
    for (auto& receiver : peers())
      send_to(receiver);
    added_ = 0;
    announced_ = basis.events;
    announced_by_code_ = basis.by_code;
  } else {
    for (auto index : requested())
      if (out[index].fused == nullptr)
        announce(context, flow, out[index], basis);
    for (auto index : requested())
      send_to(peers_[out[index].peer]);
  }
  if (requested_)
    std::erase_if(*requested_, [&](auto index) {
      return out[index].clock.requested_bound() == forever;
    });
}

void outbox::send(engine::host& env, node_id receiver, envelope message) {
  std::vector<envelope> batch;
  batch.push_back(std::move(message));
  env.send(receiver, batch);
  env.wake(receiver);
}

void outbox::note_done(node_context& context) {
  for (auto& connection : context.config.out)
    if (connection.fused == nullptr && !connection.intra_loop)
      add_end(
        context, connection,
        connection.physical ? envelope_kind::no_more : envelope_kind::done);
  send_all(context);
}

void outbox::close(node_context& context, bool aborted) {
  // After an abort, this node's silence is no promise: its unsent messages are
  // lost, and other nodes are aborted as well.
  if (!aborted)
    for (auto& connection : context.config.out)
      if (connection.fused == nullptr)
        add_end(context, connection, envelope_kind::no_more);
  send_all(context);
  peers_.reset();
  num_peers_ = 0;
  requested_.reset();
}

void outbox::add_end(node_context& context, const out_connection& connection,
                     envelope_kind kind) {
  if (connection.shared->gone.load(std::memory_order_acquire))
    return;
  envelope end{.kind = kind, .connection = connection.target_index};
  auto* table = context.config.loop_time_table;
  if (connection.intra_loop && table->has_parts()) {
    std::lock_guard guard{*table};
    table->deliver(
      connection.target_member, {receiver(connection), std::move(end)},
      context.scratch->wake);
  } else {
    peers_[connection.peer].batch.push_back(std::move(end));
  }
}

void outbox::send_all(node_context& context) {
  for (auto& receiver : peers()) {
    if (receiver.batch.empty())
      continue;
    send(context, receiver);
    context.scratch->wake.push_back(receiver.id);
  }
}

void outbox::announce(node_context& context, flow_control& flow,
                      out_connection& connection, const promise_basis& basis) {
  auto& clock = connection.clock;
  auto& unsent = connection.unsent;
  if (unsent.empty()) {
    if (clock.announced() == forever
        || connection.shared->gone.load(std::memory_order_acquire))
      return;
  } else if (connection.remote) {
    request_ack(context.config, flow, connection);
  }
  auto promise = promise_over(context.config, connection, basis);
  // Promises only grow [4.3].
  if (promise > clock.announced()) {
    auto& batch = peers_[connection.peer].batch;
    if (!unsent.empty()) {
      batch[unsent.last()].promise = promise;
      clock.announce(promise, basis);
    } else if (clock.is_worth_null_message(promise, basis)) {
      if (context.trace)
        context.trace->promise(context.config.id, connection.number, promise);
      batch.push_back(
        {.kind = envelope_kind::promise,
         .promise = promise,
         .connection = connection.target_index});
      clock.announce(promise, basis);
    }
  }
  unsent.clear();
}

void outbox::request_ack(const node_config& config, flow_control& flow,
                         out_connection& connection) {
  if (!flow.needs_ack(config, connection))
    return;
  // In a loop, the table's entries also show what was executed. They do not yet
  // include the messages that are about to be sent.
  auto executed_below
    = connection.intra_loop
        ? std::min(config.loop_time_table->low(connection.target_member),
                   first_arrival(connection))
        : never;
  if (flow.request_ack(config, connection, executed_below))
    peers_[connection.peer].batch[connection.unsent.last()].ack_request = true;
}

void outbox::send(node_context& context, peer& receiver) const {
  auto& batch = receiver.batch;
  context.host->send(receiver.id, batch);
  // A node that sends to more nodes than a thread has buffers for keeps small
  // buffers. Otherwise it would get new ones from each thread that runs it.
  if (num_peers_ <= scratch::max_buffers || batch.capacity() > 1)
    context.scratch->give_buffer(std::move(batch));
}

} // namespace caf::rosia::engine
