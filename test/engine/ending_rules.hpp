// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "fingerprint.hpp"
#include "record.hpp"

#include "engine/negotiation.hpp"

#include <optional>
#include <vector>

namespace engine_test {

/// What a coordinator has to decide: section 5 of the semantics, written down a
/// second time. Is told everything that the coordinator is told, before it is,
/// and what it does then.
class ending_rules {
public:
  ending_rules(const caf::rosia::engine::negotiation& coordinator,
               const std::optional<logical_time>& stop_after);

  // -- what the coordinator is told -------------------------------------------

  void request(logical_time proposal, int status);

  void answer(caf::rosia::engine::node_id node, logical_time tag);

  void exited(caf::rosia::engine::node_id node, caf::rosia::engine::ending how,
              logical_time last);

  void abort(int status);

  /// A node has failed, or has vanished.
  void failed();

  void second_signal();

  /// The current stage takes too long.
  void overdue();

  // -- what it does -----------------------------------------------------------

  // All of these throw broken_rule if it is wrong.

  void asks(logical_time proposal);

  void agreed(logical_time final);

  void ignored(logical_time proposal, logical_time final);

  void entered(caf::rosia::engine::negotiation::stage what);

  void late(caf::rosia::engine::node_id node,
            caf::rosia::engine::negotiation::stage what) const;

  /// Between two things that it is told.
  void check() const;

  void check_end(int status) const;

  // -- properties -------------------------------------------------------------

  bool aborted() const noexcept {
    return aborted_;
  }

  /// Nodes that did not end were given up.
  bool gave_up() const noexcept {
    return gave_up_;
  }

  /// No round follows the current one yet.
  bool knows_no_other_request() const noexcept;

  /// Tells whether all that ends at a final tag may end at this one.
  bool was_final(logical_time tag) const;

  void add_to(hasher& h) const;

private:
  const caf::rosia::engine::negotiation* coordinator_;
  int status_ = 0;
  bool aborted_ = false;
  bool gave_up_ = false;
  logical_time proposal_ = never;     // of this round
  logical_time highest_ = never;      // of this round's answers
  logical_time highest_left_ = never; // of those that left below a final tag
  std::vector<logical_time> finals_;
  std::vector<logical_time> requests_; // that were not decided on
};

} // namespace engine_test
