// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rosia_trace {

struct event;

/// The error for a file that cannot be read.
class unreadable_file : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Returns the name of `path` for messages: itself, or standard input.
std::string shown_path(const std::string& path);

/// Reads `path`, or standard input if it is `-`, and calls `f` with each line,
/// until it returns false. Only the longest line must fit into memory.
/// @return the text after the last line end; empty if `f` stopped.
/// @throws unreadable_file
std::string read_lines(const std::string& path,
                       const std::function<bool(std::string_view)>& f);

/// Reads the trace `path`, and calls `add` with each event, and then `end`.
/// Omits the incomplete last line of a killed process.
/// @throws unreadable_file with the line, also for a `broken_rule` that one of
/// the functions throws.
void read_events(
  const std::string& path, const std::function<void(const event&)>& add,
  const std::function<void()>& end = [] {});

/// Reads all of `path`, or of standard input if it is `-`.
/// @throws unreadable_file
std::string read_all(const std::string& path);

/// Prevents a command from writing to the file that it reads.
/// @throws std::runtime_error if `output` is the same file as `input`.
void require_other_file(const std::string& output, const std::string& input);

/// Calls `write` with the file `output`, or with `out` if `output` is empty.
/// @throws std::runtime_error if the file cannot be written.
void write_to(const std::string& output, std::ostream& out,
              const std::function<void(std::ostream&)>& write);

} // namespace rosia_trace
