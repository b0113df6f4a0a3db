// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>

#include <sys/types.h>

namespace caf::rosia::detail {

/// The right to write a file, which only one holder has, on all hosts that
/// share the file. The lock is on a file beside it, ".NAME.lock", which
/// contains the holder's name and is removed with the lock. The system releases
/// the locks of a process that was killed, because forked processes do not keep
/// them. The file itself cannot be locked: a process that closes any descriptor
/// of a file loses the locks that SQLite has there. Tests:
/// test/base/write_lock_test.cpp.
class write_lock {
public:
  /// Locks a file that may not exist yet. Without effect for devices and pipes,
  /// and if no file can be created beside it.
  /// @throws std::runtime_error that names the holder, if there is one, or the
  /// lock file, if it exists but cannot be opened.
  explicit write_lock(const std::string& file);

  write_lock(write_lock&& other) noexcept;

  write_lock& operator=(write_lock&&) = delete;

  ~write_lock();

  /// Returns the name of the lock file of `file`. It is the same for all names
  /// of the file that differ by links to folders or to the file.
  static std::string name_beside(const std::string& file);

  /// Returns the name of the lock file; empty if there is no lock.
  const std::string& name() const noexcept {
    return name_;
  }

private:
  std::string name_;
  int fd_ = -1;
  ino_t inode_ = 0; // of the lock file
  pid_t owner_ = 0; // a forked process does not remove the lock
};

/// Returns the holder of a file's lock, such as "process 17 (robot) on host
/// 'a'"; empty if there is none.
std::string writer_of(const std::string& file);

} // namespace caf::rosia::detail
