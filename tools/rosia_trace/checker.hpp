// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/event.hpp"
#include "rosia_trace/event_names.hpp"
#include "rosia_trace/rule.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rosia_trace {

/// The content of a trace, as far as it was read.
struct trace_counts {
  std::uint64_t lines = 0;
  /// By `event_kind`.
  std::array<std::uint64_t, kind_names.size()> events{};
  /// The application's status, at the end of the trace.
  std::optional<std::int64_t> status;

  std::uint64_t of(event_kind kind) const {
    return events[static_cast<std::size_t>(kind)];
  }
};

/// Checks a trace in one pass, line by line. The memory depends on the graph
/// and on the messages in transit, not on the length of the trace.
///
/// It implements the semantics independently and includes no header of the
/// library. Not thread-safe, but different checkers are independent.
class checker {
public:
  checker();
  ~checker();
  checker(checker&&) noexcept;
  checker& operator=(checker&&) noexcept;

  /// Reads the next line.
  /// @param text the line without its end; need not outlive the call.
  /// @return whether all rules hold so far. After the first violation, further
  /// lines are ignored.
  bool line(std::string_view text);

  /// Ends the trace.
  /// @param rest text after the last line end: a last line without line end, or
  /// an incomplete line of a killed process.
  /// @return the first violation, or nothing if all rules hold.
  std::optional<violation> finish(std::string_view rest = {});

  const trace_counts& counts() const;

  /// Returns the process that wrote the trace; empty if it is a whole trace.
  const std::string& process() const;

  /// Returns how often each rule was applied; 0 means that the trace did not
  /// test the rule.
  const rule_tally& tally() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

/// Checks a whole trace in memory.
/// @return the first violation, or nothing if all rules hold.
std::optional<violation> check(std::string_view whole_trace);

} // namespace rosia_trace
