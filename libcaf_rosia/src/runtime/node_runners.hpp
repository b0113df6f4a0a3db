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

/// Creates, starts, observes and aborts the runners of this process's nodes.
/// Tests: test/application.
class node_runners {
public:
  /// @param run must outlive this object.
  explicit node_runners(run_context& run) noexcept : run_(&run) {
    // nop
  }

  // -- from start to end, from the thread that runs the application -----------

  /// Creates the runners and executors of the nodes, which wait for their
  /// start.
  /// @param run the context of this object.
  void make(const std::shared_ptr<run_context>& run);

  /// Starts the nodes. From now on, physical actions wake them; before, the
  /// nodes were not ready to run.
  void start();

  /// Allows observations of the nodes, until `close`.
  void open();

  void close();

  // -- properties, from any thread --------------------------------------------

  /// Returns whether a node waits for physical time, or may do so in another
  /// process. Set by `make`.
  bool follows_clock() const noexcept {
    return follows_clock_;
  }

  // -- observing, from any thread ---------------------------------------------

  /// Observes the nodes. Waits a short time for those that are busy.
  std::shared_ptr<observation> observe();

  /// Calls `fun` for each remaining node, unless observations are not allowed.
  template <class Fun>
  void for_each(Fun&& fun) {
    std::lock_guard guard{mutex_};
    if (!open_)
      return;
    for (auto id : run_->nodes().local())
      if (!run_->progress().stages.has_left(id))
        fun(id, run_->actors().runner_at(id));
  }

  /// Creates an observation without the state of any node.
  std::shared_ptr<observation> new_observation() const;

  // -- ending, from the actor that ends them ----------------------------------

  /// Counts the progress of this process's nodes toward the final tag since
  /// the last call. @returns the sum of all calls.
  std::uint64_t count_progress(logical_time final);

  /// Records the states of the nodes that are not running. Called before
  /// `abort`: each running node adds its state when it is aborted.
  void prepare_last_report();

  /// Aborts all nodes.
  void abort();

private:
  /// Puts the nodes into executors.
  void make_executors(const std::shared_ptr<run_context>& run);

  engine::initial_config configure(engine::node_id id) const;

  /// Returns whether the state of a node of this process is missing, although
  /// the node did not leave.
  bool awaits(const observation& nodes) const;

  run_context* run_;
  bool follows_clock_ = false;
  engine::progress_count progress_;
  std::mutex mutex_;  // protects the member below
  bool open_ = false; // the nodes may be observed
};

} // namespace caf::rosia::detail
