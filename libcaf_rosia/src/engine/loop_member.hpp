// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/node_config.hpp"
#include "engine/node_context.hpp"

#include <memory>
#include <optional>

namespace caf::rosia::engine {

/// A node's membership in a loop, if any. Caches the loop time table's answers,
/// so that few calls lock it. Tests: test/engine/loop_rules_test.cpp.
class loop_member {
public:
  void init(const node_config& config) {
    if (config.loop_time_table != nullptr)
      known_ = std::make_unique<knowledge>();
  }

  // -- properties -------------------------------------------------------------

  /// Returns whether there is a loop, and it is not suspended. All functions
  /// except properties require a loop.
  bool exists() const noexcept {
    return known_ && !known_->suspended;
  }

  /// Returns whether all members of the node's loop are in its group.
  bool suspended() const noexcept {
    return known_ && known_->suspended;
  }

  /// Returns whether the node's group is one member of the table.
  bool shared() const noexcept {
    return known_ && known_->shared;
  }

  /// Returns the node's LBTS in the loop as last read; `forever` without a
  /// loop.
  logical_time bound() const noexcept {
    return known_ ? known_->bound : forever;
  }

  /// Returns whether the loop was done when it was last read: all entries were
  /// `forever`.
  bool ended() const noexcept {
    return known_ && known_->ended;
  }

  /// Returns whether the node's wait is registered in the table.
  bool waits() const noexcept {
    return known_ && known_->waits;
  }

  /// Returns the elapsed time of the node that is published with its entry.
  logical_time published_clock() const noexcept {
    return known_->clock;
  }

  // -- groups -----------------------------------------------------------------

  /// Stops the use of the table. The node's entry in it stays.
  void suspend(const node_config& config);

  /// Uses the table again. Called after all members updated their entries.
  void resume() noexcept {
    known_->suspended = false;
    known_->bound = logical_time{};
  }

  /// Sets whether the loop is done. Called when all members are in the node's
  /// group.
  void set_ended(bool ended) noexcept {
    known_->ended = ended;
  }

  /// Uses the table again, of which the node's group is one member from now
  /// on.
  void share() noexcept {
    resume();
    known_->shared = true;
  }

  /// Sets what the group has read from the table. @pre `shared()`
  void set(logical_time bound, bool ended) noexcept {
    known_->bound = bound;
    known_->ended = ended;
  }

  // -- elapsed time -----------------------------------------------------------

  /// Publishes elapsed time with the node's next entry, or the expiry of a
  /// watchdog, which code may move.
  void publish_clock(logical_time now) noexcept {
    known_->clock = now;
  }

  // -- calls without the lock -------------------------------------------------

  /// Drains the node's inbox into the scratch's mail.
  void drain(node_context& context);

  /// Reads the node's bound from the table.
  void refresh(const node_config& config);

  /// Leaves the loop. An aborted node's entry stays.
  void leave(node_context& context, bool aborted);

  /// Keeps the loop from being done although an aborted node is about to drop
  /// its events.
  /// @param last the last tag that the node executed.
  void keep_active(const node_config& config, logical_time last);

  // -- calls with the lock ----------------------------------------------------

  /// Reads the node's bound from the table.
  /// @pre The table is locked.
  void refresh_locked(const node_config& config);

  /// Sets the node's earliest tag, and lists the nodes to wake.
  /// @pre The table is locked.
  void update(node_context& context, logical_time earliest);

  /// Registers that the node waits for a bound greater than this, and lists the
  /// nodes to wake. Does not wait if the bound is greater already, or without a
  /// bound.
  /// @pre The table is locked.
  void wait(node_context& context, const std::optional<logical_time>& bound);

  /// Returns the bound that other members wait for; `forever` if none waits.
  /// @pre The table is locked.
  logical_time requested_bound(const node_config& config) const;

private:
  struct knowledge {
    logical_time bound{};
    logical_time clock{};
    bool suspended = false;
    bool shared = false;
    bool ended = false;
    bool waits = false;
  };

  std::unique_ptr<knowledge> known_; // null without a loop
};

} // namespace caf::rosia::engine
