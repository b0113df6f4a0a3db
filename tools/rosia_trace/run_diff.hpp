// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/commands.hpp"

#include <iosfwd>

namespace rosia_trace {

/// Compares the last runs of two run files by their values, and prints the
/// result on `out`.
/// @returns the same status as `diff_command`.
/// @throws std::runtime_error if a file cannot be read, or has no recording.
int diff_run_files(const diff_options& options, std::ostream& out);

} // namespace rosia_trace
