// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "engine/topology.hpp"
#include "runtime/executor.hpp"
#include "runtime/grouping.hpp"
#include "runtime/shared_loop_time_table.hpp"

#include <caf/intrusive_ptr.hpp>

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

class run_context;

/// All executors of a run. They are kept until its end, and those without nodes
/// are reused. Tests: test/application/groups_test.cpp.
class executors {
public:
  // -- constructors -----------------------------------------------------------

  /// @param nodes the number of nodes.
  /// @param workers the number of threads that run them.
  executors(std::size_t nodes, std::size_t workers);

  // -- properties -------------------------------------------------------------

  /// Returns the number of threads that run nodes.
  std::size_t workers() const noexcept {
    return workers_;
  }

  /// Returns the size of a node's loop; 0 if it is in none, or if some members
  /// are in other processes.
  std::size_t loop_size(engine::node_id node) const noexcept {
    return loop_sizes_[node];
  }

  // -- before the start -------------------------------------------------------

  /// Sets the rules by which nodes are executed together.
  void rules(grouping x) {
    rules_ = std::move(x);
  }

  const grouping& rules() const noexcept {
    return rules_;
  }

  /// Sets the maximal numbers of nodes in a group.
  void limit(const group_limits& x) noexcept {
    limits_ = x;
  }

  const group_limits& limits() const noexcept {
    return limits_;
  }

  /// Sets whether physical time calls the nodes of this process.
  void follow_clock(bool x) noexcept {
    follows_clock_ = x;
  }

  bool follows_clock() const noexcept {
    return follows_clock_;
  }

  /// Finds the loops whose members are all in this process.
  void find_loops(const engine::topology& graph,
                  std::span<const engine::node_id> local);

  /// Makes an executor without nodes.
  executor& make(const std::shared_ptr<run_context>& run,
                 node_exchange exchange);

  // -- while nodes move, from any thread --------------------------------------

  /// Finds an executor without nodes, or makes one. The caller has its token.
  executor& take(const std::shared_ptr<run_context>& run,
                 node_exchange exchange);

  /// Makes an executor that has no nodes available for `take`.
  void give_back(executor& x);

  /// Makes a loop time table for a loop that is divided.
  engine::loop_time_table& make_table(
    std::vector<engine::node_id> nodes, std::vector<delay> distances,
    const std::vector<bool>& clocked);

  // -- afterwards -------------------------------------------------------------

  /// Releases all executors, because they keep the run alive.
  void release();

  // -- for observers ----------------------------------------------------------

  /// Records the group that executes a node.
  /// @param first the first node of the group; none if the node is alone.
  /// @returns whether the group changed.
  bool note_group(engine::node_id node, std::optional<engine::node_id> first);

  /// Returns the first node of the group that executes a node, or executed it
  /// last; none if the node is alone. From any thread.
  std::optional<engine::node_id> first_of_group(engine::node_id node) const;

private:
  static constexpr auto alone = std::numeric_limits<engine::node_id>::max();

  executor& add(const std::shared_ptr<run_context>& run,
                node_exchange exchange);

  const std::size_t workers_;
  grouping rules_;
  group_limits limits_;
  bool follows_clock_ = false;
  std::vector<std::uint32_t> loop_sizes_;            // by node
  std::vector<std::atomic<engine::node_id>> groups_; // by node
  std::mutex mutex_; // protects the members below
  std::vector<caf::intrusive_ptr<executor>> all_;
  std::vector<executor*> without_nodes_;
  std::vector<std::unique_ptr<shared_loop_time_table>> tables_;
};

} // namespace caf::rosia::detail
