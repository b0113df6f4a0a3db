// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "run_file/database.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::run_file {

/// A value in CAF's format. Shared by all users.
using blob = std::vector<char>;

/// The part of a checkpoint that belongs to one node: section 8.3 of the
/// semantics. Tests: test/run_file/checkpoints_test.cpp.
struct node_part {
  struct state {
    std::string name;
    std::string type;
    std::uint32_t version = 1;
    blob content;
  };

  /// An event that the node scheduled.
  struct event {
    std::string action;
    logical_time tag;
    blob content;
  };

  /// A value that an input retains. Several are in their order.
  struct retained {
    std::string input;
    blob content;
  };

  /// A promise: the output is not written before the tag.
  struct promise {
    std::string output;
    logical_time tag;
  };

  struct message {
    logical_time arrival;
    blob content;
  };

  /// The messages sent over a connection with delay.
  struct channel {
    std::string output;
    std::string target; // "node.port"
    logical_time last_arrival = never;
    std::vector<message> in_transit;
  };

  /// The last event of an action with a spacing that is not pending.
  struct last_event {
    std::string action;
    bool physical = false;
    logical_time tag;
  };

  /// A mode.
  struct mode {
    std::string name;
    bool is_active = false;
    bool was_active = false;
    bool by_history = false;
    std::int64_t entries = 0;
  };

  /// An event of a mode that is not active.
  struct suspended {
    std::string action;
    delay distance;
    std::vector<char> content;
  };

  /// The earliest end that its code requested.
  struct end_request {
    logical_time tag;
    int status = 0;
  };

  std::string node;
  logical_time logical; // the last tag that was executed
  bool left = false;    // whether it had ended by itself
  std::vector<state> states;
  std::vector<event> events;
  std::vector<last_event> last_events;
  std::vector<mode> modes;
  std::vector<suspended> suspended_events;
  std::vector<retained> inputs;
  std::vector<promise> promises;
  std::vector<channel> channels;
  std::optional<end_request> requested;
};

/// A checkpoint, in the form of one process's part. Tests:
/// test/run_file/checkpoints_test.cpp.
struct checkpoint {
  std::int64_t id = 0;     // in the file
  std::string run;         // name_of_run(), the same for all processes
  std::int64_t number = 0; // of the run; its continuations have greater ones
  std::string process;     // empty if there is only one
  std::int64_t processes = 1;
  logical_time tag;
  std::string date;      // the time when it was written, UTC
  bool complete = false; // all processes have written their parts
  bool final = false;    // the application ended at this tag
  std::int64_t nodes = 0;
  std::int64_t size = 0; // of all values, in bytes
};

/// Returns the name of a run.
/// @param own differs from that of all other runs.
/// @param continued the name of the run that it continues; empty if none.
std::string name_of_run(const std::string& own, std::string_view continued);

/// Returns the name of the run that began anew, which the run continues.
std::string_view origin_of(std::string_view run);

/// The lines that must be equal when a run is resumed: one for each node, port
/// and connection.
using graph_lines = std::vector<std::string>;

/// Creates the tables of checkpoints if they do not exist.
void make_checkpoint_tables(database& file);

/// Writes a checkpoint, within a transaction of the caller. If the run has
/// already written a checkpoint at this tag, that one stays. It becomes final
/// if either is.
/// @returns its id.
std::int64_t write(
  database& file, const checkpoint& saved, const graph_lines& graph,
  const std::vector<node_part>& parts);

/// Marks a checkpoint as complete, because all processes have written their
/// parts. Called within a transaction.
/// @param keep the number of complete checkpoints to keep; older ones are
///   removed.
void mark_complete(database& file, const std::string& run, logical_time tag,
                   std::size_t keep);

/// Returns the checkpoints of a file, oldest first; none if it has no tables
/// for them.
std::vector<checkpoint> checkpoints_of(database& file);

graph_lines graph_of(database& file, const checkpoint& which);

/// Returns the parts of all nodes that are in the file.
std::vector<node_part> parts_of(database& file, const checkpoint& which);

} // namespace caf::rosia::run_file
