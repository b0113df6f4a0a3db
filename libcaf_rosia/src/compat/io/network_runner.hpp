// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/claimable.hpp"
#include "compat/scheduler_worker.hpp"

#include <caf/fwd.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace caf::io::network {

class multiplexer;

} // namespace caf::io::network

namespace caf::rosia::detail {

/// Runs actors, the nodes, on the thread of CAF's middleman that has read a
/// message for them: to wake another thread takes longer than all else that
/// such a message needs. The network does not wait for their code: if it runs
/// for longer than a moment, a thread of this object reads and writes in place
/// of the one that is busy, until that is back. A node whose code takes its
/// time runs in CAF's scheduler, as always.
///
/// The `thread_id` of CAF's loop tells which thread is the network's. All
/// threads compare it with their own id, without a lock; only the one that has
/// set it finds them equal. ThreadSanitizer, with a CAF that is built for it,
/// reports these reads as a race.
class network_runner : public std::enable_shared_from_this<network_runner> {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @pre The system has a middleman, and outlives this.
  network_runner(caf::actor_system& sys, std::size_t nodes);

  network_runner(const network_runner&) = delete;

  network_runner& operator=(const network_runner&) = delete;

  ~network_runner();

  // -- running ----------------------------------------------------------------

  /// Makes sure that a node runs, and looks again at what it can do: soon and
  /// on this thread, if this is the network's and does not run a node yet; else
  /// in the scheduler.
  /// @param messages how many it may have to handle.
  void wake(std::size_t node, claimable& x, std::size_t messages);

  /// Runs nothing any more. @pre All nodes have left. Not called by a node.
  void close();

private:
  /// What the network's thread is doing, as far as it matters here.
  enum class state : std::uint8_t {
    /// It reads and writes, or waits.
    network,
    /// It runs a node, and may be replaced.
    node,
    /// It runs a node, and is replaced.
    replaced,
    /// It has run a node, and comes back.
    returning,
  };

  /// Whether a node takes its time.
  struct rating {
    /// How often it has to run elsewhere, and how often the next time.
    std::uint16_t left = 0;
    std::uint16_t next = 0;

    /// How often it is measured more exactly.
    std::uint16_t doubts = 0;
  };

  bool on_network_thread() const noexcept;

  void post_run();

  void run();

  void run_node(claimable& x);

  /// @param quick what it may take without being rated as slow.
  void run_rated(claimable& x, rating& its, std::chrono::nanoseconds quick);

  void watch_me();

  /// @returns whether there was a thread to be had.
  bool start_watcher();

  void come_back();

  /// The code of this object's own thread.
  void watch();

  void replace(std::unique_lock<std::mutex>& guard);

  caf::actor_system& system_;
  caf::io::network::multiplexer& net_;
  const bool puts_off_;     // as the loop is CAF's
  scheduler_worker worker_; // for nodes that wake others

  // For the network's thread only.
  claimable* next_ = nullptr;
  std::size_t next_node_ = 0;
  std::size_t next_messages_ = 0;
  bool has_watcher_ = false;
  bool put_off_ = false;        // once
  std::vector<rating> ratings_; // by node

  std::atomic<state> state_{state::network};
  std::atomic<std::uint64_t> runs_{0};
  std::atomic<bool> watched_{false};
  std::atomic<bool> back_{false}; // the network's thread wants to go on
  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  std::condition_variable changed_; // `watched_` or `closed_`
  std::thread watcher_;             // started when it is needed
};

} // namespace caf::rosia::detail
