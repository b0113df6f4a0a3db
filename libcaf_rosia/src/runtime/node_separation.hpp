// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/loop_division.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace caf::rosia::detail {

class executor;
class node_runner;

/// Moves nodes of an executor to separate executors: heavy nodes, newcomers,
/// and the parts of a loop. Used with the executor's token. Tests:
/// test/application/groups_test.cpp.
class node_separation {
public:
  /// @param self the owner of this object.
  explicit node_separation(executor& self) : self_(self) {
    // nop
  }

  /// Separates nodes, if there is a reason. @returns whether the nodes must be
  /// called again.
  bool separate();

  /// Lets the nodes, which begin as a group, leave it if the first call takes
  /// long: each of them then executes its first tag alone.
  void begin_trial() noexcept {
    is_on_trial_ = true;
  }

private:
  /// The progress of the nodes.
  struct reached {
    std::uint64_t tags = 0;
    std::int64_t ns = 0; // of logical time
  };

  bool wants_division() noexcept;

  /// Divides a loop between executors, after nodes outside of the loop moved to
  /// a separate executor. @returns whether the nodes must be called again.
  bool divide();

  /// Stores the progress of the nodes. @returns the progress stored before.
  reached note_reached() noexcept;

  /// Returns the maximal number of parts of a loop that would work long enough,
  /// between two waits for each other, to outweigh the cost of their calls.
  /// @param last the progress before the last tags.
  std::size_t affordable_parts(
    const engine::loop_division& division, const reached& last) const noexcept;

  /// Makes all nodes leave the group before they execute tags, if those of the
  /// first call were heavy.
  void end_trial();

  /// Returns the nodes that must be executed alone.
  std::vector<node_runner*> find_heavy();

  /// Returns two random nodes, on average, in one of four calls, and none
  /// otherwise.
  std::vector<node_runner*> find_any();

  /// Moves nodes that executed nothing to separate executors.
  void split_newcomers();

  /// Moves heavy nodes to separate executors.
  void split_heavy(std::span<node_runner* const> leaving);

  /// Moves nodes to other executors: to as many as `count`, which is 1 or the
  /// number of nodes.
  /// @returns these executors, which are not scheduled yet.
  std::vector<executor*> split(
    std::span<node_runner* const> leaving, std::size_t count);

  /// Moves the nodes of other groups to the executors of these groups. @pre The
  /// executors have no nodes so far, and the caller has their tokens.
  void hand_over(std::span<executor* const> others);

  executor& self_;
  reached reached_; // when a division was last considered
  bool is_on_trial_ = false;
};

} // namespace caf::rosia::detail
