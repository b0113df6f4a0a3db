// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "application/output_locks.hpp"
#include "caf/rosia/options.hpp"
#include "run_file/checkpoints.hpp"
#include "runtime/checkpoint_parts.hpp"
#include "runtime/starting_point.hpp"

#include <memory>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Checks the dependencies between the options for checkpoints.
/// @throws std::invalid_argument that names the options.
void check_checkpoint_options(const options& x);

/// Finds the checkpoint to resume from, and numbers the run. It starts from the
/// beginning if `resume` is not set, or if `resume` and `checkpoint` are the
/// same file, which does not exist yet or has no checkpoint.
/// @param locks the locks of this process.
/// @throws std::runtime_error if a file cannot be read or is being written, if
/// the files have no such checkpoint or those of different runs, or if new
/// checkpoints would replace those of a run that is not continued.
starting_point choose_start(const options& x, const output_locks& locks);

/// Checks the files of a process other than the coordinator's: it continues no
/// other run than the coordinator, its checkpoints do not replace those of a
/// run that is not continued, and its copy is not mixed with another run.
/// @param processes the names of all processes.
/// @throws std::runtime_error
void check_checkpoint_targets(
  const options& x, const std::vector<std::string>& processes,
  const starting_point& start);

/// Reads a checkpoint from `file`, and from the files of other processes beside
/// it.
/// @param graph the graph of the application.
/// @throws std::runtime_error if the checkpoint does not exist, or is of
/// another graph. Names the first difference.
std::unique_ptr<resumption> load_checkpoint(
  const std::string& file, const starting_point& start,
  const run_file::graph_lines& graph);

} // namespace caf::rosia::detail
