// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"
#include "engine/deadline_code.hpp"
#include "engine/port_log.hpp"
#include "engine/stamp_log.hpp"
#include "engine/stamped_queue.hpp"
#include "engine/topology.hpp"
#include "nodes/value_text.hpp"
#include "run_file/recording.hpp"
#include "run_file/writer.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/timekeeper.hpp"
#include "runtime/value_log.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// Returns the name of a connection in run files: "camera.image to filter.in".
std::string connection_name(
  const graph_description& graph, const graph_description::connection& x);

/// Records a run: section 8.1 of the semantics [8.1]. Events and values are
/// kept in memory, up to a limit. The file's thread writes them a few times a
/// second.
class recorder final : public engine::stamp_log {
public:
  // -- constructors, destructors ----------------------------------------------

  /// Writes the description of the run.
  /// @param file,nodes,graph,time must outlive this object.
  /// @param description that of the graph.
  /// @param uuid equal in all processes.
  /// @throws graph_error if the values of a physical action, of a physical
  /// input, or of
  ///         a recorded port cannot be saved, or if no port matches a name in
  ///         `record.ports`.
  /// @throws std::runtime_error if the file cannot be written.
  recorder(run_file::writer& file, const options& opts,
           const node_directory& nodes, const engine::topology& graph,
           const graph_description& description, const timekeeper& time,
           const std::string& uuid);

  recorder(const recorder&) = delete;

  recorder& operator=(const recorder&) = delete;

  /// Removes the run from the file if it has not started.
  ~recorder() override;

  /// Returns the log of a node's ports, or null if none of them is recorded.
  engine::port_log* ports(engine::node_id node) const noexcept;

  /// Copies the external events of the replayed run while the nodes run. Called
  /// before the start.
  void copy(run_file::event_reader from);

  /// Notes that the run resumes from a checkpoint at this tag. Called before
  /// the start.
  void note_resumed(logical_time at);

  /// Starts to write. Called when the run starts.
  void begin();

  /// Writes the end, and waits until it is on the disk. Gives up if the disk
  /// makes no progress for `patience`. Called when no node is running. A run
  /// that has not started is removed.
  /// @returns what the recording lacks; empty if nothing.
  std::string finish(run_file::end_record end,
                     std::chrono::nanoseconds patience);

  /// Returns whether the file's thread still waits for the disk after `finish`.
  /// The thread uses this object and everything that must outlive it, except
  /// for the nodes.
  bool is_stuck() const noexcept {
    return state_ == state::stuck;
  }

  // -- overridden functions of engine::stamp_log ------------------------------

  void add(engine::node_id node, const engine::stamped_value& x) override;

  void add(engine::node_id node, std::uint32_t reaction,
           const engine::passed_deadline& x) override;

  void await(engine::node_id node, logical_time first) override;

  void reach(engine::node_id node, logical_time tag) override;

private:
  struct event_entry {
    engine::node_id node;
    std::size_t size; // approximate number of bytes
    engine::stamped_value value;
  };

  struct deadline_entry {
    engine::node_id node;
    std::uint32_t reaction;
    engine::passed_deadline passed;
  };

  /// The external events that are not written yet.
  struct pending {
    std::vector<event_entry> events;
    std::vector<deadline_entry> deadlines;

    /// The tags that nodes with deadlines execute.
    std::map<engine::node_id, logical_time> reached;
  };

  /// A recorded port.
  struct port_entry {
    port_entry(std::int64_t in_file, bool small, log_memory& memory) noexcept
      : row(in_file), log(small, memory) {
      // nop
    }

    std::int64_t row; // in the file
    value_log log;
  };

  /// The recorded ports of a node.
  class node_log;

  /// The size of a transaction, in case it fails.
  struct batch {
    std::uint64_t events = 0;
    std::uint64_t values = 0;
    std::int64_t reached = 0; // value before the transaction
  };

  void select_ports();

  void require_savable() const;

  /// Posts a job that writes all pending events and values, and posts the next
  /// one.
  void post();

  /// Stops posting.
  void stop();

  // -- on the file's thread ---------------------------------------------------

  void write(run_file::database& to, batch& taken);

  /// Returns the physical time before which all stamped values were added.
  /// @pre The stamp log's mutex is locked.
  std::int64_t known_time() const;

  /// Copies some events of the replayed run.
  void copy_events(run_file::database& to, batch& taken);

  /// Inserts an event without its value. @returns the statement.
  run_file::statement& event_row(
    run_file::database& to, std::string_view node, std::string_view source,
    std::string_view name, logical_time tag);

  /// Takes memory for an external event. If there is none left, the event is
  /// lost, and counted.
  /// @returns whether there was some.
  bool take_memory(std::size_t size) noexcept;

  void write_events(run_file::database& to,
                    const std::vector<event_entry>& events);

  void write_deadlines(run_file::database& to, const pending& from);

  void write_values(run_file::database& to, batch& taken);

  /// Binds the bytes and the text of a value, from parameter `index` on, or
  /// null if it cannot be saved.
  /// @returns why it cannot be saved; empty if it can.
  std::string bind(run_file::statement& to, int index, const engine::value& x);

  /// Counts a failed transaction as lost.
  void note_loss(const batch& taken);

  enum class state { waiting, recording, finished, stuck };

  run_file::writer& file_;
  const node_directory& nodes_;
  const engine::topology& graph_;
  const timekeeper& time_;
  run_file::run_rows rows_; // written by the constructor
  state state_ = state::waiting;
  std::atomic<std::uint64_t> steps_ = 0; // rows written until now
  log_memory memory_;                    // includes the memory of events
  std::deque<port_entry> ports_;
  std::vector<std::unique_ptr<node_log>> node_logs_; // null if none
  pending pending_; // guarded by the stamp log's mutex

  /// The tags from which on nodes may add values that have their stamps
  /// already. Guarded by the stamp log's mutex.
  std::map<engine::node_id, logical_time> awaited_;

  std::atomic<std::uint64_t> lost_events_ = 0;
  std::atomic<std::uint64_t> lost_values_ = 0;
  std::atomic<std::uint32_t> event_size_ = 0; // bytes of the latest event
  std::mutex post_mutex_;
  bool over_ = false; // guarded by post_mutex_

  // Used by the file's thread, which may outlive the nodes.
  graph_description names_;
  run_file::reach_record reach_;
  std::optional<run_file::event_reader> copied_; // reset when all are copied
  std::set<std::string> copied_nodes_;
  value_text text_;
  std::vector<char> bytes_;
  std::string rejection_; // why the first such event was lost
};

} // namespace caf::rosia::detail
