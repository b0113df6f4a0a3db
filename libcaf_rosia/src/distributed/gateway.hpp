// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/network_runner.hpp"
#include "distributed/process_messages.hpp"
#include "distributed/value_frame.hpp"
#include "engine/topology.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/wired_graph.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_control_block.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// What nodes of one process exchange with those of others: messages, acks, and
/// entries of loops. All members may be called from any thread.
class gateway {
public:
  // -- member types -----------------------------------------------------------

  /// The gateway's own process.
  struct local {
    /// Lets a node look again at what it can do; on this thread if that is the
    /// network's, and `here`. @returns false if it has left already.
    std::function<bool(engine::node_id, bool here)> wake;

    /// These outlive it.
    caf::actor_system* system;
    network_runner* runner;

    /// The actor of this process, which sends the frames.
    caf::actor_addr self;

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
  /// @param peers by process; that of this one is invalid.
  gateway(std::uint64_t session, std::vector<process_handle> peers,
          const node_directory& nodes, const wired_graph& graph,
          std::uint32_t max_in_flight, local env);

  gateway(const gateway&) = delete;

  gateway& operator=(const gateway&) = delete;

  ~gateway();

  /// Finds the gateway of a process of this program; null if there is none. The
  /// gateway is not destroyed as long as the result is held.
  class lease {
  public:
    lease(std::uint64_t session, engine::process_id process);

    gateway* get() const noexcept {
      return found_;
    }

  private:
    std::shared_lock<std::shared_mutex> guard_;
    gateway* found_ = nullptr;
  };

  // -- from this process ------------------------------------------------------

  /// Sends a batch from a node of this process to one of another, and leaves
  /// `batch` empty.
  void send(engine::node_id from, engine::node_id to,
            std::vector<engine::envelope>& batch);

  /// A node of this process may go idle. Called at the end of each activation.
  /// @param owes_acks whether the engine wanted to wake a remote node.
  void note_idle(engine::node_id id, bool owes_acks);

  /// A node of this process has left in order: its senders need not wait.
  void note_exit(engine::node_id id);

  /// Stops all sending and receiving.
  void close();

  counts sent() const noexcept;

  // -- from other processes ---------------------------------------------------

  /// Takes a frame that has arrived.
  /// @param sender the actor of the process that it is from; may be null.
  void receive(value_frame& frame, const caf::strong_actor_ptr& sender);

  // -- for reading and writing frames -----------------------------------------

  /// The payloads that a connection to a node of this process brings; null if
  /// there is no such connection, or they cannot come from elsewhere.
  const engine::payload_type* payload_of(
    engine::node_id node, std::uint32_t index) const noexcept;

  /// A number for the type of a connection's payloads, the same in all
  /// processes. @param index that at the receiver.
  std::uint32_t type_mark(engine::node_id to,
                          std::uint32_t index) const noexcept;

  /// A value could not be written: the application has to be aborted. From
  /// any thread.
  /// @param index that of the connection at the receiver.
  void cannot_write(engine::node_id to, std::uint32_t index,
                    const std::string& why);

  /// Names a connection, and the type of its payloads.
  std::string describe(engine::node_id to, std::uint32_t index) const;

private:
  /// A connection from another process, as its receiver sees it.
  struct remote_link {
    std::uint32_t connection;
    engine::process_id source;
    engine::link* link;
    bool physical;
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
    process_handle handle;
    std::mutex mutex;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };

  void find_links();

  void find_loops(const std::vector<shared_loop_time_table*>& tables);

  using acks_by_process = std::map<engine::process_id, std::vector<link_ack>>;

  /// @param messages in it, of nodes.
  void post(engine::process_id to, value_frame&& frame, std::uint64_t messages);

  void send_acks(acks_by_process&& acks);

  /// Sends the batches that wait for the loop time table to be unlocked. Called
  /// with the table locked.
  void send_batches(split_loop& loop);

  /// Sends this process's entries of a loop to those that do not know them.
  void send_entries(split_loop& loop);

  /// Whether a frame is from the process that it names. If it is from another
  /// one of the application, that is blamed.
  bool check_sender(const value_frame& frame,
                    const caf::strong_actor_ptr& sender);

  /// Whether the other process may have sent this.
  bool check(const value_frame& frame);

  /// @returns why a connection does not allow this; empty if it does.
  std::string check_envelope(
    const value_frame& frame, const engine::envelope& message) const;

  /// Counts messages before they are sent.
  void count_sent(engine::node_id to,
                  const std::vector<engine::envelope>& batch);

  void apply_acks(const std::vector<link_ack>& acks);

  void put_into_inbox(value_frame& frame);

  void receive_in_loop(value_frame& frame);

  /// @returns whether one of them is in this process, and has not left.
  bool wake(const std::vector<engine::node_id>& nodes, bool here);

  void fail(engine::process_id from, std::string problem);

  std::uint64_t session_;
  const node_directory& nodes_;
  const engine::topology& graph_;
  const engine::topology::wiring& wiring_;
  std::uint64_t ack_distance_; // executed messages that make up an ack
  local env_;
  std::vector<peer> peers_;
  std::vector<std::unique_ptr<local_node>> local_nodes_; // by node; null
  std::vector<std::unique_ptr<split_loop>> loops_;       // by loop; null
  std::vector<std::uint32_t> type_marks_;                // by connection
  std::unique_ptr<std::atomic<std::uint64_t>[]> sent_;   // the same: messages
  std::mutex receiving_;
  bool closed_ = false; // protected by `receiving_`
  std::atomic<bool> failed_{false};
  std::atomic<std::uint64_t> messages_{0};
  std::atomic<std::uint64_t> frames_{0};
  std::atomic<std::uint64_t> without_messages_{0};
};

} // namespace caf::rosia::detail
