// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "ending_rules.hpp"
#include "network.hpp"

#include "engine/negotiation.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace engine_test {

/// The engine's coordinator. Every decision is compared with `ending_rules`. A
/// subclass brings it the reports of the nodes, and delivers its notices.
///
/// Throws `broken_rule` for a wrong decision.
class coordinator : private engine::negotiation::host {
public:
  coordinator(std::size_t nodes, const std::optional<logical_time>& stop_after);

  ~coordinator() override;

  // -- input ------------------------------------------------------------------

  /// Handles a request from outside.
  void request(logical_time proposal, int status);

  void second_signal();

  /// Lets the current stage exceed its deadline.
  void overdue();

  /// Handles the report of a node.
  void receive(node_id id, const report& x);

  // -- results ----------------------------------------------------------------

  bool over() const noexcept {
    return status_.has_value();
  }

  int status() const noexcept {
    return *status_;
  }

  bool aborted() const noexcept {
    return negotiation_.aborted();
  }

  /// Returns whether nodes that did not end were given up.
  bool gave_up() const noexcept {
    return rules_.gave_up();
  }

  /// Returns the final tag; `forever` if there is none.
  logical_time final_tag() const noexcept {
    return negotiation_.final();
  }

  /// Returns whether the application ended without a request.
  bool ended_by_itself() const noexcept {
    return rules_.ended_by_itself();
  }

  /// The final tags of all rounds.
  std::vector<logical_time> finals;

  std::vector<logical_time> ignored_proposals;

protected:
  /// Passes a report to the negotiation.
  virtual void handle(node_id id, const report& x);

  /// Sends a notice to a node.
  virtual void notify(node_id id, const notice& x) = 0;

  /// Checks that the deadlines of earlier stages have no effect.
  void check_late_deadlines();

  void entered(engine::negotiation::stage stage,
               std::uint64_t deadline) override;

  engine::negotiation negotiation_;
  ending_rules rules_;

private:
  // -- overridden functions of negotiation::host ------------------------------

  void ask(node_id node, logical_time proposal) override;

  void tell_final(node_id node, logical_time final,
                  logical_time requested) override;

  void abort_node(node_id node) override;

  void agreed(logical_time final) override;

  void ignored(logical_time proposal, logical_time final) override;

  void late(node_id node, engine::negotiation::stage stage) override;

  void finished(int status) override;

  std::optional<int> status_;
};

} // namespace engine_test
