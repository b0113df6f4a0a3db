// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/topology.hpp"
#include "run_file/checkpoints.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/node_directory.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// What a checkpoint at `tag` has of a node, as the file has it.
/// @throws std::runtime_error naming a value that CAF cannot write.
run_file::node_part make_part(
  const node_directory& nodes, const engine::topology& graph,
  engine::node_id node, const saved_part& saved, logical_time tag);

/// What has to be the same for nodes to go on from a checkpoint.
run_file::graph_lines describe_for_resume(
  const node_directory& nodes, const engine::topology& graph);

/// Names what checkpoints cannot save of the nodes of this process.
/// @throws std::runtime_error if there is something.
void check_savable(const node_directory& nodes);

class run_context;

/// A checkpoint that a run continues.
class resumption {
public:
  /// @param parts those of all nodes that this process runs, and of all that
  ///        send to them.
  /// @param ended whether the application ended there, as it was requested.
  resumption(std::string run, logical_time tag, bool ended,
             std::vector<run_file::node_part> parts);

  /// The run that it is of.
  const std::string& run() const noexcept {
    return run_;
  }

  logical_time tag() const noexcept {
    return tag_;
  }

  /// The end that a node had requested, and that has not come yet.
  std::optional<run_file::node_part::end_request> request_of(
    const std::string& node) const;

  /// Gives a node what it had, with what was under way to it.
  /// @pre The node is wired, and has not started.
  /// @throws std::runtime_error naming what does not fit.
  void restore(run_context& run, engine::node_id node) const;

private:
  const run_file::node_part& part_of(const std::string& node) const;

  std::string run_;
  logical_time tag_;
  bool ended_;
  std::map<std::string, run_file::node_part> parts_;
};

} // namespace caf::rosia::detail
