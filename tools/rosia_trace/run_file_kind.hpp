// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "run_file/database.hpp"

#include <string>

namespace rosia_trace {

/// Returns whether one of the files of `path` is a database.
bool is_run_file(const std::string& path);

/// Describes the content of a run file: "a run file with 2 recorded runs and 1
/// checkpoint".
std::string describe_run_file(caf::rosia::run_file::database& file);

/// Describes a database: a run file with its content, or another database.
std::string describe_database(const std::string& path);

/// Describes any file for messages: "a trace", "text", "a folder".
std::string describe_file(const std::string& path);

/// Throws for a run file without recorded run, and describes its content.
/// @throws std::runtime_error
[[noreturn]] void refuse_unrecorded(const std::string& path);

/// @throws std::runtime_error if a run file has no recording.
void require_recording(const std::string& path);

} // namespace rosia_trace
