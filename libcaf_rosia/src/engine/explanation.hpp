// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/connection.hpp"
#include "engine/node_config.hpp"
#include "engine/node_parts.hpp"
#include "engine/snapshot.hpp"

#include <algorithm>
#include <optional>

namespace caf::rosia::engine {

/// Explains to an observer why a started node executes nothing. Reads the node
/// while no other thread calls it, and changes nothing. Tests:
/// test/engine/snapshot_test.cpp.
class explanation {
public:
  /// @param next the node's next tag.
  explanation(const node_parts& parts, logical_time next) noexcept
    : parts_(&parts), next_(next),
      goal_(std::min(next, parts.bounds.barrier().final())) {
    // nop
  }

  /// Returns the reason why the node cannot execute its next tag or, if there
  /// is none, cannot leave.
  blocker find() const;

private:
  /// Returns the reason without those of other nodes of a loop without delay;
  /// of kind `none` if there is none.
  blocker find_own() const;

  /// Returns the node of the node's loop without delay for which the loop waits
  /// [10.1.6].
  blocker node_of_instant_loop() const;

  std::optional<blocker> end_of_application() const;

  std::optional<blocker> upstream() const;

  /// Returns the sender for which the node waits before it leaves, because it
  /// may still send tardy values [10.10.2].
  std::optional<blocker> late_sender() const;

  /// Returns the sender for which the node waits at the last tag [10.6.6].
  std::optional<blocker> sender_at_last_tag() const;

  /// @param holder the member of the loop that blocks the node; the node itself
  ///   if it is unknown.
  std::optional<blocker> member_of_group(logical_time bound) const;

  blocker member_of_loop(node_id holder, logical_time bound) const;

  /// Returns the source of physical values, which only elapsed time bounds.
  blocker source_of_physical() const;

  /// Returns the earliest expiry of a watchdog; `forever` if none runs, or if
  /// the node waits for values as well.
  logical_time next_expiry() const noexcept;

  /// Returns the connection over which a member of the loop blocks the node;
  /// null if finding it needs a search.
  const in_connection* input_towards(node_id holder) const;

  const node_config& config() const noexcept {
    return parts_->config;
  }

  const node_parts* parts_;
  logical_time next_;

  // LBTS must exceed this: the next tag, but at most the final tag, after which
  // the node leaves.
  logical_time goal_;
};

} // namespace caf::rosia::engine
