// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/connection.hpp"
#include "engine/envelope.hpp"
#include "engine/flow_control.hpp"
#include "engine/host.hpp"
#include "engine/node_config.hpp"
#include "engine/node_context.hpp"
#include "engine/promise_basis.hpp"
#include "engine/scratch.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace caf::rosia::engine {

/// The unsent messages of a node: one batch for each receiver, however many
/// connections lead to it. Also handles the promises of the connections, which
/// travel with a message or as null messages. Tests:
/// test/engine/outbox_test.cpp.
class outbox {
public:
  /// The number of messages from which on a receiver should start on them.
  static constexpr std::uint32_t max_added = 4096;

  // -- constructors -----------------------------------------------------------

  /// @param peers the receivers of the node's connections.
  void init(const node_config& config, const std::vector<node_id>& peers);

  // -- properties -------------------------------------------------------------

  node_id receiver(const out_connection& connection) const noexcept {
    return peers_[connection.peer].id;
  }

  /// Returns the outgoing connections whose receivers requested a bound, and
  /// some whose receivers no longer wait.
  std::span<const std::uint32_t> requested() const noexcept {
    if (!requested_)
      return {};
    return *requested_;
  }

  /// Returns whether enough was added since the last `send` for receivers to
  /// start on.
  bool full() const noexcept {
    return added_ >= max_added;
  }

  // -- adding -----------------------------------------------------------------

  /// Adds a message on a logical connection.
  void add(engine::scratch& memory, out_connection& connection,
           logical_time arrival, const value& content) {
    auto& batch = batch_for(memory, connection);
    batch.push_back(
      {.tag = arrival,
       .connection = connection.target_index,
       .content = content});
    connection.unsent.add(batch.size());
  }

  /// Adds a value on a physical connection.
  void add_physical(engine::scratch& memory, const out_connection& connection,
                    const value& content) {
    batch_for(memory, connection)
      .push_back({.kind = envelope_kind::physical,
                  .connection = connection.target_index,
                  .content = content});
  }

  /// Adds a value at the last tag.
  void add_last(engine::scratch& memory, const out_connection& connection,
                logical_time tag, const value& content) {
    batch_for(memory, connection)
      .push_back(
        {.tag = tag,
         .kind = envelope_kind::last_tag,
         .connection = connection.target_index,
         .content = content});
  }

  /// Drops all unsent messages.
  void clear() noexcept;

  // -- bound requests ---------------------------------------------------------

  /// Records that the receiver of a connection waits for a promise greater than
  /// `bound`.
  /// @param index the index of the connection.
  void request(node_config& config, std::uint32_t index, logical_time bound);

  // -- sending ----------------------------------------------------------------

  /// Returns the promise of a node over a logical connection.
  static logical_time promise_over(
    const node_config& config, const out_connection& connection,
    const promise_basis& basis);

  /// Sends the messages to members of the node's loop, and lists these members
  /// to be woken.
  /// @pre The loop time table is locked.
  /// @returns whether the node sent a message to itself.
  bool send_intra_loop(node_context& context, flow_control& flow);

  /// Sends all other messages, if there is a connection outside of the loop,
  /// with promises and null messages, and wakes the receivers [4.6]. Scanning
  /// thousands of connections on each call would be too slow. If there is
  /// nothing new, only connections with a requested bound are checked.
  void send(node_context& context, flow_control& flow,
            const promise_basis& basis);

  /// Sends one message at once, and wakes its receiver.
  static void send(engine::host& env, node_id receiver, envelope message);

  /// Tells the receivers that the node is done. Those of physical values get
  /// `no_more`, because no value that is sent at the last tag arrives there.
  /// Lists the receivers to be woken.
  void note_done(node_context& context);

  /// Sends the rest and, unless the node is aborted, that no more follows
  /// [5.3]. Lists the receivers to be woken, and forgets them.
  void close(node_context& context, bool aborted);

private:
  /// A node that this one sends to.
  struct peer {
    node_id id = 0;
    bool intra_loop = false;
    std::vector<envelope> batch;
  };

  std::vector<envelope>& batch_for(
    engine::scratch& memory, const out_connection& connection) {
    auto& batch = peers_[connection.peer].batch;
    if (batch.capacity() == 0)
      batch = memory.take_buffer();
    ++added_;
    return batch;
  }

  /// Adds `no_more`, or `done`, for a connection.
  void add_end(node_context& context, const out_connection& connection,
               envelope_kind kind);

  /// Sends all messages, and lists the receivers to be woken.
  void send_all(node_context& context);

  void announce(node_context& context, flow_control& flow,
                out_connection& connection, const promise_basis& basis);

  void request_ack(const node_config& config, flow_control& flow,
                   out_connection& connection);

  void send(node_context& context, peer& receiver) const;

  std::span<peer> peers() const noexcept {
    return {peers_.get(), num_peers_};
  }

  /// Returns the arrival of the first unsent message of a connection.
  /// @pre There is one.
  logical_time first_arrival(const out_connection& connection) const noexcept {
    return peers_[connection.peer].batch[connection.unsent.first()].tag;
  }

  std::unique_ptr<peer[]> peers_;
  std::unique_ptr<std::vector<std::uint32_t>> requested_; // null if none was
  logical_time announced_ = never; // basis of the last promises to all
  std::uint32_t num_peers_ = 0;
  std::uint32_t added_ = 0; // messages
  bool announced_by_code_ = false;
  bool leads_outside_ = false; // of the node's loop, or there is none
};

} // namespace caf::rosia::engine
