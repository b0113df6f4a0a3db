// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/stamped_queue.hpp"
#include "engine/topology.hpp"
#include "run_file/recording.hpp"
#include "runtime/node_directory.hpp"

#include <map>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// A recorded run that is repeated: section 8.2 of the semantics.
class replay {
public:
  using values = std::vector<engine::stamped_value>;

  /// Takes what belongs to the nodes of this process.
  /// @throws graph_error if the graphs differ.
  /// @throws std::runtime_error if a value cannot be read.
  replay(const run_file::recorded_run& run, const node_directory& nodes,
         const engine::topology& graph);

  /// What came to a node, by tag. Once for each node.
  values take(engine::node_id node) {
    return std::move(events_[node]);
  }

  /// The last tag that a node executes.
  /// @param stop that of the application.
  logical_time stop(engine::node_id node, logical_time stop) const;

  /// With which the run ended, if its end was requested.
  int status() const noexcept {
    return status_;
  }

private:
  std::vector<values> events_; // by node
  logical_time final_;
  std::map<engine::node_id, logical_time> done_; // past the final tag
  int status_ = 0;
};

} // namespace caf::rosia::detail
