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

/// What blocks a node.
enum class blocker_kind : std::uint8_t {
  /// Nothing: it goes on as soon as somebody runs it.
  none,
  /// Its `start()` has not run yet.
  start,
  /// It has failed.
  failure,
  /// The sender of `connection` has promised nothing beyond `bound`.
  input,
  /// The member `node` of its loop may still cause something at `bound`, over
  /// `connection` if that is clear; the node itself, if a message is under
  /// way to it.
  loop,
  /// It has answered that it stops at `bound`, and waits for the final tag.
  agreement,
  /// Physical time has to pass `bound`.
  clock,
  /// The receiver of `connection` has too much to execute before it.
  receiver,
  /// Values from outside of the application may come.
  outside,
  /// The sender of the physical `connection` has not ended.
  sender,
};

/// What keeps a node from executing its next tag; or, if none is queued, from
/// leaving.
struct blocker {
  static constexpr std::uint32_t no_connection = ~std::uint32_t{0};

  blocker_kind kind = blocker_kind::none;
  std::uint32_t connection = no_connection; // by declaration
  node_id node = 0;
  logical_time bound = never;
};

/// A node's state, for an observer.
struct snapshot {
  struct queue {
    std::uint32_t input;
    std::size_t size;
  };

  activity doing;
  logical_time logical{};    // the last tag that was executed
  logical_time stat{};       // safe to advance to
  logical_time next{};       // the earliest tag that is queued
  logical_time final{};      // the final tag, `forever` until it is known
  blocker held_back;         // at the time
  std::vector<queue> queues; // of inputs that have something queued
  std::size_t outside = 0;   // values from outside, and of physical connections
  std::size_t yielded = 0;   // reactions that wait for their tag
  std::size_t scheduled = 0; // events that wait for their tag
};

} // namespace caf::rosia::engine
