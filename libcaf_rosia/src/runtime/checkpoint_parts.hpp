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

/// Returns the part of a checkpoint at `tag` that the file stores for a node.
/// @throws std::runtime_error naming a value that CAF cannot write.
run_file::node_part make_part(
  const node_directory& nodes, const engine::topology& graph,
  engine::node_id node, const saved_part& saved, logical_time tag);

/// Describes everything that must be equal for a run to resume from a
/// checkpoint.
run_file::graph_lines describe_for_resume(const graph_description& graph);

/// Checks that checkpoints can save all nodes of this process.
/// @throws std::runtime_error naming a member that cannot be saved.
void check_savable(const node_directory& nodes);

class run_context;

/// The checkpoint from which a run resumes [8.6]. Tests:
/// test/application/checkpoint_test.cpp, test/property/resume_test.cpp.
class resumption {
public:
  /// @param parts the parts of all nodes of this process, and of all nodes that
  ///        send to them.
  /// @param ended whether the application ended at `tag`, as a node had
  ///        requested.
  resumption(std::string run, logical_time tag, bool ended,
             std::vector<run_file::node_part> parts);

  /// Returns the name of the run that took the checkpoint.
  const std::string& run() const noexcept {
    return run_;
  }

  logical_time tag() const noexcept {
    return tag_;
  }

  /// Returns the end that a node had requested and that is still ahead.
  std::optional<run_file::node_part::end_request> request_of(
    const std::string& node) const;

  /// Restores a node, with the messages in transit to it.
  /// @pre The node is wired, and did not start yet.
  /// @throws std::runtime_error naming what does not fit.
  void restore(run_context& run, engine::node_id node) const;

  /// Frees the values, which may be large. Called when all nodes are restored.
  void release_values() noexcept;

private:
  const run_file::node_part& part_of(const std::string& node) const;

  std::string run_;
  logical_time tag_;
  bool ended_;
  std::map<std::string, run_file::node_part> parts_;
};

} // namespace caf::rosia::detail
