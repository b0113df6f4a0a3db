// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/checkpointing.hpp"
#include "nodes/saved_data.hpp"
#include "runtime/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace caf::rosia::detail {

/// A node's part of a checkpoint, in memory.
struct saved_part {
  engine::saved_node node;
  saved_data data;
};

/// The checkpoints of a process that are not written yet: collects their parts
/// from what the nodes save. Nodes are numbered within the process. Tests:
/// test/application/checkpoint_test.cpp.
class checkpoint_targets {
public:
  /// The number of planned checkpoints kept in memory while the disk is slow.
  static constexpr std::size_t most_ahead = 4;

  using part_pointer = std::shared_ptr<const saved_part>;

  /// A checkpoint that will be written.
  struct target {
    logical_time tag;
    checkpoint_command::kind type;
    std::size_t missing = 0;
    std::vector<part_pointer> parts; // by local node
    bool awaits_time = false;        // a call at physical time is scheduled

    /// Indexes of the `parts` whose node has a reaction that yielded.
    std::vector<std::size_t> waiting = {};
  };

  /// @param every the interval of planned checkpoints; 0 if there are none.
  /// @param after the tag from which the run starts.
  checkpoint_targets(std::size_t nodes, std::int64_t every, logical_time after);

  /// Returns the tag that a node saved last; `never` if there is none.
  logical_time last_of(std::size_t node) const;

  /// Adds what a node saved to the checkpoints at whose tags it holds.
  /// @returns its former part.
  part_pointer save(std::size_t node, const part_pointer& part);

  /// Adds a checkpoint, unless it exists.
  /// @returns the tag that the nodes have reached, if they are past it.
  std::optional<logical_time> add(
    logical_time tag, checkpoint_command::kind type);

  /// Returns the checkpoints that the coordinator requested, ascending.
  std::vector<target>& all() noexcept {
    return all_;
  }

  /// Removes the checkpoint at a tag.
  void remove(logical_time tag);

  /// Removes the checkpoints after a tag, and plans no further ones.
  void end_at(logical_time tag);

private:
  /// Starts to collect the parts of planned checkpoints before the coordinator
  /// requests them, because nodes may be past them by then.
  void plan_ahead();

  /// Adds a part to a checkpoint, if the part holds at the checkpoint's tag.
  static void give(target& to, std::size_t node, const part_pointer& part);

  /// Returns a checkpoint with those parts that were saved last and fit.
  target make(logical_time tag, checkpoint_command::kind type) const;

  /// Returns the highest tag of the nodes' last parts; `never` if there is
  /// none.
  logical_time furthest() const;

  /// Inserts a checkpoint in the order of tags.
  void insert(target x);

  std::int64_t every_;
  std::vector<part_pointer> latest_; // by node
  std::vector<target> all_;          // ascending
  std::deque<target> ahead_;         // planned ones that were not requested yet
  logical_time next_planned_;
};

} // namespace caf::rosia::detail
