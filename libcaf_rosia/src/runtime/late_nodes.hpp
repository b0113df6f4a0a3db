// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"

#include <spdlog/common.h>

#include <cstddef>
#include <string>
#include <vector>

namespace caf::rosia::detail {

class runtime;

/// Nodes that are late at an end, and their descriptions for the log. Tests:
/// test/runtime/report_test.cpp, test/application/ending_test.cpp.
class late_nodes {
public:
  /// @param run must outlive this.
  explicit late_nodes(runtime& run) noexcept : run_(run) {
    // nop
  }

  /// Adds a node with its current state.
  void add(engine::node_id node);

  bool empty() const noexcept {
    return nodes_.empty();
  }

  /// Logs the lapse of the nodes at fault, and the number of the other nodes,
  /// which are late because of these. Then forgets all.
  /// @param lapse follows the name of a node.
  /// @returns the first node at fault, with its lapse; empty if no node is
  /// late.
  std::string log(spdlog::level::level_enum level, const std::string& lapse);

private:
  struct entry {
    engine::node_id node;
    bool runs;
    std::string text; // description of the node
  };

  /// Moves the nodes at fault to the front.
  /// @returns the number of nodes to name.
  std::size_t move_culprits_first();

  runtime& run_;
  std::vector<entry> nodes_;
};

} // namespace caf::rosia::detail
