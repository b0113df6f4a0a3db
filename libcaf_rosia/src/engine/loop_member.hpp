// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/node_config.hpp"
#include "engine/node_context.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace caf::rosia::engine {

/// What a node knows of its loop, if it is a member of one: the loop time
/// table's answers, kept so that few questions take its lock.
class loop_member {
public:
  void init(const node_config& config) {
    if (config.loop_time_table != nullptr)
      known_ = std::make_unique<knowledge>();
  }

  // -- properties -------------------------------------------------------------

  /// Tells whether there is a loop; all but the properties need one. There is
  /// none for as long as all of its members are in one group.
  bool exists() const noexcept {
    return known_ && !known_->suspended;
  }

  /// Tells whether all members of the node's loop are in its group.
  bool suspended() const noexcept {
    return known_ && known_->suspended;
  }

  /// The node's LBTS in the loop as last seen; `forever` without a loop.
  logical_time bound() const noexcept {
    return known_ ? known_->bound : forever;
  }

  /// Tells whether nothing was left in the loop when the node looked.
  bool ended() const noexcept {
    return known_ && known_->ended;
  }

  /// Tells whether the table knows that the node waits.
  bool waits() const noexcept {
    return known_ && known_->waits;
  }

  /// How far the others were told that elapsed time is, as the node sees it.
  logical_time published_clock() const noexcept {
    return known_->clock;
  }

  // -- groups -----------------------------------------------------------------

  /// The table is not asked any more, and its entry for the node stays.
  void suspend(const node_config& config);

  /// The table is asked again, once all members have updated their entries.
  void resume() noexcept {
    known_->suspended = false;
    known_->bound = logical_time{};
  }

  /// All members are in the node's group. @param ended nothing is left in the
  ///        loop.
  void set_ended(bool ended) noexcept {
    known_->ended = ended;
  }

  // -- elapsed time -----------------------------------------------------------

  /// The others learn of it with the node's next entry.
  void publish_clock(logical_time now) noexcept {
    known_->clock = std::max(known_->clock, now);
  }

  // -- calls without the lock -------------------------------------------------

  /// Drains the node's inbox into the scratch's mail.
  void drain(node_context& context);

  /// Looks for a greater bound.
  void refresh(const node_config& config);

  /// Leaves the loop; an aborted node keeps its entry.
  void leave(node_context& context, bool aborted);

  /// Keeps the loop from being done, although an aborted node is about to drop
  /// what it has. @param last the last tag that it has executed.
  void keep_active(const node_config& config, logical_time last);

  // -- calls with the lock ----------------------------------------------------

  /// Looks for a greater bound. @pre The table is locked.
  void refresh_locked(const node_config& config);

  /// Sets the node's earliest tag, and lists whom to wake.
  /// @pre The table is locked.
  void update(node_context& context, logical_time earliest);

  /// Waits for a bound greater than this, if it is not, and lists whom to wake;
  /// without a bound the node waits for nothing. @pre The table is locked.
  void wait(node_context& context, const std::optional<logical_time>& bound);

  /// What other members wait for; `forever` if for nothing.
  /// @pre The table is locked.
  logical_time requested_bound(const node_config& config) const;

private:
  struct knowledge {
    logical_time bound{};
    logical_time clock{};
    bool suspended = false;
    bool ended = false;
    bool waits = false;
  };

  std::unique_ptr<knowledge> known_; // null if there is no loop
};

} // namespace caf::rosia::engine
