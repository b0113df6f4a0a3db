// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <string>

namespace caf::rosia::run_file {

/// Refuses a path with a file that a copy must not replace.
/// @throws std::runtime_error that says what to do.
void check_backup(const std::string& to);

/// Copies a run file with SQLite's backup interface. Either the copy is
/// complete and durable, or the previous file stays unchanged.
/// @throws std::runtime_error if the file cannot be copied.
void back_up(const std::string& from, const std::string& to);

/// Copies a run file, but gives up if the disk does nothing for `patience`.
/// @throws std::runtime_error if it gives up, or if the file cannot be copied.
void back_up(const std::string& from, const std::string& to,
             std::chrono::nanoseconds patience);

} // namespace caf::rosia::run_file
