// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"
#include "engine/topology.hpp"
#include "run_file/recording.hpp"
#include "run_file/writer.hpp"
#include "runtime/event_rows.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/pending_events.hpp"
#include "runtime/recorded_ports.hpp"
#include "runtime/timekeeper.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace caf::rosia::detail {

/// Records a run [8.1]. Events and values are kept in memory, up to a limit.
/// The file's thread writes them a few times a second. The thread that called
/// `run()` calls all public functions. Tests: test/recording.
class recorder {
public:
  // -- constructors, destructors ----------------------------------------------

  /// Writes the description of the run.
  /// @param file,graph,time must outlive this object.
  /// @param opts,nodes,description used by the constructor only.
  /// @param uuid equal in all processes.
  /// @throws graph_error if the values of a physical action, of a physical
  ///         input, or of a recorded port cannot be saved, or if no port
  ///         matches a name in `record.ports`.
  /// @throws std::runtime_error if the file cannot be written.
  recorder(run_file::writer& file, const options& opts,
           const node_directory& nodes, const engine::topology& graph,
           const graph_description& description, const timekeeper& time,
           const std::string& uuid);

  recorder(const recorder&) = delete;

  recorder& operator=(const recorder&) = delete;

  /// Removes the run from the file if it has not started.
  ~recorder();

  /// Returns the logs for the values of recorded ports.
  recorded_ports& ports() noexcept {
    return ports_;
  }

  /// Returns the log for the external events of all nodes.
  engine::stamp_log& events() noexcept {
    return events_;
  }

  /// Sets the replayed run, whose external events the file's thread copies
  /// while the nodes run. Called before the start.
  void copy_from(run_file::event_reader from, const node_directory& nodes);

  /// Notes that the run resumes from a checkpoint at this tag. Called before
  /// the start.
  void note_resumed(logical_time at);

  /// Starts to write. Called when the run starts.
  void begin();

  /// Returns whether nodes that have left still await events. They were aborted
  /// before these events were known.
  bool awaits_events() {
    return events_.awaits_events();
  }

  /// Writes the end, and waits until it is on the disk. Gives up if the disk
  /// makes no progress for `patience`. Called when no node is running. A run
  /// that has not started is removed.
  /// @returns what the recording lacks; empty if nothing.
  std::string finish(run_file::end_record end,
                     std::chrono::nanoseconds patience);

  /// Returns whether the file's thread still waits for the disk after `finish`.
  /// That thread uses this object and everything that must outlive it, but no
  /// node.
  bool is_stuck() const noexcept {
    return state_ == state::stuck;
  }

private:
  /// The numbers of events and values in a transaction. They are lost if it
  /// fails.
  struct transaction_counts {
    std::uint64_t events = 0;
    std::uint64_t values = 0;
    std::int64_t reached = 0; // `reach_.ns` before the transaction
  };

  enum class state { waiting, recording, finished, stuck };

  /// Posts a job to the file's thread. The job writes all pending events and
  /// values, and posts the next job.
  void post();

  /// Stops posting.
  void stop();

  // -- on the file's thread ---------------------------------------------------

  /// Writes all pending events and values, and counts them in `taken`.
  void write(run_file::database& to, transaction_counts& taken);

  /// Writes up to which time the recording is complete, and what it lacks.
  void write_reach(run_file::database& to);

  /// Counts the content of a failed transaction as lost.
  void note_loss(const transaction_counts& taken);

  run_file::writer& file_;
  const timekeeper& time_;
  // Marks the recorded ports. A copy: the file's thread may outlive the nodes.
  graph_description description_;
  run_file::run_rows rows_;
  state state_ = state::waiting;
  std::atomic<std::uint64_t> steps_ = 0; // number of rows written so far
  log_memory memory_;
  recorded_ports ports_;
  pending_events events_;
  event_rows event_rows_;        // used by the file's thread
  run_file::reach_record reach_; // used by the file's thread
  std::mutex post_mutex_;
  bool stopped_ = false; // guarded by post_mutex_
};

} // namespace caf::rosia::detail
