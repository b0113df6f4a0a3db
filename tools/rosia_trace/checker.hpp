// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/rule.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace rosia_trace {

/// What a trace had, as far as it was read.
struct trace_counts {
  std::uint64_t lines = 0;
  std::uint64_t nodes = 0;
  std::uint64_t connections = 0;
  /// Tags that nodes executed.
  std::uint64_t tags = 0;
  std::uint64_t resumes = 0;
  std::uint64_t reactions = 0;
  /// Values that triggers took.
  std::uint64_t triggers = 0;
  /// Events that nodes had scheduled for themselves.
  std::uint64_t actions = 0;
  /// Values that were sent, one a connection.
  std::uint64_t sends = 0;
  /// Values that were set.
  std::uint64_t inputs = 0;
  /// Null messages.
  std::uint64_t promises = 0;
  /// Physical values that were not taken.
  std::uint64_t drops = 0;
  std::uint64_t requests = 0;
  std::uint64_t finals = 0;
  bool forced = false;
  /// The application's status, once the trace has ended.
  std::optional<std::int64_t> status;
};

/// Checks a trace in one pass, line by line, in memory that depends on the
/// graph and on the messages under way, not on the trace's length.
///
/// It knows the semantics and nothing of the library: it includes no header of
/// it. Not for use by several threads at once; different checkers are
/// independent of each other.
class checker {
public:
  checker();
  ~checker();
  checker(checker&&) noexcept;
  checker& operator=(checker&&) noexcept;

  /// Reads the next line.
  /// @param text the line without its end; need not outlive the call.
  /// @return whether all rules hold so far. After the first that is broken,
  ///         further lines are ignored.
  bool line(std::string_view text);

  /// Ends the trace.
  /// @param rest what follows the last line end: a last line without one, or
  ///        the part of a line that a dying process could write.
  /// @return the first violation, or nothing if all rules hold.
  std::optional<violation> finish(std::string_view rest = {});

  const trace_counts& counts() const;

  /// How often each rule was applied; 0 means that the trace never put it to
  /// the test.
  const rule_tally& tally() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

/// Checks a whole trace in memory.
/// @return the first violation, or nothing if all rules hold.
std::optional<violation> check(std::string_view whole_trace);

} // namespace rosia_trace
