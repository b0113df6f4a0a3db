// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>

#include <sys/types.h>

namespace caf::rosia::detail {

/// The limits of a file that a user names. Tests: test/base/read_file_test.cpp.
struct file_limits {
  std::size_t bytes = std::size_t{16} << 20;

  /// Whether it may be a pipe, such as that of a shell's <(...), which can be
  /// read only once.
  bool may_be_pipe = true;

  /// The maximal time without data from a pipe.
  std::chrono::milliseconds patience{10'000};
};

/// The content of a file, and its access rights.
struct file_content {
  std::string text;
  mode_t mode = 0;
};

/// Thrown if a file cannot be read. The text has the reason, but not the file's
/// name. Tests: test/base/read_file_test.cpp.
class file_error : public std::runtime_error {
public:
  /// @param number the system's error number; 0 if there is none.
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

/// Reads a file that a user named. Does not read devices, which may be endless,
/// except /dev/null.
/// @throws file_error
file_content read_file(const std::string& path, const file_limits& limits = {});

/// Reads the first line of a file, such as a token.
/// @throws file_error, even if the line is empty.
std::string read_first_line(const std::string& path);

} // namespace caf::rosia::detail
