// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/process_link.hpp"
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
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// What nodes of one process exchange with those of others: messages, acks, and
/// entries of loops. All members may be called from any thread.
class gateway {
public:
  // -- member types -----------------------------------------------------------

  /// The gateway's own process.
  struct local {
    /// Lets a node look again at what it can do, because of so many messages
    /// that have come for it, or for which there is room again: on this thread
    /// if that is the network's, and they are few. @returns false if it has
    /// left already.
    std::function<bool(engine::node_id, std::size_t messages)> wake;

    /// So many are handled elsewhere.
    static constexpr std::size_t many = ~std::size_t{0};

    /// Outlives it.
    caf::actor_system* system;

    /// Values for nodes that have left. Outlives it.
    unexecuted_values* unexecuted;

    /// Where the connections find the gateway.
    std::shared_ptr<gateway_slot> slot;

    /// A frame of another process is invalid, or a frame for another process
    /// cannot be written. Called once.
    std::function<void(engine::process_id, std::string)> failed;
  };

  /// How much has been sent so far.
  struct counts {
    std::uint64_t messages = 0; // of nodes
    std::uint64_t frames = 0;
    std::uint64_t without_messages = 0; // of these
  };

  // -- constructors, destructors ----------------------------------------------

  /// @param nodes, graph outlive it.
  /// @param links by process; null for this one, and for those that nothing is
  ///        sent to.
  gateway(std::uint64_t session, std::vector<process_link_ptr> links,
          const node_directory& nodes, const wired_graph& graph,
          std::uint32_t max_in_flight, local env);

  gateway(const gateway&) = delete;

  gateway& operator=(const gateway&) = delete;

  ~gateway();

  // -- from this process ------------------------------------------------------

  /// Writes a batch from a node of this process to one of another, and leaves
  /// `batch` empty. It is sent with the next `flush`. If a value of it cannot
  /// be written, nothing is sent from then on, and the application is aborted.
  void send(engine::node_id from, engine::node_id to,
            std::vector<engine::envelope>& batch);

  /// See `session::note_restored`.
  void note_restored(std::uint32_t connection, std::uint64_t count);

  /// A node of this process may go idle. Called at the end of each activation.
  /// @param owes_acks whether the engine wanted to wake a remote node.
  void note_idle(engine::node_id id, bool owes_acks);

  /// A node of this process has left in order: its senders need not wait.
  void note_exit(engine::node_id id);

  /// Sends what was written since the last time, by whatever thread.
  void flush();

  /// Once it has returned, frames of other processes are dropped.
  void close();

  counts sent() const noexcept;

  // -- from other processes ---------------------------------------------------

  /// Takes a frame in that has arrived, one after the other: see
  /// `frame_receiver`.
  void receive(const caf::node_id& sender, std::string_view bytes,
               worker& unit);

private:
  /// A connection from another process, as its receiver sees it.
  struct remote_link {
    std::uint32_t connection;
    engine::process_id source;
    engine::link* link;
    bool physical;
    bool in_loop;            // of which both ends are members
    std::uint64_t acked = 0; // messages, to the sender
    std::atomic<std::uint64_t> arrived{0};
    std::atomic<std::uint64_t> ack_request{0}; // up to this message
    logical_time last = never;                 // the tag of the last arrival
  };

  /// A loop whose members live in several processes.
  struct split_loop;

  /// A node of this process.
  struct local_node {
    std::vector<std::unique_ptr<remote_link>> links;
    std::vector<remote_link*> by_input; // by incoming connection; null
    split_loop* loop = nullptr;
    bool physical = false; // some of the links are
  };

  struct peer {
    process_link_ptr link; // may be null
    caf::node_id name;
    std::mutex mutex;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };

  void find_links();

  void find_loops(const std::vector<shared_loop_time_table*>& tables);

  using acks_by_process = std::map<engine::process_id, std::vector<link_ack>>;

  /// Completes a frame, and adds it to what is to be sent.
  /// @param messages in it, of nodes.
  void post(engine::process_id to, value_frame& frame, const frame_news& news,
            std::uint64_t messages);

  /// The same without a batch.
  void post(engine::process_id to, const frame_news& news);

  void post_acks(acks_by_process&& acks);

  /// Keeps a frame with this batch until the loop time table is unlocked.
  void hold(split_loop& loop, value_frame&& frame, engine::node_id to,
            const std::vector<engine::envelope>& batch);

  /// Posts the frames that wait for the loop time table to be unlocked. Called
  /// with the table locked.
  void post_frames(split_loop& loop);

  /// Posts this process's entries of a loop for those that do not know them.
  void post_entries(split_loop& loop);

  /// The other process that has this name in CAF's protocol; nothing if it is
  /// none of the application.
  std::optional<engine::process_id> process_of(const caf::node_id& name) const;

  /// Whether the other process may have sent this.
  /// @returns why not; empty if it may.
  std::string check(engine::process_id from, const frame_content& frame);

  /// @returns why a connection does not allow this bound request; empty if it
  ///          does.
  std::string check_request(engine::process_id from, engine::node_id to,
                            const engine::envelope& message) const;

  /// The same for any other message, which is noted.
  /// @param with_view whether it came with the view of a loop.
  static std::string check_message(
    engine::process_id from, local_node& to, bool with_view,
    const engine::envelope& message);

  std::string check_acks(engine::process_id from,
                         const std::vector<link_ack>& acks) const;

  /// Counts messages before they are sent.
  void count_sent(engine::node_id to,
                  const std::vector<engine::envelope>& batch);

  /// @param alone whether no messages have come with them.
  void apply_acks(const std::vector<link_ack>& acks, bool alone);

  void put_into_inbox(frame_content& frame);

  void receive_in_loop(engine::process_id from, frame_content& frame);

  frame_address address_to(engine::process_id to) const noexcept;

  /// @returns whether one of them is in this process, and has not left.
  bool wake(const std::vector<engine::node_id>& nodes, std::size_t messages);

  void fail(engine::process_id from, std::string problem);

  std::uint64_t session_;
  const node_directory& nodes_;
  const engine::topology& graph_;
  const engine::topology::wiring& wiring_;
  std::uint64_t ack_distance_; // executed messages that make up an ack
  local env_;
  frame_codec codec_;
  std::vector<peer> peers_;
  std::vector<std::unique_ptr<local_node>> local_nodes_; // by node; null
  std::vector<std::unique_ptr<split_loop>> loops_;       // by loop; null
  std::unique_ptr<std::atomic<std::uint64_t>[]>
    sent_;                          // messages, by connection
  frame_content content_;           // of the frame that is taken in
  std::atomic<bool> unsent_{false}; // something was added to a link
  std::atomic<bool> failed_{false};
  std::atomic<bool> incomplete_{false}; // something could not be written
  std::atomic<std::uint64_t> messages_{0};
  std::atomic<std::uint64_t> frames_{0};
  std::atomic<std::uint64_t> without_messages_{0};
};

} // namespace caf::rosia::detail
