// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/frame_link.hpp"
#include "distributed/frame_codec.hpp"
#include "distributed/gateway_slot.hpp"
#include "distributed/value_frame.hpp"
#include "engine/topology.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/unexecuted_values.hpp"
#include "runtime/wired_graph.hpp"

#include <caf/fwd.hpp>
#include <caf/node_id.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// Exchanges messages, acks and loop entries between the nodes of this process
/// and those of other processes. All members may be called from any thread.
///
/// The logical connections from one process to another, outside of loops, form
/// a *channel*. It carries the null messages of all of its connections, and
/// their bound requests in the other direction: connections with equal bounds
/// cost as much as one.
/// Tests: test/distributed/gateway_test.cpp,
/// test/distributed/channel_test.cpp,
/// test/distributed/value_frames_test.cpp,
/// test/distributed/processes_test.cpp.
class gateway {
public:
  // -- member types -----------------------------------------------------------

  /// The gateway's own process.
  struct local {
    /// Wakes a node, because this number of messages arrived for it, or has
    /// room at its receiver again. If there are few of them and this is the
    /// network thread, the node runs here.
    /// @returns false if the node left already.
    std::function<bool(engine::node_id, std::size_t messages)> wake;

    /// Returns whether a node must be woken for a promise that is in its inbox.
    std::function<bool(engine::node_id)> awaits_promises;

    /// Sentinel: run the node in the scheduler.
    static constexpr std::size_t many = ~std::size_t{0};

    /// Must outlive the gateway.
    caf::actor_system* system;

    /// Counts values for nodes that have left. Must outlive the gateway.
    unexecuted_values* unexecuted;

    /// The place where the connections look for the gateway.
    std::shared_ptr<gateway_slot> slot;

    /// Called once if a frame of another process is invalid, or a frame for
    /// another process cannot be written.
    std::function<void(engine::process_id, std::string)> failed;
  };

  /// The amount of data sent until now.
  struct counts {
    std::uint64_t messages = 0; // of nodes
    std::uint64_t frames = 0;
    std::uint64_t without_messages = 0; // the frames without messages
  };

  // -- constructors, destructors ----------------------------------------------

  /// @param nodes,graph must outlive this object.
  /// @param links by process; null for this process, and for those that receive
  ///        nothing.
  gateway(std::uint64_t session, std::vector<frame_link_ptr> links,
          const node_directory& nodes, const wired_graph& graph,
          std::uint32_t max_in_flight, local env);

  gateway(const gateway&) = delete;

  gateway& operator=(const gateway&) = delete;

  ~gateway();

  // -- from this process ------------------------------------------------------

  /// Writes a batch from a node of this process to a node of another process,
  /// and leaves `batch` empty. The next `flush` sends it. If a value cannot be
  /// written, nothing is sent any longer, and the application is aborted.
  void send(engine::node_id from, engine::node_id to,
            std::vector<engine::envelope>& batch);

  /// See `session::note_restored`.
  void note_restored(std::uint32_t connection, std::uint64_t count);

  /// Notes that a node of this process may go idle. Called at the end of each
  /// activation.
  /// @param owes_acks whether the engine requested to wake a remote node.
  void note_idle(engine::node_id id, bool owes_acks);

  /// Notes the regular exit of a node of this process: its senders need not
  /// wait.
  void note_exit(engine::node_id id);

  /// Sends everything written since the last call, by all threads.
  void flush();

  /// Returns when no frame is being handled. Later frames are dropped.
  void close();

  counts sent() const noexcept;

  // -- from other processes ---------------------------------------------------

  /// Handles a frame that arrived. Calls do not overlap, see `frame_receiver`.
  void receive(const caf::node_id& sender, std::string_view bytes,
               worker& unit);

private:
  /// A connection from another process, at its receiver.
  struct remote_link {
    /// Notes a message, except for its tag.
    /// @returns whether it may follow the previous ones.
    bool take(engine::envelope_kind kind) noexcept;

    std::uint32_t connection;
    engine::process_id source;
    engine::link* link;
    bool physical;
    bool in_loop;            // both ends are members of the same loop
    bool instant;            // may have values at the last tag
    std::uint64_t acked = 0; // messages acked to the sender
    std::atomic<std::uint64_t> arrived{0};
    std::atomic<std::uint64_t> ack_request{0}; // up to this message
    logical_time last = never;                 // the tag of the last arrival
    bool done = false;  // only a value at the last tag may arrive
    bool ended = false; // no value may arrive
  };

  /// A loop whose members are in several processes.
  struct split_loop;

  /// A node of this process.
  struct local_node {
    std::vector<std::unique_ptr<remote_link>> links;
    std::vector<remote_link*> by_input; // by incoming connection; null if local
    split_loop* loop = nullptr;
    bool physical = false; // some of the links are physical
  };

  /// The end of a connection in this process.
  struct local_end {
    engine::node_id node;
    std::uint32_t index; // of the connection at the node
  };

