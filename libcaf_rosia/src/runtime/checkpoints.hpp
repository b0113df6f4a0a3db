// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/checkpointing.hpp"
#include "nodes/saved_data.hpp"
#include "run_file/checkpoints.hpp"
#include "run_file/writer.hpp"
#include "runtime/messages.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace caf::rosia::detail {

class run_context;

struct saved_part {
  engine::saved_node node;
  saved_data data;
};

/// The checkpoints of a process: collects what its nodes save, and writes it
/// when the coordinator says so. See section 8 of the semantics. May be called
/// from any thread.
class checkpoints {
public:
  // -- member types -----------------------------------------------------------

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

  /// A notice to all nodes. They read all notices in the same order.
  struct notice {
    bool asks = false;          // asks for a possible tag; if not set:
    logical_time tag = forever; // takes a checkpoint here; `forever`: nowhere
  };

  /// Returns the number of notices.
  std::uint64_t notices() const noexcept {
    return notices_.load(std::memory_order_seq_cst);
  }

  /// Returns the notices after the first `known`, and sets `known` to their
  /// total. Superseded notices are omitted.
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

  using part_pointer = std::shared_ptr<const saved_part>;

  /// A checkpoint that will be written.
  struct target {
    logical_time tag;
    checkpoint_command::kind type;
    std::size_t missing = 0;
    std::vector<part_pointer> parts; // by local node
    bool awaits_time = false;        // a call at physical time is scheduled

    /// Indexes of the `parts` whose node has a reaction that yielded.
    std::vector<std::size_t> waiting = {};
  };

  /// A pending request for a checkpoint.
  struct waiter {
    std::promise<logical_time> result;
    bool asked = false;         // the nodes were asked after this request
    logical_time tag = forever; // the agreed tag
  };

  // -- implementation ---------------------------------------------------------

  void demand_locked();

  std::size_t index_of(engine::node_id node) const;

  static bool covers(const saved_part& part, logical_time tag) noexcept {
    return part.node.logical <= tag && tag < part.node.until;
  }

  /// Counts the answer or the exit of a node that was asked.
  void count_answer(std::size_t index, logical_time tag);

  /// Asks all nodes, except for those that left.
  void ask();

  /// Adds a notice. Nodes see it when their executors are called.
  void notify(notice x);

  /// Calls the executors of all nodes, except for those that left.
  void call_executors() const;

  /// Sets the agreed tag of the waiting requests that the nodes were asked
  /// about.
  void note_agreed(logical_time tag);

  /// Starts to collect the parts of planned checkpoints before the coordinator
  /// requests them, because nodes may be past them by then.
  void plan_ahead();

  /// Adds a part to a checkpoint, if the part holds at the checkpoint's tag.
  static void give(target& to, std::size_t index, const part_pointer& part);

  /// Returns a checkpoint with those parts that were saved last and fit.
  target make_target(logical_time tag, checkpoint_command::kind type) const;

  /// Returns the highest tag of the nodes' last parts; `never` if there is
  /// none.
  logical_time furthest() const;

  /// Adds the checkpoint of a command, unless it exists or was passed.
  void add(logical_time tag, checkpoint_command::kind type);

  /// Inserts a checkpoint in the order of tags.
  void collect(target x);

  /// Writes the complete checkpoints whose time is not in the future.
  void write_complete_ones();

  /// Returns why these parts cannot be saved; empty if they can.
  std::string obstacle(const target& x) const;

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

  std::atomic<std::uint64_t> notices_{0};

  mutable std::mutex mutex_;           // guards the members below
  std::vector<notice> latest_notices_; // from the last question on
  std::condition_variable written_;
  std::vector<part_pointer> latest_; // by local node
  std::vector<bool> left_;           // by local node
  std::vector<bool> asked_;          // by local node
  bool asking_ = false; // until the coordinator sends the agreed tag
  std::size_t unanswered_ = 0;
  logical_time highest_answer_ = never;
  logical_time final_ = forever;
  std::vector<target> targets_; // ascending
  std::deque<target> ahead_;    // planned ones that were not requested yet
  logical_time next_planned_ = forever;
  std::vector<waiter> waiters_;
  logical_time newest_ = never;         // the last one passed to the writer
  std::vector<logical_time> under_way_; // being written
  std::deque<logical_time> durable_;    // the last ones written
  std::size_t writing_ = 0;             // pending jobs of the writer
  bool open_ = false;
  bool demanded_ = false; // before `open`
  bool over_ = false;
  bool finished_ = false; // all is written, and the file is closed
};

} // namespace caf::rosia::detail
