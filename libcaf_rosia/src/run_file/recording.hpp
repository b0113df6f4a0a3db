// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"
#include "caf/rosia/logical_time.hpp"
#include "run_file/database.hpp"
#include "run_file/recorded_events.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia::run_file {

// The tables of a recording (section 8.1 of the semantics) as plain data. The
// manual describes them.

/// Returns the first difference between two graphs that matters to a replay: in
/// nodes, ports, connections. None if there is none.
std::optional<std::string> first_difference(
  const graph_description& recorded, const graph_description& present);

/// Returns the name of a connection in run files: "camera.image to filter.in".
std::string connection_name(
  const graph_description& graph, const graph_description::connection& x);

/// The properties of a run that are known at its start.
struct run_record {
  std::string uuid;         // the same in all processes
  std::string process;      // empty if there is only one
  std::string processes;    // all, separated by ","; empty if there is only one
  std::string version;      // of the library
  std::int64_t started = 0; // nanoseconds since 1970
  std::vector<std::pair<std::string, std::string>> options;
};

struct node_end {
  std::string ending; // as for the run
  logical_time last;  // the last tag that it executed
};

/// The end of a run. Tests: test/recording.
struct end_record {
  /// "done" by itself, "final" at the final tag, "aborted".
  std::string ending;
  /// The final tag; if the run was aborted, the last tag of any node. `forever`
  /// if it ended by itself, or was aborted before all external events up to its
  /// last tags were known.
  logical_time final = forever;
  int status = 0;
  std::string reason;
  /// The end of each node; none for nodes of other processes.
  std::vector<std::optional<node_end>> nodes = {};
};

/// The extent of a process's recording.
struct reach_record {
  /// All external events before this tag are in the file.
  std::int64_t ns = 0;
  std::uint64_t lost_events = 0;
  std::uint64_t lost_values = 0;
};

/// Returns a UUID that is made from a random number.
std::string make_uuid(std::uint64_t random);

// -- writing ------------------------------------------------------------------

/// Creates the tables that do not exist.
void make_recording_tables(database& file);

/// The rows of a run in the tables.
struct run_rows {
  std::int64_t run = 0;
  std::vector<std::int64_t> nodes;
  std::vector<std::vector<std::int64_t>> ports; // by node, the inputs first
};

run_rows write_run(database& file, const run_record& x,
                   const graph_description& graph);

/// Removes a run that has neither events nor values.
void erase_run(database& file, std::int64_t run);

/// Records that the run was resumed from a checkpoint at this tag.
void write_resumed(database& file, std::int64_t run, logical_time at);

void write_reach(database& file, std::int64_t run, const reach_record& x);

/// Prepares the row of an external event.
/// @returns the statement, which lacks the bytes (7) and the text (8).
statement& event_row(
  database& file, std::int64_t run, std::string_view node,
  std::string_view source, std::string_view name, logical_time tag);

/// Records a deadline that has passed.
void write_deadline(database& file, std::int64_t run, const deadline_record& x);

/// Records a tardy value.
void write_tardy(database& file, std::int64_t run, const tardy_record& x);

/// Records the tag that a node with deadlines executes.
/// @param node the node's row.
void write_reached(database& file, std::int64_t node, logical_time tag);

void write_end(database& file, const run_rows& at, const end_record& x);

// -- reading ------------------------------------------------------------------

/// A run, read from the files of all its processes. Tests: test/recording.
struct recorded_run {
  std::string path;
  std::string uuid;

  /// Without actions, and without the triggers and deadlines of reactions.
  graph_description graph;

  /// The tag up to which it is known.
  logical_time final = forever;
  int status = 0;

  /// The nodes that ended by themselves before the final tag was decided, but
  /// past it, with their last tags.
  std::map<std::string, logical_time> done;

  /// The tags below which all deadlines are known that have passed, of nodes
  /// for which this is not `forever`.
  std::map<std::string, logical_time> deadlines_known;

  /// The checkpoint that it was resumed from; empty if it has a beginning.
  std::string resumed_at;

  /// Warnings: that it is incomplete, and why.
  std::vector<std::string> remarks;

  /// The external events. Never null.
  std::shared_ptr<recorded_events> events;
};

/// Returns the files of a run: FILE, and all FILE.*, which may be those of its
/// processes.
std::vector<std::string> files_of(const std::string& path);

/// Returns whether one of these files is that of a process, and not a copy with
/// another name.
bool is_file_of(const std::string& file, const std::string& path,
                const std::string& process);

/// @throws std::runtime_error if the path is that of one process's file, where
/// the name is needed that the files of all processes begin with.
void refuse_part(const std::string& path, const std::string& process);

bool has_recording(database& file);

/// @throws std::runtime_error that says that a file has no recorded run.
[[noreturn]] void refuse_unrecorded(const std::string& path);

/// Reads the last recorded run from a file, or from the files of its processes.
/// @throws std::runtime_error if there is none, or if a process's file is
/// missing.
recorded_run read_run(const std::string& path);

} // namespace caf::rosia::run_file
