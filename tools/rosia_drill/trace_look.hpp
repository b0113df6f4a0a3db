// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/outcome.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace rosia_drill {

/// Maximum number of steps of a node in the report.
inline constexpr std::size_t steps_of_node = 200;

/// Reads the traces of a round's processes. Adds the results of the nodes, and
/// merges the traces.
/// @param folder the folder of the round.
void look_at_traces(const std::filesystem::path& folder, outcome& into);

/// A broken rule: its name and the violation. The name is empty if the rest of
/// the trace cannot be read.
struct trace_fault {
  std::string rule;
  std::string text;
};

/// Checks a trace against the rules of the semantics.
/// @returns the first violation; nothing if all rules hold.
std::optional<trace_fault> check_trace(const std::filesystem::path& trace);

/// Compares two runs. @returns a description of the first difference; empty if
/// there is none.
/// @throws rosia_trace::unreadable_file
std::string compare_traces(
  const std::filesystem::path& undisturbed,
  const std::filesystem::path& disturbed,
  const std::optional<rosia_trace::logical_time>& up_to);

/// Joins the traces of a run and of the run that resumes it. Stores the joined
/// trace, or the reason for its absence, in `second`.
/// @param to file for the trace.
void join_traces(const outcome& first, outcome& second,
                 const std::filesystem::path& to);

} // namespace rosia_drill
