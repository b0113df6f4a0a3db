// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/activity.hpp"
#include "engine/connection.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace caf::rosia::engine {

enum class blocker_kind : std::uint8_t {
  /// None: the node continues as soon as it is called.
  none,
  /// Its `start()` was not called yet.
  start,
  /// The node failed.
  failure,
  /// The sender of `connection` promised nothing beyond `bound`.
  input,
  /// The member `node` of its loop may still cause a message at `bound`, over
  /// `connection` if that is known. `node` is the blocked node itself if a
  /// message is in transit to it.
  loop,
  /// The node answered that it stops at `bound`, and waits for the final tag.
  agreement,
  /// The node waits until physical time exceeds `bound`.
  clock,
  /// The receiver of `connection` has too many messages to execute.
  receiver,
  /// Values from outside of the application may arrive.
  outside,
  /// The sender of the physical `connection` has not ended.
  sender,
  /// The sender of `connection` may still send a value at the last tag
  /// [10.6.6].
  last_tag,
  /// The node is done, and waits for the final tag [10.6.4].
  end,
};

/// The reason why a node cannot execute its next tag or, if there is none,
/// cannot leave. `explanation` finds it; `detail::describe_node` translates it
/// to a `rosia::blocker` and names.
struct blocker {
  static constexpr std::uint32_t no_connection = ~std::uint32_t{0};

  blocker_kind kind = blocker_kind::none;
  std::uint32_t connection = no_connection; // in the order of declaration
  node_id node = 0;
  logical_time bound = never;
};

/// The state of a node, for an observer. Tests: test/engine/snapshot_test.cpp.
struct snapshot {
  struct queue {
    std::uint32_t input;
    std::size_t size;
  };

  activity doing;
  logical_time logical{};    // the last tag that was executed
  logical_time stat{};       // safe to advance to
  logical_time next{};       // the earliest queued tag
  logical_time final{};      // the final tag; `forever` while it is unknown
  blocker held_back;         // at the time of the snapshot
  std::vector<queue> queues; // of inputs with queued messages
  std::size_t outside = 0;   // values from outside and of physical connections
  std::size_t yielded = 0;   // suspended reactions
  std::size_t scheduled = 0; // scheduled events
  std::size_t suspended = 0; // events and reactions of inactive modes
};

} // namespace caf::rosia::engine
