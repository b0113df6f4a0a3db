// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/stamped_queue.hpp"
#include "engine/topology.hpp"
#include "run_file/recording.hpp"
#include "runtime/node_directory.hpp"

#include <cstddef>
#include <map>
#include <memory>

namespace caf::rosia::detail {

/// A recorded run that is repeated: section 8.2 of the semantics. Its events
/// are read while it is repeated, some at a time.
class replay {
public:
  /// In bytes: how much of what is still to come to a node is read at a time.
  static constexpr std::size_t usual_piece = std::size_t{64} << 10;

  /// @param nodes outlives it.
  /// @param graph outlives it.
  /// @param piece as `usual_piece`; less if there are very many nodes.
  /// @throws graph_error if the graphs differ.
  replay(const run_file::recorded_run& run, const node_directory& nodes,
         const engine::topology& graph, std::size_t piece = usual_piece);

  /// What came to a node of this process, which the replay outlives.
  std::unique_ptr<engine::stamped_source> events_of(engine::node_id node) const;

  /// What came to all nodes, as it was recorded.
  run_file::event_reader all_events() const {
    return run_file::event_reader{events_};
  }

  /// Closes the recording. Called when no node runs any more.
  void close() {
    events_->close();
  }

  /// The last tag that a node executes.
  /// @param stop that of the application.
  logical_time stop(engine::node_id node, logical_time stop) const;

  /// With which the run ended, if its end was requested.
  int status() const noexcept {
    return status_;
  }

private:
  /// The events of a node.
  class node_events;

  const node_directory& nodes_;
  const engine::topology& graph_;
  std::shared_ptr<run_file::recorded_events> events_;
  std::size_t piece_;
  logical_time final_;
  std::map<engine::node_id, logical_time> done_; // past the final tag
  int status_ = 0;
};

} // namespace caf::rosia::detail
