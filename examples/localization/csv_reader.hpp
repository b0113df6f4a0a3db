// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstddef>
#include <istream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace localization {

/// The error for an unusable input file. The text has the file, the line if
/// there is one, and the problem: `ranges.csv:7: range_m: 'x' is not ...`.
class input_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Reads numbers from a comma-separated file whose first line names its
/// columns. Accepts Windows line ends, a byte order mark, blanks around fields,
/// blank lines, and a last row without line end. Throws an `input_error` for
/// any other irregularity.
class csv_reader {
public:
  // -- construction -----------------------------------------------------------

  /// Reads and checks the first line.
  /// @param in must outlive the reader.
  /// @param file the name for error messages.
  /// @param header the columns, separated by commas.
  csv_reader(std::istream& in, std::string file, std::string_view header);

  // -- rows -------------------------------------------------------------------

  /// Reads the next row.
  /// @returns false at the end of the file.
  bool next();

  /// Returns a field of the current row, a number of at most a billion. Greater
  /// values, in metres or radians, are errors of the logger.
  double number(std::size_t column) const;

  /// Returns a field of the current row.
  int integer(std::size_t column) const;

  /// Returns a field of the current row as a time; the file has it in seconds.
  std::chrono::nanoseconds seconds(std::size_t column) const;

  /// Returns the current row's line, counted from 1.
  std::size_t line() const noexcept {
    return line_;
  }

  // -- errors -----------------------------------------------------------------

  /// Throws an `input_error` for the current line.
  [[noreturn]] void fail(const std::string& problem) const;

  /// Throws an `input_error` for a field of the current row.
  [[noreturn]] void fail(std::size_t column, const std::string& problem) const;

private:
  bool read_line();

  std::istream& in_;
  std::string file_;
  std::string header_;
  std::vector<std::string> columns_;
  std::string text_;
  std::vector<std::string_view> fields_;
  std::size_t line_ = 0;
};

} // namespace localization
