// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace rosia_trace {

/// A table of texts that adapts the width of its columns.
class table {
public:
  enum class align { left, right };

  struct column {
    std::string title;
    align alignment = align::left;
  };

  explicit table(std::vector<column> columns);

  /// @pre One cell for each column.
  void add(std::vector<std::string> cells);

  void print(std::ostream& out) const;

private:
  void print_row(std::ostream& out, const std::vector<std::string>& cells,
                 const std::vector<std::size_t>& widths) const;

  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Returns the number of characters that a terminal shows for UTF-8 text
/// without combining or wide characters.
std::size_t shown_width(std::string_view text);

/// Returns `1 node`, `2 nodes`.
std::string counted(std::uint64_t count, std::string_view unit);

} // namespace rosia_trace
