// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "run_file/database.hpp"

#include <string>

namespace rosia_trace {

/// Tells whether one of the files that `path` stands for is a database.
bool is_run_file(const std::string& path);

/// Returns what a run file has: "a run file with 2 recorded runs and 1
/// checkpoint".
std::string describe_run_file(caf::rosia::run_file::database& file);

/// Returns what a database is: a run file with its content, or another one.
std::string describe_database(const std::string& path);

/// Returns what any file is, for messages: "a trace", "text", "a folder".
std::string describe_file(const std::string& path);

/// Refuses a run file in which no run is recorded, and says what it has.
/// @throws std::runtime_error
[[noreturn]] void refuse_unrecorded(const std::string& path);

/// @throws std::runtime_error if a run file has no recording.
void require_recording(const std::string& path);

} // namespace rosia_trace
