// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/tracer.hpp"
#include "property/ending_plan.hpp"
#include "property/model/graph.hpp"
#include "property/model/oracle.hpp"
#include "property/random_node.hpp"
#include "property/watchdog.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace property {

/// The results of a run of a graph.
struct outcome {
  int status = 0;
  std::string trace; // empty if there was none
  model::logical_time final = model::forever;

  struct node {
    std::vector<model::log_entry> log;
    std::vector<model::stamp> stamps;
    std::vector<model::lateness> deadlines;
    std::vector<model::expiry> expiries;
    rosia::engine::ending ending = rosia::engine::ending::done;
    model::logical_time last;

    /// Whether its actor was ended from outside.
    bool vanished = false;

    /// The first tag that ran before its physical time.
    std::optional<model::logical_time> early;

    /// Whether its code failed.
    bool failed = false;
  };
  std::vector<node> nodes;

  std::vector<model::logical_time> proposals;
  std::vector<std::int32_t> statuses;
  std::vector<company::taken> taken;
  bool failed = false;

  /// Whether it resumed from a checkpoint.
  bool resumed = false;

  /// The events of the plan for the end.
  deeds done;
  bool has_deadline = false;

  /// Returns whether a node vanished.
  bool vanished() const {
    return std::any_of(nodes.begin(), nodes.end(), [](auto& x) {
      return x.vanished;
    });
  }

  /// The problems that do not depend on the oracle.
  std::vector<std::string> problems;
};

/// The part of a graph that one of several processes runs.
struct share {
  /// The names of all processes; the coordinator is first.
  std::vector<std::string> processes;

  /// Per node, the index of its process.
  std::vector<std::size_t> homes;

  /// The index of this process.
  std::size_t self = 0;

  /// The coordinator's port on the loopback device.
  std::uint16_t port = 0;

  /// Whether the application runs without TLS, except for the graph's own
  /// setting.
  bool insecure = true;
};

/// Returns a value of the option `groups`, chosen by a random number.
const char* some_groups(std::uint64_t random);

/// Returns a value for `manner::replay_piece`, chosen by a random number.
std::optional<std::size_t> some_piece(std::uint64_t random);

/// The parameters of a run.
struct manner {
  bool traced = false;

  /// Whether nodes sometimes delay.
  bool dallies = false;

  /// The value of this option, which must have no effect.
  const char* groups = "auto";

  /// The plan for the end; null leaves that to the graph. With signals, runs
  /// take turns, because signals are sent to the process.
  const ending_plan* ending = nullptr;

  /// Null to run the whole graph in one process.
  const share* part = nullptr;

  /// The run file for recording; empty for none.
  std::string record = {};

  /// The run file to replay; empty for none.
  std::string replay = {};

  /// The number of bytes per node that are read at a time; empty for the
  /// default, which is more than the data of a random graph.
  std::optional<std::size_t> replay_piece = std::nullopt;

  /// The options of these names.
  std::string checkpoint = {};
  std::optional<std::chrono::nanoseconds> checkpoint_every = std::nullopt;
  std::string resume = {};
  std::optional<model::logical_time> resume_at = std::nullopt;

  /// The number of checkpoints demanded from outside during the run, one after
  /// the other.
  std::size_t demands = 0;
};

/// Returns a graph for resuming from a checkpoint. Its calls before the
/// checkpoint are not repeated, except for the one that ends it.
model::graph_spec continued(model::graph_spec graph);

/// Builds a graph as an application, and runs it.
outcome run(const model::graph_spec& graph, caf::actor_system& sys,
            const manner& settings, watchdog& dog, const std::string& label);

/// Merges the results of a run's processes, in order, without the traces.
outcome join(const share& parts, std::vector<outcome>&& xs);

/// Returns the entries of a log up to the tag `last`.
std::span<const model::log_entry> entries_until(
  const std::vector<model::log_entry>& log, model::logical_time last);

/// Compares a replay with the recorded run. After an error, nodes end at any
/// tag, and the last tag follows it: only what both runs executed before is
/// compared. With maximal waits, the replay may end before the error.
/// @returns the differences.
std::vector<std::string> replay_differences(
  const outcome& recorded, const outcome& repeated);

/// Returns the last final tag in a trace.
model::logical_time final_tag_in(const std::string& trace);

/// Compares a run with the oracle, and checks its trace, if there is one. With
/// maximal waits, only the trace has the values that were tardy: without one,
/// and in a resumed run, reactions are not compared.
/// @param expected of the graph without physical values, for all tags; null if
/// there are physical values.
/// @returns the problems.
std::vector<std::string> judge(const model::graph_spec& graph, const outcome& x,
                               const model::expectation* expected);

} // namespace property
