// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <string>

namespace caf::rosia::run_file {

/// Refuses what no copy can replace.
/// @throws std::runtime_error that says what to do.
void check_backup(const std::string& to);

/// Copies a run file with SQLite's backup interface. The copy is complete and
/// durable, or the file that was there before stays as it is.
/// @throws std::runtime_error if it cannot be copied.
void back_up(const std::string& from, const std::string& to);

/// The same, but does not wait for a disk that does nothing for `patience`.
/// @throws std::runtime_error then, too.
void back_up(const std::string& from, const std::string& to,
             std::chrono::nanoseconds patience);

} // namespace caf::rosia::run_file
