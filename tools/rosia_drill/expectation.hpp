// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/words.hpp"

#include "rosia_trace/logical_time.hpp"

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rosia_drill {

/// A form of expectations, for messages and help.
struct expectation_description {
  std::string_view form;
  std::string_view text;
};

const std::vector<expectation_description>& all_expectations();

enum class expectation_kind {
  status,
  ends,
  named,
  report,
  no_report,
  agreement,
  nothing_lost,
  nothing_late,
  rules,
  same,
  no_process,
  no_port,
  no_file,
  log,
  no_log,
  sound,
};

/// A condition that must hold after a round.
struct expectation {
  expectation_kind kind = expectation_kind::status;
  /// As written in the file.
  std::string text;
  /// Exit statuses as in a shell: 128 plus the signal, if a signal killed the
  /// process.
  std::set<int> statuses;
  /// The process of a status or a log. Empty for the coordinator, or for any
  /// log; or "all".
  std::string process;
  /// Maximum duration, from the start of the round or from the last fault.
  std::chrono::nanoseconds limit{0};
  bool after_faults = false;
  /// Whether the expectation is about the run that resumes.
  bool resumed = false;
  /// The name in a report, the text in a log, or the file for `sound`.
  std::string words;
  /// If not empty, the expectation counts only if that process, or all
  /// processes, exited with one of these statuses.
  std::set<int> if_statuses;
  std::string if_process;
  /// The tag up to which the runs must be equal; by default, the lesser final
  /// tag.
  std::optional<rosia_trace::logical_time> up_to;

  /// Returns whether the expectation needs the trace.
  bool needs_trace() const {
    using enum expectation_kind;
    return kind == agreement || kind == nothing_lost || kind == nothing_late
           || kind == rules || kind == same;
  }

  /// Returns whether the expectation needs a program with nodes.
  bool needs_nodes() const {
    using enum expectation_kind;
    return needs_trace() || kind == named || kind == report
           || kind == no_report;
  }
};

/// Parses an expectation.
/// @throws mistake
expectation parse_expectation(const std::string& text);

} // namespace rosia_drill
