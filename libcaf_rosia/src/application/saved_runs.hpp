// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"
#include "run_file/checkpoints.hpp"
#include "runtime/checkpoint_parts.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace caf::rosia::detail {

/// The identity of a checkpoint, which all processes share.
struct checkpoint_name {
  std::string run;
  logical_time tag = never;
};

/// Checks the dependencies between the options for checkpoints.
/// @throws std::invalid_argument that names the options.
void check_checkpoint_options(const options& x);

/// Finds the checkpoint to resume from.
/// @returns none if the run starts from the beginning, because `resume` and
///   `checkpoint` are the same file, which does not exist yet or has no
///   checkpoint.
/// @throws std::runtime_error if a file cannot be read, or has no such
/// checkpoint.
std::optional<checkpoint_name> choose_checkpoint(const options& x);

/// Reads a checkpoint from `file`, and from the files of other processes beside
/// it.
/// @param graph the graph of the application.
/// @throws std::runtime_error if the checkpoint does not exist, or is of
/// another graph. Names the first difference.
std::unique_ptr<resumption> load_checkpoint(
  const std::string& file, const checkpoint_name& which,
  const run_file::graph_lines& graph);

/// Returns the number of a new run whose checkpoints are written to this file.
/// @param continued the file to resume from; empty if none.
/// @throws std::runtime_error if the file has checkpoints of a run that is not
/// continued, which new checkpoints would replace.
std::int64_t number_run(const std::string& file, const std::string& continued);

} // namespace caf::rosia::detail
