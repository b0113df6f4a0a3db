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
#include <string>

namespace caf::rosia::detail {

/// Replays a recorded run: section 8.2 of the semantics [8.2]. Reads the run's
/// events piece by piece. Tests: test/property/replay_test.cpp, test/recording.
class replay {
public:
  /// Number of bytes of a node's remaining events that are read at a time.
  static constexpr std::size_t usual_piece = std::size_t{64} << 10;

  /// @param nodes must outlive this object.
  /// @param graph must outlive this object.
  /// @param description that of the graph; must outlive this object.
  /// @param piece replaces `usual_piece`; reduced if there are very many nodes.
  /// @throws graph_error if the graphs differ.
  replay(const run_file::recorded_run& run, const node_directory& nodes,
         const engine::topology& graph, const graph_description& description,
         std::size_t piece = usual_piece);

  /// Returns the external events of a node of this process. This object must
  /// outlive the result.
  std::unique_ptr<engine::stamped_source> events_of(engine::node_id node) const;

  /// Lets the reactions with deadlines of a node of this process take those
  /// that have passed from the recording. This object must outlive them.
  void replay_deadlines(engine::node_id node) const;

  /// Lets the connections of a node of this process that have a maximal wait
  /// take from the recording which values were tardy. This object must outlive
  /// them.
  void replay_tardy(engine::node_id node) const;

  /// Returns the external events of all nodes, as recorded.
  run_file::event_reader all_events() const {
    return run_file::event_reader{events_};
  }

  /// Closes the recording. Called when no node is running.
  void close() {
    events_->close();
  }

  /// Returns the last tag that a node executes.
  /// @param stop the last tag of the application.
  logical_time stop(engine::node_id node, logical_time stop) const;

  /// Returns the status of the recorded run, if its end was requested.
  int status() const noexcept {
    return status_;
  }

private:
  /// The events of a node.
  class node_events;

  /// The passed deadlines of a reaction.
  class reaction_deadlines;

  /// The tardy values of a connection.
  class connection_tardy;

  const node_directory& nodes_;
  const engine::topology& graph_;
  const graph_description& description_;
  std::shared_ptr<run_file::recorded_events> events_;
  std::size_t piece_;
  logical_time final_;
  std::map<engine::node_id, logical_time> done_; // tags past the final one
  std::map<std::string, logical_time> deadlines_known_;
  int status_ = 0;
};

} // namespace caf::rosia::detail
