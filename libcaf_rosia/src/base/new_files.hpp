// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/write_lock.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// Tells whether writing to a file loses nothing but what was written there for
/// the same purpose before: it does not exist, is empty or no regular file, or
/// `is_ours` says so of its first 256 bytes (all, if it has less).
bool may_replace(const std::string& path,
                 const std::function<bool(std::string_view)>& is_ours);

/// What to do about files that exist.
enum class existing_files { keep, replace };

/// Files that belong together: all of them are written, or none. Files that
/// replace others are locked until then.
class new_files {
public:
  explicit new_files(existing_files old) noexcept : old_(old) {
    // nop
  }

  new_files(const new_files&) = delete;

  new_files& operator=(const new_files&) = delete;

  /// Removes what was written, unless it was committed.
  ~new_files();

  /// Writes a file that everybody can read.
  /// @throws std::system_error
  /// @throws std::runtime_error if another process writes it.
  void add(const std::string& path, std::string_view content);

  /// Writes a file for its owner only.
  /// @throws as `add` does.
  void add_secret(const std::string& path, std::string_view content);

  /// Keeps them.
  /// @throws std::system_error
  void commit();

private:
  struct entry {
    std::string path;
    /// Where it is until it is committed: beside what it replaces.
    std::string written;
  };

  void add(const std::string& path, std::string_view content, mode_t mode);

  existing_files old_;
  std::vector<entry> entries_;
  std::vector<write_lock> locks_;
};

} // namespace caf::rosia::detail
