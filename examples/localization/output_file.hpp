// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

namespace localization {

/// The error for a file that cannot be written. The text names the file.
class output_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// An output file that reports every error.
class output_file {
public:
  /// Constructs an object without a file, for a process that writes none.
  output_file() = default;

  /// Opens the file, or creates it. Keeps its content.
  /// @throws output_error if that fails.
  explicit output_file(std::string name);

  /// Empties the file.
  /// @throws output_error if that fails.
  void clear();

  /// Returns the file's name.
  const std::string& name() const noexcept {
    return name_;
  }

  /// Returns the stream that writes to the file.
  std::ostream& stream() noexcept {
    return stream_;
  }

  /// Writes the buffered data and closes the file.
  void close();

  /// Checks the file.
  /// @throws output_error if an earlier write has failed.
  void check() const;

private:
  void open(std::ios::openmode mode);

  std::string name_;
  std::ofstream stream_;
};

} // namespace localization
