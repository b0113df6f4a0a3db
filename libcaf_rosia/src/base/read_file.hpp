// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>

#include <sys/types.h>

namespace caf::rosia::detail {

/// The limits of a file that a user names.
struct file_limits {
  std::size_t bytes = std::size_t{16} << 20;

  /// Whether it may be a pipe, such as that of a shell's <(...): it can be read
  /// once.
  bool may_be_pipe = true;

  /// How long nothing may be written to a pipe.
  std::chrono::milliseconds patience{10'000};
};

/// A file, with the rights to use it.
struct file_content {
  std::string text;
  mode_t mode = 0;
};

/// A file cannot be read. The text has the reason, but not the file's name.
class file_error : public std::runtime_error {
public:
  /// @param number the system's for the reason; 0 if it is not the system's.
  file_error(const std::string& reason, int number)
    : std::runtime_error(reason), number_(number) {
    // nop
  }

  int number() const noexcept {
    return number_;
  }

private:
  int number_;
};

/// Reads a file that a user has named. Reads no devices, which may have no end,
/// but for /dev/null.
/// @throws file_error
file_content read_file(const std::string& path, const file_limits& limits = {});

/// Reads the first line of a file, such as a token.
/// @throws file_error also if it is empty.
std::string read_first_line(const std::string& path);

} // namespace caf::rosia::detail
