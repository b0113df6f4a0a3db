// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/logging.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/options.hpp"
#include "runtime/executors.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/run_actors.hpp"
#include "runtime/run_observers.hpp"
#include "runtime/run_progress.hpp"
#include "runtime/run_records.hpp"
#include "runtime/timekeeper.hpp"
#include "runtime/trace_writer.hpp"
#include "runtime/wired_graph.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace caf::rosia::detail {

class checkpoints;

/// The data that the nodes of a running application share: graph, clock, log,
/// trace, and the addresses of all nodes. Outlives all activity of nodes and
/// actors. Set up by the thread that called `run()`, before the nodes start;
/// the parts say which threads may use them afterwards. Tests: test/runtime,
/// test/application.
class run_context : public std::enable_shared_from_this<run_context> {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param trace null if there is none.
  /// @param nodes the listed nodes must outlive the activity of their actors.
  /// @param others the session with the other processes; null if there are
  ///        none.
  /// @param known the description of the graph; none if it was not made yet.
  run_context(caf::actor_system& sys, const options& opts,
              std::shared_ptr<log_context> log,
              std::unique_ptr<trace_writer> trace, node_directory nodes,
              engine::topology graph, std::unique_ptr<session> others,
              std::optional<graph_description> known = {});

  run_context(const run_context&) = delete;

  run_context& operator=(const run_context&) = delete;

  ~run_context();

  // -- properties -------------------------------------------------------------

  /// Returns the option `max_in_flight`, limited to the engine's maximum.
  static std::uint32_t max_in_flight(const options& opts) noexcept;

  caf::actor_system& system() noexcept {
    return *system_;
  }

  const options& opts() const noexcept {
    return options_;
  }

  log_context& log() noexcept {
    return *log_;
  }

  /// Returns the logger of the coordinator, which also logs what concerns the
  /// whole application.
  spdlog::logger& coordinator_log() const noexcept {
    return *coordinator_log_;
  }

  timekeeper& time() noexcept {
    return time_;
  }

  const timekeeper& time() const noexcept {
    return time_;
  }

  /// Returns the trace; null if there is none.
  trace_writer* trace() noexcept {
    return trace_.get();
  }

  /// Records the run in a file. Called before the run.
  /// @param uuid equal in all processes.
  /// @throws graph_error, std::runtime_error as the recorder does.
  void record(const std::string& path, const std::string& uuid);

  /// Closes the recording, so that it is complete, and the replayed file.
  /// Called when no node is running. A file on a disk that does not respond
  /// within `patience` stays open.
  void close_files(std::chrono::nanoseconds patience);

  /// Keeps this object alive until the process ends, because a thread that
  /// waits for a disk uses it.
  void outlive_application();

  bool outlives_application() const noexcept {
    return outlives_application_;
  }

  /// Sets up the replay of a run. Called before the run, and before `record`.
  /// @param piece passed to `detail::replay`.
  /// @throws graph_error, std::runtime_error as the replay does.
  void repeat(const run_file::recorded_run& run, std::size_t piece);

  /// Lets a drill observe and disturb the application. Called before the run.
  /// @param hook null if there is none.
  void attach(std::shared_ptr<detail::drill> hook);

  /// Enables checkpoints. Called before the run.
  void checkpoints(std::unique_ptr<detail::checkpoints> checkpoints);

  /// Returns the checkpoints of this process; null if there are none.
  detail::checkpoints* checkpoints() const noexcept {
    return checkpoints_.get();
  }

  /// Sets the checkpoint to resume from. Called before the run.
  void resume(std::unique_ptr<resumption> from);

  run_records& records() noexcept {
    return records_;
  }

  run_observers& observers() noexcept {
    return observers_;
  }

  run_progress& progress() noexcept {
    return progress_;
  }

  const run_progress& progress() const noexcept {
    return progress_;
  }

  /// Returns all nodes, including those of other processes.
  const node_directory& nodes() const noexcept {
    return nodes_;
  }

  /// Returns a node. @pre This process runs the node.
  node& at(engine::node_id id) const noexcept {
    return *nodes_.find(id);
  }

  const wired_graph& graph() const noexcept {
    return graph_;
  }

  /// Returns the description of the graph, without groups. Called before the
  /// run. Most runs do not need it.
  const graph_description& description() {
    return graph_.description(nodes_);
  }

  // -- executors and actors ---------------------------------------------------

  detail::executors& executors() noexcept {
    return executors_;
  }

  const detail::executors& executors() const noexcept {
    return executors_;
  }

  run_actors& actors() noexcept {
    return actors_;
  }

  const run_actors& actors() const noexcept {
    return actors_;
  }

  /// Releases all actors and executors, because they keep this object alive.
  void release_actors();

private:
  caf::actor_system* system_;
  options options_;
  std::shared_ptr<log_context> log_;
  std::shared_ptr<spdlog::logger> coordinator_log_;
  node_directory nodes_;
  wired_graph graph_;
  std::unique_ptr<trace_writer> trace_;
  run_observers observers_;
  timekeeper time_;
  run_records records_;
  run_progress progress_;
  detail::executors executors_;
  std::unique_ptr<detail::checkpoints> checkpoints_;
  run_actors actors_;
  bool outlives_application_ = false;
};

} // namespace caf::rosia::detail
