// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/table.hpp"

#include <algorithm>
#include <ostream>

namespace rosia_trace {

table::table(std::vector<column> columns) : columns_{std::move(columns)} {
  // nop
}

void table::add(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

void table::print(std::ostream& out) const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const auto& x : columns_) {
    titles.push_back(x.title);
    widths.push_back(shown_width(x.title));
  }
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], shown_width(row[i]));
  print_row(out, titles, widths);
  for (const auto& row : rows_)
    print_row(out, row, widths);
}

void table::print_row(std::ostream& out, const std::vector<std::string>& cells,
                      const std::vector<std::size_t>& widths) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string padding(widths[i] - shown_width(cells[i]), ' ');
    if (i > 0)
      line += "  ";
    line += columns_[i].alignment == align::left
              ? cells[i] + padding
              : padding + cells[i];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(
    std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

std::string counted(std::uint64_t count, std::string_view unit) {
  auto result = std::to_string(count) + ' ';
  result += unit;
  if (count == 1)
    return result;
  if (result.ends_with('s'))
    return result += "es";
  return result += 's';
}

} // namespace rosia_trace
