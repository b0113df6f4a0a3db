// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

namespace recording {

/// A fault of an operation that changes files in a folder.
enum class fault {
  /// The process is killed before it.
  kill,
  /// The process is killed in the middle of it, if it is a write.
  cut_off,
  /// It fails with ENOSPC, or with EIO if it needs no space.
  no_space,
  /// It fails with EIO.
  io_error,
};

/// Counts the operations of this process and its libraries that change files in
/// `folder`, from now on. Lets one of them fail.
/// @param count of the operations, in memory shared with the parent process.
/// @param at number of the operation, from 1; 0 for none.
void watch_files(std::string folder, int* count, fault kind, int at);

} // namespace recording
