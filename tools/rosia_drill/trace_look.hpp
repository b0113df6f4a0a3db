// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/outcome.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace rosia_drill {

/// How many steps of a node the report shows.
inline constexpr std::size_t steps_of_node = 200;

/// Reads what the processes of a round have traced: fills in what became of the
/// nodes, and makes one trace of theirs.
/// @param folder the round's.
void look_at_traces(const std::filesystem::path& folder, outcome& into);

/// What is wrong about a trace, and the name of the rule that it breaks; empty
/// if the rest cannot be read.
struct trace_fault {
  std::string rule;
  std::string text;
};

/// Holds a trace against the rules of the semantics.
/// @returns the first line that breaks one; nothing if all hold.
std::optional<trace_fault> check_trace(const std::filesystem::path& trace);

/// Compares two runs. @returns the first difference, for people; empty if there
/// is none.
/// @throws rosia_trace::unreadable_file
std::string compare_traces(
  const std::filesystem::path& undisturbed,
  const std::filesystem::path& disturbed,
  const std::optional<rosia_trace::logical_time>& up_to);

/// Joins the traces of a run, and of the one that continues it, which then has
/// the whole, or says why there is none.
/// @param to the file for it.
void join_traces(const outcome& first, outcome& second,
                 const std::filesystem::path& to);

} // namespace rosia_drill
