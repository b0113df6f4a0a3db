// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/write_lock.hpp"

#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The locks of all files that a run writes, so that no other run can write
/// them. Tests: test/application/output_locks_test.cpp.
class output_locks {
public:
  output_locks() = default;

  output_locks(const output_locks&) = delete;

  output_locks& operator=(const output_locks&) = delete;

  /// Locks a file, unless the run locked it for another option.
  /// @param option the option that names the file.
  /// @param file empty if the option is not set.
  /// @throws std::runtime_error that names the process that writes the file, or
  /// if the program's own output goes to the file.
  void add(const char* option, const std::string& file);

  /// Locks a file that is not replaced, but changed. A lock depends on the name
  /// of a file, so the file must have one name only. It cannot be locked
  /// itself, because of SQLite, whose own files beside it depend on the name,
  /// too.
  /// @throws std::runtime_error as `add`, and if there are hard links to the
  /// file.
  void add_in_place(const char* option, const std::string& file);

  /// Returns the process that writes a file; empty if there is none, or it is
  /// this run.
  std::string other_writer_of(const std::string& file) const;

  /// @param option the option that names a file, which is only read.
  /// @throws std::runtime_error that names the process that writes the file,
  /// unless it is this run.
  void require_unwritten(const char* option, const std::string& file) const;

  void release() noexcept {
    locks_.clear();
  }

  /// Removes the files that did not exist before they were locked, because the
  /// run is refused.
  void remove_new() const noexcept;

  /// Keeps the locks until the process ends, because a thread may still write.
  void keep();

private:
  bool has(const std::string& file) const;

  std::vector<write_lock> locks_;
  std::vector<std::string> new_files_;
};

} // namespace caf::rosia::detail
