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

/// What a node has saved.
struct saved_part {
  engine::saved_node node;
  saved_data data;
};

/// The checkpoints of a process: takes what its nodes save, and writes it when
/// the coordinator says so. Section 8 of the semantics. From any thread.
class checkpoints {
public:
  // -- member types -----------------------------------------------------------

  struct settings {
    std::string file;
    std::string backup;     // the copy at the end; empty if there is none
    std::int64_t every = 0; // nanoseconds of logical time; 0 if never
    std::size_t keep = 3;
    std::string run;             // the same for all processes
    std::int64_t number = 1;     // of the run
    logical_time after{};        // the run begins with a checkpoint at this tag
    run_file::graph_lines graph; // what has to be the same to go on from it
  };

  // -- constructors, destructors ----------------------------------------------

  /// Opens or creates the file.
  /// @param run outlives it.
  /// @throws std::runtime_error if that cannot be done.
  checkpoints(run_context& run, settings init);

  checkpoints(const checkpoints&) = delete;

  checkpoints& operator=(const checkpoints&) = delete;

  ~checkpoints();

  // -- properties -------------------------------------------------------------

  const settings& how() const noexcept {
    return settings_;
  }

  // -- called by executors ----------------------------------------------------

  /// What all nodes are told, one after the other.
  struct notice {
    bool asks = false;          // where a checkpoint can be taken, else:
    logical_time tag = forever; // one is taken here; `forever` if nowhere
  };

  /// How many notices there have been.
  std::uint64_t notices() const noexcept {
    return notices_.load(std::memory_order_seq_cst);
  }

  /// Those that came after the first `known`, which are all of them afterwards.
  /// What nobody can lack any more is left out.
  std::vector<notice> notices_after(std::uint64_t& known) const;

  // -- called by nodes --------------------------------------------------------

  /// A node has saved what it has.
  void save(engine::node_id node, saved_part part);

  /// A node has stopped, and tells where.
  void answer(engine::node_id node, logical_time tag);

  /// A node has left, in whatever way.
  void note_exit(engine::node_id node);

  // -- called by users --------------------------------------------------------

  /// The nodes have started: who wants a checkpoint need not wait any more.
  void open();

  /// Wants one now.
  void demand();

  /// The same. @returns its tag, once it is complete.
  std::future<logical_time> request();

  // -- called by the coordinator ----------------------------------------------

  void obey(const checkpoint_command& command);

  // -- the end ----------------------------------------------------------------

  /// The run is over: waits until everything is written and the file closed,
  /// but no longer than this. @returns what went wrong; empty if nothing did.
  std::string finish(std::chrono::nanoseconds patience);

  /// Copies the file, if that is wanted and it could be finished. Called when
  /// nobody writes to it any more, as a recording may be in it, too.
  /// @returns what went wrong; empty if nothing did.
  std::string back_up(std::chrono::nanoseconds patience) const;

private:
  // -- member types -----------------------------------------------------------

  using part_pointer = std::shared_ptr<const saved_part>;

  /// A checkpoint that is to be written.
  struct target {
    logical_time tag;
    checkpoint_command::kind what;
    std::size_t missing = 0;
    std::vector<part_pointer> parts; // by local node
    bool awaits_time = false;        // a call will come then

    /// Of `parts`, those whose code has yielded.
    std::vector<std::size_t> waiting = {};
  };

  /// Who waits for a checkpoint.
  struct waiter {
    std::promise<logical_time> result;
    bool asked = false;         // the nodes were asked after it had come
    logical_time tag = forever; // the one that was agreed on then
  };

  // -- implementation ---------------------------------------------------------

  void demand_locked();

  std::size_t index_of(engine::node_id node) const;

  static bool covers(const saved_part& part, logical_time tag) noexcept {
    return part.node.logical <= tag && tag < part.node.until;
  }

  /// A node that was asked has answered, or left.
  void count_answer(std::size_t index, logical_time tag);

  /// Asks the nodes that have not left.
  void ask();

  /// Leaves a notice, which nodes see once their executors are called.
  void notify(notice x);

  /// Calls the executors of all nodes that have not left.
  void call_executors() const;

  /// Whoever waits gets the checkpoint at this tag, or a later one.
  void note_agreed(logical_time tag);

  /// Collects the parts of planned checkpoints before the coordinator wants
  /// them: nodes may be far beyond by then.
  void plan_ahead();

  /// Gives a checkpoint a part of a node, if it is one for it.
  static void give(target& to, std::size_t index, const part_pointer& part);

  /// A checkpoint that has what nodes have saved last.
  target make_target(logical_time tag, checkpoint_command::kind what) const;

  /// The last tag that a node had executed when it saved; `never` if none has.
  logical_time furthest() const;

  /// A checkpoint is to be written.
  void add(logical_time tag, checkpoint_command::kind what);

  /// The same, in the order of tags.
  void collect(target x);

  /// Writes those that have everything, once their time has come.
  void write_complete_ones();

  /// Why there cannot be a checkpoint of these parts; empty if there can.
  std::string obstacle(const target& x) const;

  void write(target what);

  /// What is written of each node. On the writer's thread.
  /// @throws std::runtime_error if the nodes are gone.
  std::vector<run_file::node_part> make_parts(const target& from);

  /// A step of a drill, on the writer's thread.
  void rehearse(const char* step, logical_time tag);

  void mark(logical_time tag);

  /// Has something written durably, and counts it until it is.
  /// @param done called on the writer's thread, without the lock.
  void post(run_file::writer::job work,
            std::function<void(const std::string& problem)> done);

  /// Tells what became of something that was written. @pre The lock is held.
  void report(checkpoint_reply::kind what, logical_time tag,
              const std::string& problem);

  void conclude(const checkpoint_command& how);

  void reply(checkpoint_reply::kind what, logical_time tag,
             std::string problem = {}, logical_time reached = never);

  run_context& run_;
  settings settings_;
  std::unique_ptr<run_file::writer> writer_;

  // The writer's thread may wait for the disk while the application is
  // destroyed. Locked while it looks at nodes, which takes no time of the
  // disk's.
  std::mutex nodes_mutex_;
  bool nodes_gone_ = false; // guarded by nodes_mutex_

  std::atomic<std::uint64_t> notices_{0};

  mutable std::mutex mutex_;           // guards what follows
  std::vector<notice> latest_notices_; // from the last question on
  std::condition_variable written_;
  std::vector<part_pointer> latest_; // by local node
  std::vector<bool> left_;           // the same
  std::vector<bool> asked_;          // the same
  bool asking_ = false; // until the coordinator tells where they go on
  std::size_t unanswered_ = 0;
  logical_time highest_answer_ = never;
  logical_time final_ = forever;
  std::vector<target> targets_; // ascending
  std::deque<target> ahead_;    // planned ones, which nobody wants yet
  logical_time next_planned_ = forever;
  std::vector<waiter> waiters_;
  logical_time newest_ = never;         // the writer has got it
  std::vector<logical_time> under_way_; // what is being written
  std::deque<logical_time> durable_;    // what was written last
  std::size_t writing_ = 0;             // jobs that the writer has
  bool open_ = false;
  bool demanded_ = false; // before it was open
  bool over_ = false;
  bool finished_ = false; // the file has all, and is closed
};

} // namespace caf::rosia::detail
