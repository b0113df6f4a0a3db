// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/write_lock.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// Returns whether a file may be overwritten: it does not exist, is empty or
/// not a regular file, or `is_ours` recognizes its first 256 bytes (all, if it
/// has fewer).
/// @throws std::system_error if the file cannot be read.
bool may_replace(const std::string& path,
                 const std::function<bool(std::string_view)>& is_ours);

/// The treatment of existing files. Links to files that are replaced remain.
enum class existing_files {
  keep,
  /// Replaces them. They are locked until then.
  replace,
  /// Replaces them. The caller has locked them, if that is necessary.
  replace_unlocked,
};

/// A set of files that are all written, or none. Tests:
/// test/base/new_files_test.cpp.
class new_files {
public:
  explicit new_files(existing_files old) noexcept : old_(old) {
    // nop
  }

  /// Returns the name of a file that replaces `path`, before the commit.
  static std::string unfinished_name(const std::string& path);

  new_files(const new_files&) = delete;

  new_files& operator=(const new_files&) = delete;

  /// Removes the written files, unless they were committed.
  ~new_files();

  /// Writes a file that all users may read.
  /// @throws std::system_error
  /// @throws std::runtime_error if another process writes it.
  void add(const std::string& path, std::string_view content);

  /// Writes a file that only its owner may read.
  /// @throws as `add` does.
  void add_secret(const std::string& path, std::string_view content);

  /// Moves the written files to their final names.
  /// @throws std::system_error
  void commit();

private:
  struct entry {
    std::string path;
    /// The path before the commit, beside the file to be replaced.
    std::string written;
  };

  void add(const std::string& path, std::string_view content, mode_t mode);

  existing_files old_;
  std::vector<entry> entries_;
  std::vector<write_lock> locks_;
};

} // namespace caf::rosia::detail
