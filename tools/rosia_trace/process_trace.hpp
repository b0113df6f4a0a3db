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

/// A line after the header, with the data that determines the order of lines.
struct step {
  event_kind kind = event_kind::end;
  /// Only for `shutdown`.
  ending end = ending::none;
  /// Whether it is an execution of the last tag.
  bool last = false;
  index node = no_index;
  /// The connection on which a value is sent or received.
  index connection = no_index;
  /// The arrival tag of a value, the STAT of an execution unless its tag is the
  /// last, or the proposal of a request or a question; otherwise the event's
  /// tag.
  logical_time tag;
  value_digest value;
  /// Nanoseconds: the last time in the trace of the process.
  std::int64_t elapsed = 0;
  std::string_view text;
};

/// The trace of one of several processes, in memory.
class process_trace {
public:
  /// Reads a file, and parses the header: the application and its graph. The
  /// header is incomplete if the process was killed early.
  /// @param path may be `-`.
  /// @throws unreadable_file
  explicit process_trace(const std::string& path);

  process_trace(const process_trace&) = delete;

  process_trace& operator=(const process_trace&) = delete;

  /// Returns whether no line follows the header. @pre `read_steps` was not
  /// called.
  bool ends_in_header() const {
    return rest_.empty() && !again_;
  }

  /// Parses the lines after the header.
  /// @throws unreadable_file
  void read_steps(const graph& declared);

  /// Returns the name of the file for messages.
  const std::string& file() const {
    return file_;
  }

  /// The process's name.
  const std::string& process() const {
    return process_;
  }

  /// Returns the tag only if the application has the option.
  bool is_replay() const noexcept {
    return is_replay_;
  }

  std::optional<logical_time> stop_after() const {
    return stop_after_;
  }

  /// Returns the first lines, without the process in the first of them.
  const std::vector<std::string>& header() const {
    return header_;
  }

  /// Returns the lines after the header, without `end`.
  const std::vector<step>& steps() const {
    return steps_;
  }

  /// Returns the line `end`; empty if the process did not reach it.
  std::string_view end() const {
    return end_;
  }

  /// Returns the application's status. @pre `!end().empty()`
  std::int64_t status() const {
    return status_;
  }

  /// Returns whether the last line is incomplete. It is not among the steps.
  bool cut_off() const {
    return cut_off_;
  }

  /// Returns `FILE:LINE` for a line of the header, a step, or `end`.
  std::string header_place(std::size_t position) const;

  std::string step_place(std::size_t position) const;

  std::string end_place() const;

private:
  /// Reads the next line from the text. @return whether there is one.
  bool next();

  /// Parses the line. @return false if the line is incomplete.
  bool parse();

  void add_header(const event& x);

  void add_step(const event& x, const graph& declared);

  /// Returns whether the last step is part of `stop_after`, which precedes all
  /// other steps.
  bool is_preset(const event& x) const;

  std::string place(std::size_t line) const;

  [[noreturn]] void fail(const std::string& problem) const;

  std::string file_;
  std::string text_;
  std::string_view rest_; // the text that is not parsed yet
  std::string_view line_;
  bool again_ = false; // whether to handle the line again
  std::size_t line_number_ = 0;
  line_parser parser_;
  std::string process_;
  bool is_replay_ = false;
  std::optional<logical_time> stop_after_;
  std::vector<std::string> header_;
  std::vector<step> steps_;
  std::int64_t elapsed_ = 0;
  std::string_view end_;
  std::int64_t status_ = 0;
  bool cut_off_ = false;
};

} // namespace rosia_trace
