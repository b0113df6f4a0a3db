// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rosia_trace {

/// The result of checking the databases of a run file and of its processes.
struct soundness {
  /// Descriptions of problems, each with the file's name in front.
  std::vector<std::string> problems;
  /// Number of complete, readable checkpoints in all files.
  std::uint64_t checkpoints = 0;
  /// Whether one of the files is a recording.
  bool recorded = false;
};

/// Reads all complete checkpoints, and lets SQLite check each file.
/// @throws std::runtime_error if the file does not exist, or one is not a
/// database.
soundness check_run_file(const std::string& file);

} // namespace rosia_trace
