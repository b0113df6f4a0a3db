// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

namespace localization {

/// A file that cannot be written. The text names it.
class output_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A file that is written, where every failure is told.
class output_file {
public:
  /// No file at all: of a process that writes none.
  output_file() = default;

  /// Creates or empties the file.
  /// @throws output_error if that is not possible.
  explicit output_file(std::string name);

  /// Returns the file's name.
  const std::string& name() const noexcept {
    return name_;
  }

  /// Returns where to write.
  std::ostream& stream() noexcept {
    return stream_;
  }

  /// @throws output_error if something could not be written, so far as known.
  void check() const;

  /// Writes what is still buffered.
  /// @throws output_error if anything could not be written.
  void close();

private:
  std::string name_;
  std::ofstream stream_;
};

} // namespace localization
