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

/// The result of a process. Times are in nanoseconds since the start of the
/// round.
struct process_outcome {
  std::string name;
  std::filesystem::path log;
  bool ran = false;
  std::int64_t started = 0;
  std::int64_t ended = 0;
  /// As in a shell: 128 plus the signal, if a signal killed the process.
  int status = 0;
};

/// The progress of a node at a point in time.
struct node_step {
  /// Nanoseconds since the round's start.
  std::int64_t at = 0;
  rosia_trace::logical_time tag;
  /// The number of tags that the node executed, this one included; 0 if the
  /// node has only started.
  std::uint64_t number = 0;
};

struct node_outcome {
  std::string name;
  std::string process;
  /// A sample of the steps at even intervals, if there are many.
  std::vector<node_step> steps;
  /// The number of tags that the node executed.
  std::uint64_t tags = 0;
  /// done, requested, aborted or lost.
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
  /// The actual result.
  std::string actual;
};

/// The result of a round.
struct outcome {
  std::uint64_t number = 1;
  std::uint64_t seed = 1;
  std::int64_t nanoseconds = 0;
  /// Empty if the folder was not kept.
  std::filesystem::path folder;
  std::vector<process_outcome> processes;
  std::vector<node_outcome> nodes;
  std::vector<round_event> events;
  /// Total numbers; `events` may have only some of them.
  std::uint64_t log_lines = 0;
  std::uint64_t protocol_steps = 0;
  /// The start of logical time, and the last fault, if they happened.
  std::optional<std::int64_t> began;
  std::optional<std::int64_t> last_fault;
  /// Problems that do not depend on the drill's expectations.
  std::vector<failed_expectation> problems;
  /// Processes, ports and files that the round left behind.
  std::vector<std::string> processes_left;
  std::vector<std::string> ports_left;
  std::vector<std::string> files_left;
  /// The library's report of an abort, as JSON; empty without an abort.
  std::string report;
  /// The merged trace of all processes; empty if there is none, with the
  /// reason.
  std::filesystem::path trace;
  std::string no_trace;
  /// Whether the round was aborted because the tool was interrupted.
  bool interrupted = false;

  // -- after the expectations were checked ------------------------------------

  std::vector<failed_expectation> failures;

  bool held() const {
    return failures.empty();
  }
};

} // namespace rosia_drill
