// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "csv_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "text.hpp"

namespace localization {

namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> result;
  for (;;) {
    const auto comma = text.find(',');
    result.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos)
      return result;
    text.remove_prefix(comma + 1);
  }
}

} // namespace

csv_reader::csv_reader(std::istream& in, std::string file,
                       std::string_view header)
  : in_{in}, file_{std::move(file)}, header_{header} {
  for (const auto name : split(header_))
    columns_.emplace_back(name);
  if (!read_line())
    throw input_error{file_ + ": the file is empty; its first line should be "
                      + in_quotes(header_)};
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  std::string_view found = text_;
  if (found.substr(0, byte_order_mark.size()) == byte_order_mark)
    found.remove_prefix(byte_order_mark.size());
  const auto names = split(found);
  if (!std::equal(names.begin(), names.end(), columns_.begin(), columns_.end()))
    fail("the first line should be " + in_quotes(header_) + ", but is "
         + in_quotes(trimmed(found)));
}

bool csv_reader::next() {
  do {
    if (!read_line())
      return false;
  } while (trimmed(text_).empty());
  fields_ = split(text_);
  if (fields_.size() != columns_.size())
    fail("a row has " + std::to_string(columns_.size()) + " fields (" + header_
         + "), but this one " + std::to_string(fields_.size()));
  return true;
}

double csv_reader::number(std::size_t column) const {
  constexpr double limit = 1e9;
  const auto result = parse_number(fields_[column]);
  if (!result)
    fail(column, in_quotes(fields_[column]) + " is not a finite number");
  if (std::abs(*result) > limit)
    fail(column, in_quotes(fields_[column]) + " is beyond a billion");
  return *result;
}

int csv_reader::integer(std::size_t column) const {
  const auto result = parse_integer(fields_[column]);
  if (!result)
    fail(column, in_quotes(fields_[column]) + " is not an integer");
  return *result;
}

std::chrono::nanoseconds csv_reader::seconds(std::size_t column) const {
  const auto result = parse_seconds(fields_[column]);
  if (!result)
    fail(column, in_quotes(fields_[column]) + " is not a time in seconds");
  return *result;
}

void csv_reader::fail(const std::string& problem) const {
  throw input_error{file_ + ":" + std::to_string(line_) + ": " + problem};
}

void csv_reader::fail(std::size_t column, const std::string& problem) const {
  fail(columns_[column] + ": " + problem);
}

bool csv_reader::read_line() {
  // Limits the line length: a device or a binary file must not fill the memory.
  std::array<char, 4096> buffer;
  in_.getline(buffer.data(), buffer.size());
  const auto length = static_cast<std::size_t>(in_.gcount());
  if (in_.bad())
    throw input_error{file_ + ": the file cannot be read"};
  if (in_.eof() && length == 0)
    return false;
  ++line_;
  if (in_.fail() && length == buffer.size() - 1)
    fail("the line is longer than " + std::to_string(length) + " characters");
  const auto line_end = in_.eof() ? 0u : 1u;
  text_.assign(buffer.data(), length - line_end);
  return true;
}

} // namespace localization
