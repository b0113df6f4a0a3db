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
#include <vector>

namespace caf::rosia::run_file {

/// Bytes, as CAF writes values. Shared by all who need them.
using blob = std::vector<char>;

/// What a checkpoint has of one node: section 8.3 of the semantics.
struct node_part {
  struct state {
    std::string name;
    std::string type;
    std::uint32_t version = 1;
    blob content;
  };

  /// An event that the node has scheduled.
  struct event {
    std::string action;
    logical_time tag;
    blob content;
  };

  /// A value that an input retains; several in their order.
  struct retained {
    std::string input;
    blob content;
  };

  /// Nothing is written to the output before.
  struct promise {
    std::string output;
    logical_time tag;
  };

  struct message {
    logical_time arrival;
    blob content;
  };

  /// What was sent over a connection with delay.
  struct channel {
    std::string output;
    std::string target; // "node.port"
    logical_time last_arrival = never;
    std::vector<message> in_transit;
  };

  /// The earliest end that its code has requested.
  struct end_request {
    logical_time tag;
    int status = 0;
  };

  std::string node;
  logical_time logical; // the last tag that was executed
  bool left = false;    // it had ended by itself
  std::vector<state> states;
  std::vector<event> events;
  std::vector<retained> inputs;
  std::vector<promise> promises;
  std::vector<channel> channels;
  std::optional<end_request> requested;
};

/// A checkpoint, as one process has written its part of it.
struct checkpoint {
  std::int64_t id = 0;     // in the file
  std::string run;         // the same for all processes of an application
  std::int64_t number = 0; // of the run: the later, the greater
  std::string process;     // empty if there is only one
  std::int64_t processes = 1;
  logical_time tag;
  std::string date;      // when it was written, UTC
  bool complete = false; // all processes have written theirs
  bool final = false;    // the application ended there
  std::int64_t nodes = 0;
  std::int64_t size = 0; // of all values, in bytes
};

/// What has to be the same where a run goes on: a line for each node, port and
/// connection.
using graph_lines = std::vector<std::string>;

/// Creates the tables of checkpoints if there are none.
void make_checkpoint_tables(database& file);

/// Writes a checkpoint. In a transaction of the caller. One that the run has
/// written at that tag before is the same: it stays, and is the one at the end
/// if either is.
/// @returns its id.
std::int64_t write(
  database& file, const checkpoint& what, const graph_lines& graph,
  const std::vector<node_part>& parts);

/// All processes have written theirs. In a transaction of the caller.
/// @param keep how many complete ones stay; older ones are removed.
void mark_complete(database& file, const std::string& run, logical_time tag,
                   std::size_t keep);

/// The checkpoints of a file, oldest first; none if it has no tables for them.
std::vector<checkpoint> checkpoints_of(database& file);

/// The graph of a checkpoint.
graph_lines graph_of(database& file, const checkpoint& which);

/// The parts of all nodes that are in the file.
std::vector<node_part> parts_of(database& file, const checkpoint& which);

/// The highest number of a run that the file has; 0 if none.
std::int64_t last_run_number(database& file);

} // namespace caf::rosia::run_file