  struct peer {
    frame_link_ptr link; // may be null
    caf::node_id name;
    std::vector<local_end> to_peer;   // channel, by declaration
    std::vector<local_end> from_peer; // channel, by declaration
    std::uint64_t received = 0;
    std::mutex mutex; // protects the members below
    std::uint64_t sent = 0;
    // News for the next frame.
    std::vector<link_ack> acks;
    unsent_bounds promises; // of the channel to the peer
    unsent_bounds requests; // of the channel from the peer
  };

  /// `counts` while threads add to them.
  struct atomic_counts {
    std::atomic<std::uint64_t> messages{0};
    std::atomic<std::uint64_t> frames{0};
    std::atomic<std::uint64_t> without_messages{0};
  };

  void find_links();

  void find_channels();

  void find_loops(const std::vector<shared_loop_time_table*>& tables);

  /// Moves null messages and bound requests from a batch to the news for the
  /// receiver's process.
  void keep_bounds(engine::node_id to, std::vector<engine::envelope>& batch);

  /// Keeps an ack for the next frame.
  void keep_ack(engine::process_id to, const link_ack& ack);

  /// Completes a frame with the news for the process, and adds it to the unsent
  /// data.
  /// @param messages the number of nodes' messages in it.
  void post(engine::process_id to, value_frame& frame, frame_news news,
            std::uint64_t messages);

  /// Posts a frame without a batch.
  void post(engine::process_id to, frame_news news);

  /// Does what `post` does.
  /// @pre The peer's mutex is locked.
  void complete(peer& to, value_frame& frame, frame_news news,
                std::uint64_t messages);

  /// Adds the news for a process to the unsent data, if there are some.
  void post_news(engine::process_id to);

  /// Keeps a frame with this batch until the loop time table is unlocked.
  void hold(split_loop& loop, value_frame&& frame, engine::node_id to,
            const std::vector<engine::envelope>& batch);

  /// Posts the frames that wait for the loop time table to be unlocked. Called
  /// with the table locked.
  void post_frames(split_loop& loop);

  /// Posts this process's entries of a loop to the processes that lack them.
  void post_entries(split_loop& loop);

  /// Returns the process with this name in CAF's protocol; nothing if it does
  /// not belong to the application.
  std::optional<engine::process_id> process_of(const caf::node_id& name) const;

  /// Checks whether the other process may have sent this frame.
  /// @returns why not; empty if it may.
  std::string check(engine::process_id from, const frame_content& frame);

  /// @param connections the number of connections in the channel.
  static std::string check_ranges(
    const std::vector<bound_range>& ranges, std::size_t connections);

  /// Checks a message, and notes its tag.
  /// @param with_view whether its frame has the view of a loop.
  static std::string check_message(
    engine::process_id from, local_node& to, bool with_view,
    const engine::envelope& message);

  std::string check_acks(engine::process_id from,
                         const std::vector<link_ack>& acks) const;

  /// Counts messages before they are sent.
  void count_sent(engine::node_id to,
                  const std::vector<engine::envelope>& batch);

  /// @param alone whether the frame has acks, and no messages.
  void apply_acks(const std::vector<link_ack>& acks, bool alone);

  void put_into_inbox(frame_content& frame);

  /// Puts null messages or bound requests into the inboxes of the nodes of a
  /// channel, and lists the nodes to be woken.
  /// @param channel the ends of its connections in this process.
  void deliver(const std::vector<bound_range>& ranges,
               const std::vector<local_end>& channel,
               engine::envelope_kind kind);

  /// Does so for one node.
  void deliver(engine::node_id to, std::vector<engine::envelope>& batch);

  void receive_in_loop(engine::process_id from, frame_content& frame);

  frame_address address_to(engine::process_id to) const noexcept;

  /// @returns whether one of the nodes is in this process and running.
  bool wake(const std::vector<engine::node_id>& nodes, std::size_t messages);

  void fail(engine::process_id from, std::string problem);

  std::uint64_t session_;
  const node_directory& nodes_;
  const wired_graph& graph_;
  std::uint64_t ack_distance_; // executed messages that make up an ack
  local env_;
  frame_codec codec_;
  std::vector<peer> peers_;
  std::vector<std::unique_ptr<local_node>> local_nodes_; // by node; null
  std::vector<std::unique_ptr<split_loop>> loops_;       // by loop; null
  std::unique_ptr<std::atomic<std::uint64_t>[]>
    sent_;                                // messages, by connection
  std::vector<std::uint32_t> in_channel_; // index there, by connection
  std::vector<std::pair<engine::node_id, std::size_t>>
    woken_; // by the frame being handled, with the numbers of messages
  frame_content content_;           // of the frame being handled
  std::atomic<bool> unsent_{false}; // something was added to a link
  std::atomic<bool> failed_{false};
  std::atomic<bool> incomplete_{false}; // a value could not be written
  atomic_counts counts_;
};

} // namespace caf::rosia::detail
