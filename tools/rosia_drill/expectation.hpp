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

/// What an expectation may be, for messages and help.
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

/// What has to be so after a round.
struct expectation {
  expectation_kind kind = expectation_kind::status;
  /// As it was written.
  std::string text;
  /// As processes tell it to a shell: 128 and the signal, if one ended it.
  std::set<int> statuses;
  /// Of a status or a log: empty for the coordinator, or for any log; "all".
  std::string process;
  /// How long it may take, from the start of the round, or from the last fault.
  std::chrono::nanoseconds limit{0};
  bool after_faults = false;
  /// Whether it is about the run that continues.
  bool resumed = false;
  /// Of a report or a log: the name, or the text. Of `sound`, the file.
  std::string words;
  /// If there are some, it counts only if that process, or all, ended with one
  /// of these.
  std::set<int> if_statuses;
  std::string if_process;
  /// Up to which tag the runs are the same; else up to the lesser final tag.
  std::optional<rosia_trace::logical_time> up_to;

  /// Whether it is about the trace.
  bool needs_trace() const {
    using enum expectation_kind;
    return kind == agreement || kind == nothing_lost || kind == nothing_late
           || kind == rules || kind == same;
  }

  /// Whether it takes a program with nodes.
  bool needs_nodes() const {
    using enum expectation_kind;
    return needs_trace() || kind == named || kind == report
           || kind == no_report;
  }
};

/// @throws mistake
expectation parse_expectation(const std::string& text);

} // namespace rosia_drill
