// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "run_file/checkpoints.hpp"
#include "run_file/writer.hpp"
#include "runtime/checkpoint_inquiry.hpp"
#include "runtime/checkpoint_requests.hpp"
#include "runtime/checkpoint_targets.hpp"
#include "runtime/messages.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

class run_context;

/// The checkpoints of a process: collects what its nodes save, and writes it
/// when the coordinator says so. See section 8 of the semantics. May be called
/// from any thread. Tests: test/application/checkpoint_test.cpp.
class checkpoints {
public:
  // -- member types -----------------------------------------------------------

  using notice = checkpoint_inquiry::notice;

  struct settings {
    std::string file;
    std::string backup;     // path of the copy made at the end; empty if none
    std::int64_t every = 0; // nanoseconds of logical time; 0 if never
    std::size_t keep = 3;
    std::string run;         // equal in all processes
    std::int64_t number = 1; // of the run
    logical_time after{};    // tag of the checkpoint from which the run starts
    run_file::graph_lines graph; // must be equal for a later run to resume
  };

  // -- constructors, destructors ----------------------------------------------

  /// Opens or creates the file.
  /// @param run must outlive this object.
  /// @throws std::runtime_error if that fails.
  checkpoints(run_context& run, settings init);

  checkpoints(const checkpoints&) = delete;

  checkpoints& operator=(const checkpoints&) = delete;

  ~checkpoints();

  // -- properties -------------------------------------------------------------

  const settings& config() const noexcept {
    return settings_;
  }

  // -- called by executors ----------------------------------------------------

  /// Returns the number of notices.
  std::uint64_t notices() const noexcept {
    return inquiry_.notices();
  }

  /// See `checkpoint_inquiry::notices_after`.
  std::vector<notice> notices_after(std::uint64_t& known) const;

  // -- called by nodes --------------------------------------------------------

  void save(engine::node_id node, saved_part part);

  /// Adds the answer of a node: the tag at which it stopped.
  void answer(engine::node_id node, logical_time tag);

  /// Notes the exit of a node, of any kind.
  void note_exit(engine::node_id node);

  // -- called by users --------------------------------------------------------

  /// Allows checkpoints. Called when all nodes are running.
  void open();

  /// Requests a checkpoint now.
  void demand();

  /// Requests a checkpoint now. @returns its tag, once it is complete.
  std::future<logical_time> request();

  // -- called by the coordinator ----------------------------------------------

  void obey(const checkpoint_command& command);

  // -- the end ----------------------------------------------------------------

  /// Waits until everything is written and the file is closed, but no longer
  /// than `patience`. Called after the run.
  /// @returns what went wrong; empty if nothing did.
  std::string finish(std::chrono::nanoseconds patience);

  /// Copies the file, if a backup is configured and `finish` succeeded. Called
  /// after the end of a recording, which may share the file.
  /// @returns what went wrong; empty if nothing did.
  std::string back_up(std::chrono::nanoseconds patience) const;

private:
  // -- member types -----------------------------------------------------------

  using target = checkpoint_targets::target;

  enum class state { starting, open, over, complete };

  /// The tags of the checkpoints that the writer has.
  struct written_tags {
    logical_time newest = never;         // the last one passed to the writer
    std::vector<logical_time> under_way; // being written
    std::deque<logical_time> durable;    // the last ones written
  };

  // -- implementation ---------------------------------------------------------

  bool is_over() const noexcept {
    return state_ >= state::over;
  }

  void demand_locked();

  std::size_t index_of(engine::node_id node) const;

  /// Sends the answer of all nodes, if it is complete.
  void reply_if(const std::optional<logical_time>& answer);

  /// Calls the executors of all nodes, except for those that left.
  void call_executors() const;

  /// Adds the checkpoint of a command, unless it exists or was passed.
  void add(logical_time tag, checkpoint_command::kind type);

  /// Writes the complete checkpoints whose time is not in the future.
  void write_complete_ones();

  /// Returns why these parts cannot be saved; empty if they can.
  std::string waiting_reaction_problem(const target& x) const;

  void write(target x);

  /// Converts the parts of all nodes for the file. Runs on the writer's thread.
  /// @throws std::runtime_error if the nodes no longer exist.
  std::vector<run_file::node_part> make_parts(const target& from);

  /// Passes an injection point of a drill. Runs on the writer's thread.
  void rehearse(const char* step, logical_time tag);

  void mark(logical_time tag);

  /// Writes something durably, and counts the job until it finishes.
  /// @param done called on the writer's thread, without the lock.
  void post(run_file::writer::job work,
            std::function<void(const std::string& problem)> done);

  /// Reports the result of a write. @pre The lock is held.
  void report(checkpoint_reply::kind type, logical_time tag,
              const std::string& problem);

  void conclude(const checkpoint_command& x);

  void reply(checkpoint_reply::kind type, logical_time tag,
             std::string problem = {}, logical_time reached = never);

  run_context& run_;
  settings settings_;
  std::unique_ptr<run_file::writer> writer_;

  // The writer's thread may still wait for the disk while the application is
  // destroyed. It holds this lock while it reads nodes, and never during I/O.
  std::mutex nodes_mutex_;
  bool nodes_gone_ = false; // guarded by nodes_mutex_

  mutable std::mutex mutex_; // guards the members below, except for notices()
  checkpoint_inquiry inquiry_;
  checkpoint_targets targets_;
  checkpoint_requests requests_;
  written_tags written_;
  std::condition_variable idle_;
  std::size_t jobs_ = 0; // of the writer
  logical_time final_ = forever;
  state state_ = state::starting;
  bool demanded_ = false; // before `open`
};

} // namespace caf::rosia::detail
