// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "fingerprint.hpp"
#include "record.hpp"

#include "engine/negotiation.hpp"

#include <optional>
#include <vector>

namespace engine_test {

/// The decisions of a coordinator by section 5 of the semantics, implemented a
/// second time. Receives every input of the coordinator before the coordinator
/// does, and then its action.
class ending_rules {
public:
  ending_rules(const caf::rosia::engine::negotiation& coordinator,
               const std::optional<logical_time>& stop_after);

  // -- input of the coordinator -----------------------------------------------

  void request(logical_time proposal, int status);

  void answer(caf::rosia::engine::node_id node, logical_time tag);

  void exited(caf::rosia::engine::node_id node,
              caf::rosia::engine::ending outcome, logical_time last);

  /// Called when a node is done, and waits for the final tag.
  void done(caf::rosia::engine::node_id node, logical_time last);

  void abort(int status);

  /// Called when a node fails or vanishes.
  void failed();

  void second_signal();

  /// Called when the current stage takes too long.
  void overdue();

  // -- actions of the coordinator ---------------------------------------------

  // These functions throw broken_rule if the action is wrong.

  void asks(logical_time proposal);

  void agreed(logical_time final);

  void ignored(logical_time proposal, logical_time final);

  void entered(caf::rosia::engine::negotiation::stage stage);

  void late(caf::rosia::engine::node_id node,
            caf::rosia::engine::negotiation::stage stage) const;

  /// Checks the state between two inputs.
  void check() const;

  void check_end(int status) const;

  // -- properties -------------------------------------------------------------

  bool aborted() const noexcept {
    return aborted_;
  }

  /// Returns whether the application ended without a request.
  bool ended_by_itself() const noexcept {
    return ended_by_itself_;
  }

  /// Lets the application continue from a checkpoint at this tag.
  void begin_at(logical_time tag) {
    began_ = tag;
  }

  /// Returns whether nodes that did not end were given up.
  bool gave_up() const noexcept {
    return gave_up_;
  }

  /// Returns the proposal of the last round; `forever` without one.
  logical_time proposal() const noexcept {
    return proposal_;
  }

  /// Returns whether no node has anything left to do.
  bool all_done() const noexcept;

  /// Returns whether no round follows the current one yet.
  bool knows_no_other_request() const noexcept;

  /// Returns whether a node may end at this tag because of a final tag.
  bool was_final(logical_time tag) const;

  void add_to(hasher& h) const;

private:
  const caf::rosia::engine::negotiation* coordinator_;
  int status_ = 0;
  bool aborted_ = false;
  bool gave_up_ = false;
  bool ended_by_itself_ = false;
  logical_time began_ = never;
  logical_time proposal_ = forever;   // of this round
  logical_time highest_ = never;      // of this round's answers
  logical_time highest_left_ = never; // of nodes that left below a final tag
  logical_time highest_done_ = never; // of nodes that are done, or were
  std::vector<caf::rosia::engine::node_id> done_; // that wait
  std::vector<logical_time> finals_;
  std::vector<logical_time> requests_; // not decided yet
};

} // namespace engine_test
