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

/// A checkpoint, as all processes know it.
struct checkpoint_name {
  std::string run;
  logical_time tag = never;
};

/// Checks what options say of checkpoints, as far as one depends on another.
/// @throws std::invalid_argument naming them.
void check_checkpoint_options(const options& x);

/// Finds the checkpoint that a run continues.
/// @returns nothing if it begins anew: the file is the one that its own
///          checkpoints go to, and does not exist yet or has none.
/// @throws std::runtime_error if a file cannot be read, or has no such
///         checkpoint.
std::optional<checkpoint_name> choose_checkpoint(const options& x);

/// Reads a checkpoint from `file`, and from the files of other processes beside
/// it.
/// @param graph what the application has.
/// @throws std::runtime_error if it is not there, or is of another graph: names
///         the first difference.
std::unique_ptr<resumption> load_checkpoint(
  const std::string& file, const checkpoint_name& which,
  const run_file::graph_lines& graph);

/// The number of a run whose checkpoints go to this file.
/// @param continued the file that it continues; empty if none.
/// @throws std::runtime_error if the file has checkpoints of a run that is not
///         continued: they would be replaced by and by.
std::int64_t number_run(const std::string& file, const std::string& continued);

} // namespace caf::rosia::detail
