// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/logical_time.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rosia_drill {

/// What became of a process. Times are nanoseconds since the round's start.
struct process_outcome {
  std::string name;
  std::filesystem::path log;
  bool ran = false;
  std::int64_t started = 0;
  std::int64_t ended = 0;
  /// As a shell tells it: 128 and the signal, if one ended it.
  int status = 0;
};

/// How far a node was when.
struct node_step {
  /// Nanoseconds since the round's start.
  std::int64_t at = 0;
  rosia_trace::logical_time tag;
  /// The number of tags that the node has executed, this one included; 0 if the
  /// node has only started.
  std::uint64_t number = 0;
};

struct node_outcome {
  std::string name;
  std::string process;
  /// Some of them, evenly chosen, if there are many.
  std::vector<node_step> steps;
  /// The number of tags that the node has executed.
  std::uint64_t tags = 0;
  /// done, requested, forced, or lost.
  std::string ended = "lost";
};

enum class round_event_kind { fault, step, log, end };

struct round_event {
  /// Nanoseconds since the round's start.
  std::int64_t at = 0;
  round_event_kind kind = round_event_kind::step;
  std::string process;
  std::string node;
  std::string text;
  std::optional<rosia_trace::logical_time> tag;
};

std::string_view to_string(round_event_kind x);

struct failed_expectation {
  std::string expectation;
  /// What happened instead.
  std::string actual;
};

/// All that is known of a round.
struct outcome {
  std::uint64_t number = 1;
  std::uint64_t seed = 1;
  std::int64_t nanoseconds = 0;
  /// Empty if it was not kept.
  std::filesystem::path folder;
  std::vector<process_outcome> processes;
  std::vector<node_outcome> nodes;
  std::vector<round_event> events;
  /// How many there were of those of which `events` has only some.
  std::uint64_t log_lines = 0;
  std::uint64_t protocol_steps = 0;
  /// When logical time began, and when the last fault happened, if so.
  std::optional<std::int64_t> began;
  std::optional<std::int64_t> last_fault;
  /// What did not go as the drill wants it, whatever is expected.
  std::vector<failed_expectation> problems;
  /// Processes, ports and files that were left.
  std::vector<std::string> processes_left;
  std::vector<std::string> ports_left;
  std::vector<std::string> files_left;
  /// The library's report of an abort, as JSON; else empty.
  std::string report;
  /// One trace of all processes; empty if there is none, and why.
  std::filesystem::path trace;
  std::string no_trace;
  /// The round was given up because somebody wanted the tool to end.
  bool interrupted = false;

  // -- once the expectations are checked --------------------------------------

  std::vector<failed_expectation> failures;

  bool held() const {
    return failures.empty();
  }
};

} // namespace rosia_drill
