// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/event.hpp"
#include "rosia_trace/graph.hpp"
#include "rosia_trace/logical_time.hpp"
#include "rosia_trace/run.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rosia_trace {

/// Stands for no node, and for no connection.
inline constexpr index no_index = static_cast<index>(-1);

/// Stands for a time before everything that happens.
inline constexpr auto before_all = std::numeric_limits<std::int64_t>::min();

/// A line behind the header, with what the order of lines depends on.
struct step {
  event_kind kind = event_kind::end;
  /// Only of `shutdown`.
  ending how = ending::none;
  index node = no_index;
  /// The one that a value is sent on, or comes from.
  index connection = no_index;
  /// The arrival of a value, the STAT of an execution, what a request and a
  /// question propose; else the event's tag.
  logical_time tag;
  value_digest value;
  /// Nanoseconds: what the process said last.
  std::int64_t elapsed = 0;
  std::string_view text;
};

/// In memory, the trace that one process of several has written.
class process_trace {
public:
  /// Reads a file, and parses the header: the application and its graph.
  /// @param path may be `-`.
  /// @throws unreadable_file
  explicit process_trace(const std::string& path);

  process_trace(const process_trace&) = delete;

  process_trace& operator=(const process_trace&) = delete;

  /// Parses what follows the header.
  /// @throws unreadable_file
  void read_steps(const graph& declared);

  /// How messages call the file.
  const std::string& file() const {
    return file_;
  }

  /// The process's name.
  const std::string& process() const {
    return process_;
  }

  /// Only if the application has it.
  std::optional<logical_time> stop_after() const {
    return stop_after_;
  }

  /// The first lines, the first of them without the process.
  const std::vector<std::string>& header() const {
    return header_;
  }

  /// What follows, but for `end`.
  const std::vector<step>& steps() const {
    return steps_;
  }

  /// The line `end`; empty if the process did not get there.
  std::string_view end() const {
    return end_;
  }

  /// The application's status. @pre `!end().empty()`
  std::int64_t status() const {
    return status_;
  }

  /// Whether the last line is cut off. It is none of the steps.
  bool cut_off() const {
    return cut_off_;
  }

  /// `FILE:LINE`, of a line of the header, of a step, or of `end`.
  std::string header_place(std::size_t position) const;

  std::string step_place(std::size_t position) const;

  std::string end_place() const;

private:
  /// Takes the next line from the text. @return whether there is one.
  bool next();

  /// Parses the line. @return false if the text is cut off in it.
  bool parse();

  void add_header(const event& x);

  void add_step(const event& x, const graph& declared);

  /// Whether the step that was added last tells of `stop_after`, before all
  /// others.
  bool is_preset(const event& x) const;

  std::string place(std::size_t line) const;

  [[noreturn]] void fail(const std::string& why) const;

  std::string file_;
  std::string text_;
  std::string_view rest_; // of the text: what is yet to be parsed
  std::string_view line_;
  bool again_ = false; // the line is yet to be dealt with
  std::size_t line_number_ = 0;
  line_parser parser_;
  std::string process_;
  std::optional<logical_time> stop_after_;
  std::vector<std::string> header_;
  std::vector<step> steps_;
  std::int64_t elapsed_ = 0;
  std::string_view end_;
  std::int64_t status_ = 0;
  bool cut_off_ = false;
};

} // namespace rosia_trace
