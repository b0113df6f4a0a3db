// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "coordinator.hpp"
#include "made_up_node.hpp"
#include "network.hpp"
#include "plan.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace engine_test {

/// Nodes of the engine and their coordinator, which run a plan without threads.
/// The subclass chooses the order of events. Reports and notices are late, but
/// in order per sender and receiver.
class simulated_application : public network, public coordinator {
public:
  explicit simulated_application(const plan& planned);

  ~simulated_application() override;

  /// Describes the state for analyzing a failure.
  std::string situation();

protected:
  // -- events -----------------------------------------------------------------

  /// Passes the next report of a node to the coordinator.
  void serve_coordinator(node_id id);

  /// Passes the next notice to a node.
  void serve_node(node_id id);

  /// Passes the next value from outside to its node.
  void call_next();

  /// Informs the nodes of `stop_after`, if there is one.
  void announce_stop();

  // -- checks -----------------------------------------------------------------

  /// Checks that all failures are planned.
  void check_failures() const;

  /// Checks the state after the end.
  void check_end() const;

  // -- overridden functions ---------------------------------------------------

  void notify(node_id id, const notice& x) override;

  void on_report(node_id id, const report& x) override;

  bool holds_back(node_id from, node_id to) override;

  const plan& plan_;
  made_up_nodes nodes_;
  std::vector<std::vector<notice>> notices_; // to the nodes
  std::vector<std::vector<report>> reports_; // to the coordinator
  std::size_t next_call_ = 0;
  std::optional<node_id> stuck_; // in its code
};

} // namespace engine_test
