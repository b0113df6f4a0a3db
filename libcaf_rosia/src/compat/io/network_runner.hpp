// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/claimable.hpp"
#include "compat/scheduling.hpp"

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

/// Runs nodes on the thread of CAF's middleman that read a message for them,
/// because waking another thread would dominate the cost of a message. The
/// network does not wait for their code: if a node runs for too long, a thread
/// of this object replaces the network's thread until the node returns. A slow
/// node runs in CAF's scheduler, as usual.
///
/// The `thread_id` of CAF's loop identifies the network's thread. All threads
/// compare it with their ids, without a lock. Only the thread that set it finds
/// the ids equal. ThreadSanitizer, with a CAF that is built for it, reports
/// these reads as a race. Tests: test/distributed/network_runner_test.cpp.
class network_runner : public std::enable_shared_from_this<network_runner> {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @pre The system has a middleman, and outlives this object.
  network_runner(caf::actor_system& sys, std::size_t nodes);

  network_runner(const network_runner&) = delete;

  network_runner& operator=(const network_runner&) = delete;

  ~network_runner();

  // -- running ----------------------------------------------------------------

  /// Schedules a node, which then checks what it can do. If this is the
  /// network's thread and no node is waiting on it, the node runs here soon;
  /// otherwise, in the scheduler.
  /// @param messages number of messages for it.
  void wake(std::size_t node, claimable& x, std::size_t messages);

  /// Stops running nodes. @pre All nodes left. Not called by a node.
  void close();

private:
  /// The activity of the network's thread.
  enum class state : std::uint8_t {
    /// It reads and writes, or waits.
    network,
    /// It runs a node, and may be replaced.
    node,
    /// It runs a node, and is replaced.
    replaced,
    /// The node returned, and the thread takes over again.
    returning,
  };

  /// The next run on the network's thread.
  struct planned_run {
    claimable* code = nullptr; // null if none
    std::size_t node = 0;
    std::size_t messages = 0;
    bool put_off = false; // once
  };

  /// The history of a node's speed.
  struct rating {
    /// Number of runs left in the scheduler, and number of runs of the next
    /// penalty.
    std::uint16_t left = 0;
    std::uint16_t next = 0;

    /// Number of runs left with an exact measurement.
    std::uint16_t doubts = 0;
  };

  bool on_network_thread() const noexcept;

  void post_run();

  void run();

  void run_node(claimable& x);

  /// @param quick maximum duration of a run that is not rated as slow.
  void run_rated(claimable& x, rating& assessed,
                 std::chrono::nanoseconds quick);

  void watch_me();

  /// @returns whether a thread could be created.
  bool start_watcher();

  void come_back();

  /// Runs on this object's thread.
  void watch();

  void replace(std::unique_lock<std::mutex>& guard);

  caf::actor_system& system_;
  caf::io::network::multiplexer& net_;
  const bool puts_off_;     // because the loop is CAF's
  scheduler_worker worker_; // for nodes that wake other nodes

  // For the network's thread only.
  planned_run next_;
  bool has_watcher_ = false;
  std::vector<rating> ratings_; // by node

  std::atomic<state> state_{state::network};
  std::atomic<std::uint64_t> runs_{0};
  std::atomic<bool> watched_{false};
  std::atomic<bool> back_{false}; // the network's thread wants to take over
  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  std::condition_variable changed_; // `watched_` or `closed_`
  std::thread watcher_;             // started on demand
};

} // namespace caf::rosia::detail
