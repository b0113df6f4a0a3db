// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/progress_count.hpp"
#include "runtime/grouping.hpp"
#include "runtime/run_context.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace caf::rosia::detail {

/// What runs the nodes of this process: starts, observes and aborts them.
class node_runners {
public:
  /// @param run outlives it.
  explicit node_runners(run_context& run) noexcept : run_(&run) {
    // nop
  }

  // -- from start to end, from the thread that runs the application -----------

  /// Makes what runs the nodes, which wait for their start.
  /// @param run the context of this object.
  void make(const std::shared_ptr<run_context>& run);

  /// Starts the nodes. From here on physical actions wake them; not before,
  /// when they were not ready to run.
  void start();

  /// From here on the nodes may be observed, until `close`.
  void open();

  void close();

  // -- properties, from any thread --------------------------------------------

  /// Tells whether a node waits for physical time, or may do so elsewhere. Set
  /// by `make`.
  bool follows_clock() const noexcept {
    return follows_clock_;
  }

  // -- observing, from any thread ---------------------------------------------

  /// Observes the nodes; waits for those that are busy, but not for long.
  std::shared_ptr<observation> observe();

  /// Calls `fun` for each node that has not left, unless they may not be
  /// observed.
  template <class Fun>
  void for_each(Fun&& fun) {
    std::lock_guard guard{mutex_};
    if (!open_)
      return;
    for (auto id : run_->nodes().local())
      if (!run_->progress().stages.has_left(id))
        fun(id, run_->runner_at(id));
  }

  /// One of which no node's state is known yet.
  std::shared_ptr<observation> new_observation() const;

  // -- ending, from the actor that ends them ----------------------------------

  /// Counts the progress of this process's nodes toward the final tag since
  /// the last call. @returns the sum of all calls.
  std::uint64_t count_progress(logical_time final);

  /// Records the states of the nodes that nobody runs. Called before `abort`:
  /// each of the others adds its state when it is told to leave.
  void prepare_last_report();

  /// All nodes have to leave at once.
  void abort();

private:
  /// Puts the nodes into executors.
  void make_executors(const std::shared_ptr<run_context>& run,
                      std::span<const executed_nodes> together);

  engine::initial_config configure(engine::node_id id) const;

  /// Tells whether the state of a node of this process is missing, and the node
  /// has not left.
  bool awaits(const observation& nodes) const;

  run_context* run_;
  bool follows_clock_ = false;
  engine::progress_count progress_;
  std::mutex mutex_;  // protects what follows
  bool open_ = false; // the nodes may be observed
};

} // namespace caf::rosia::detail
