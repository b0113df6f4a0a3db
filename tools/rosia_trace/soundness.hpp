// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rosia_trace {

/// Whether the databases of a run file, and of its processes, are sound.
struct soundness {
  /// What is wrong, with the file's name in front.
  std::vector<std::string> problems;
  /// How many complete checkpoints could be read, in all files.
  std::uint64_t checkpoints = 0;
  /// Whether one of the files is a recording.
  bool recorded = false;
};

/// Reads all complete checkpoints, and has SQLite check each file.
/// @throws std::runtime_error if there is no such file, or one is no database.
soundness check_run_file(const std::string& file);

} // namespace rosia_trace
