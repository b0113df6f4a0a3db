// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "run_file/database.hpp"
#include "run_file/recorded_events.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::run_file {

// The tables of a recording, section 8.1 of the semantics, as plain data. The
// manual describes them.

struct port_record {
  std::string name;
  std::string type;
  bool output = false;
  bool physical = false;
  bool recorded = false;
};

struct reaction_record {
  std::string name;
  std::string kind;     // "reaction", "eager", "startup", "trigger"
  std::string triggers; // the names of inputs and actions, with ", " between
};

struct node_record {
  std::string name;
  std::string process;
  std::vector<port_record> ports;
  std::vector<reaction_record> reactions;
};

struct connection_record {
  std::string from; // "node.port"
  std::string to;
  std::int64_t delay_ns = 0;
  std::uint32_t delay_microsteps = 0;
  bool physical = false;
};

struct graph_record {
  std::vector<node_record> nodes;
  std::vector<connection_record> connections;
};

/// The first difference of two graphs, as far as it matters to a replay: nodes,
/// ports, triggers, connections. Nothing if there is none.
std::optional<std::string> first_difference(
  const graph_record& recorded, const graph_record& present);

/// What is known of a run when it begins.
struct run_record {
  std::string uuid;         // the same in all processes
  std::string process;      // empty if there is only one
  std::string processes;    // all, with "," between; empty if there is only one
  std::string version;      // of the library
  std::int64_t started = 0; // nanoseconds since 1970
  std::vector<std::pair<std::string, std::string>> options;
  graph_record graph;
};

/// How a node ended.
struct node_end {
  std::string how;   // as that of the run
  logical_time last; // the last tag that it has executed
};

/// How a run ended.
struct end_record {
  /// "done" by itself, "final" at the final tag, "aborted".
  std::string how;
  /// The final tag; if the run was aborted, the last that a node executed;
  /// `forever` if it has ended by itself.
  logical_time final = forever;
  int status = 0;
  std::string reason;
  /// By node; nothing for those of other processes.
  std::vector<std::optional<node_end>> nodes = {};
};

/// How far the recording of a process reaches.
struct reach_record {
  /// All external events before this tag are in the file.
  std::int64_t ns = 0;
  std::uint64_t lost_events = 0;
  std::uint64_t lost_values = 0;
};

std::uint64_t random_number();

/// A UUID that is made of a random number.
std::string make_uuid(std::uint64_t random);

// -- writing ------------------------------------------------------------------

/// Makes the tables that are missing.
void make_recording_tables(database& file);

/// Where a run is in the tables.
struct run_rows {
  std::int64_t run = 0;
  std::vector<std::int64_t> nodes;
  std::vector<std::vector<std::int64_t>> ports; // by node
};

run_rows write_run(database& file, const run_record& x);

/// Removes a run that has neither events nor values.
void erase_run(database& file, std::int64_t run);

/// The run continues another one from a checkpoint at this tag.
void write_resumed(database& file, std::int64_t run, logical_time at);

void write_reach(database& file, std::int64_t run, const reach_record& x);

void write_end(database& file, const run_rows& at, const end_record& x);

// -- reading ------------------------------------------------------------------

/// A run as it is read from the files of all its processes.
struct recorded_run {
  std::string path;
  std::string uuid;
  graph_record graph;

  /// Up to where it is known.
  logical_time final = forever;
  int status = 0;

  /// The nodes that had ended by themselves before there was a final tag, past
  /// it, each with its last tag.
  std::map<std::string, logical_time> done;

  /// The checkpoint that it continued from; empty if it had a beginning.
  std::string resumed_at;

  /// What is to be said about it: that it is not complete, and why.
  std::vector<std::string> remarks;

  /// What came from outside. Never null.
  std::shared_ptr<recorded_events> events;
};

/// The files of a run: FILE, and all FILE.*, which may be those of its
/// processes.
std::vector<std::string> files_of(const std::string& path);

/// Tells whether one of these files is the one of a process, and no copy with
/// another name.
bool is_file_of(const std::string& file, const std::string& path,
                const std::string& process);

/// Tells whether a file has the tables of a recording.
bool has_recording(database& file);

/// @throws std::runtime_error that says that no run is recorded in a file.
[[noreturn]] void refuse_unrecorded(const std::string& path);

/// Reads the last run that is recorded in a file, or in those of its processes.
/// @throws std::runtime_error if there is none, or if a process's file is
///         missing.
recorded_run read_run(const std::string& path);

} // namespace caf::rosia::run_file
