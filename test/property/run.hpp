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
#include <string>
#include <vector>

namespace property {

/// What a run of a graph left behind.
struct outcome {
  int status = 0;
  std::string trace; // empty if there was none
  model::logical_time final = model::forever;

  struct node {
    std::vector<model::log_entry> log;
    std::vector<model::stamp> stamps;
    rosia::engine::ending how = rosia::engine::ending::done;
    model::logical_time last;

    /// Its actor was ended by somebody, before it could do anything about it.
    bool vanished = false;

    /// The first tag that ran before its physical time.
    std::optional<model::logical_time> early;
  };
  std::vector<node> nodes;

  std::vector<model::logical_time> proposals;
  std::vector<std::int32_t> statuses;
  std::vector<company::taken> taken;
  bool failed = false;

  /// What the plan for the end came to.
  deeds done;
  bool has_deadline = false;

  /// Whether a node vanished.
  bool vanished() const {
    return std::any_of(nodes.begin(), nodes.end(), [](auto& x) {
      return x.vanished;
    });
  }

  /// What was wrong already, without looking at the oracle.
  std::vector<std::string> problems;
};

/// The part of a graph that one of several processes runs.
struct share {
  /// Of all processes; that of the coordinator first.
  std::vector<std::string> processes;

  /// Per node: the index of its process.
  std::vector<std::size_t> homes;

  /// This one.
  std::size_t self = 0;

  /// The coordinator's port on the loopback device.
  std::uint16_t port = 0;

  /// As the application would have to be run, but for the graph's own.
  bool insecure = true;
};

/// A value of the option `groups`, by a random number.
const char* some_groups(std::uint64_t random);

/// A value for `manner::replay_piece`, by a random number.
std::optional<std::size_t> some_piece(std::uint64_t random);

/// How to run a graph.
struct manner {
  bool traced = false;

  /// Whether nodes now and then take their time.
  bool dallies = false;

  /// The option of this name, which must make no difference.
  const char* groups = "auto";

  /// What ends the run; null leaves that to the graph. With signals, runs take
  /// turns, because they are the process's.
  const ending_plan* ending = nullptr;

  /// Null to run all of it in one process.
  const share* part = nullptr;

  /// The run file to record in; empty for none.
  std::string record = {};

  /// The run file to repeat; empty for none.
  std::string replay = {};

  /// How much of it is read at a time, in bytes for each node; nothing for as
  /// much as usual, which is all that a random graph gets.
  std::optional<std::size_t> replay_piece = std::nullopt;

  /// The options of these names.
  std::string checkpoint = {};
  std::optional<std::chrono::nanoseconds> checkpoint_every = std::nullopt;
  std::string resume = {};
  std::optional<model::logical_time> resume_at = std::nullopt;

  /// How many checkpoints somebody outside wants while it runs, one after the
  /// other.
  std::size_t demands = 0;
};

/// A graph that goes on from a checkpoint: nobody makes the calls again that
/// were made before, but for the one that ends it.
model::graph_spec continued(model::graph_spec graph);

/// Builds a graph as an application, and runs it.
outcome run(const model::graph_spec& graph, caf::actor_system& sys,
            const manner& how, watchdog& dog, const std::string& what);

/// Puts together what the processes of a run left behind, in their order, but
/// for the traces.
outcome join(const share& parts, std::vector<outcome>&& xs);

/// Holds a run against the recorded one that it repeats.
/// @returns what differs.
std::vector<std::string> replay_differences(
  const outcome& recorded, const outcome& repeated);

/// The last final tag that a trace tells.
model::logical_time final_tag_in(const std::string& trace);

/// Holds a run against the oracle, and its trace, if there is one, against the
/// trace's checker.
/// @param expected of the graph without physical values, for all tags; null if
///        there are physical values.
/// @returns what is wrong.
std::vector<std::string> judge(const model::graph_spec& graph, const outcome& x,
                               const model::expectation* expected);

} // namespace property
