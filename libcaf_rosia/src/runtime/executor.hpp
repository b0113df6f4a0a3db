// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/claimable.hpp"
#include "compat/worker.hpp"
#include "engine/hand_over_timer.hpp"
#include "runtime/executor_load.hpp"
#include "runtime/executor_nodes.hpp"
#include "runtime/executor_token.hpp"
#include "runtime/node_separation.hpp"
#include "runtime/node_takeover.hpp"
#include "runtime/observation.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace caf::rosia::detail {

/// The unit that a worker runs: a node, or several that are executed as one.
/// The thread that has its token owns the nodes and their actors, but not the
/// actors' mailboxes. An executor may measure the cost of its nodes, and
/// exchange nodes.
///
/// A node moves between two executors while one thread has the tokens of both.
/// Another thread may have looked up the old executor just before. The new
/// executor therefore runs once more after the move. For the same reason, an
/// executor is kept until the end of the run, even without nodes. Tests:
/// test/application/execution_test.cpp, test/application/groups_test.cpp.
class executor final : public claimable, public counted_job {
public:
  // -- constructors -----------------------------------------------------------

  /// @param number differs from those of the run's other executors.
  executor(std::shared_ptr<run_context> run, std::size_t number,
           node_exchange rules);

  // -- before the start -------------------------------------------------------

  /// Adds the nodes of this executor. @pre Their engines are wired.
  /// @param later joins nodes after their first tag; null if the executor does
  ///        not take part.
  /// @param on_trial separates nodes if their first tags take long.
  void add(std::vector<node_runner*> xs, std::shared_ptr<seating> later,
           bool on_trial);

  // -- scheduling -------------------------------------------------------------

  void signal() override;

  bool claim() override;

  void run_claimed(worker& unit) override;

  void schedule_claimed() override;

  /// Passes a command to a node of this executor. From any thread.
  /// @returns false if the node moved.
  bool take_command(node_runner& x, const node_command& content);

  /// Takes over a mailbox with messages, and its token. From any thread.
  /// @param unit the worker that this is called on.
  /// @returns false if the node has moved.
  bool handle_mailbox(node_mailbox& x, worker* unit);

  // -- for its nodes, on the thread that runs them ----------------------------

  /// Returns the worker that runs this executor; null before the first call.
  worker* unit() const noexcept {
    return unit_;
  }

  // -- observing, from any thread ---------------------------------------------

  /// Records a node's state if no thread has the token.
  /// @returns false if the executor runs or is scheduled, or if the node moved.
  bool observe(node_runner& x, observation& into);

  /// Returns whether the executor was woken and does not run yet.
  bool waits_for_worker() const noexcept {
    return token_.waits_for_worker();
  }

  /// Returns whether the nodes must be called for a promise that is in an
  /// inbox: otherwise the next call for another reason is early enough. Called
  /// after `node_runner::runs_on`.
  bool awaits_promises() const noexcept {
    return awaits_promises_.load(std::memory_order_seq_cst);
  }

  /// Returns the number of nodes.
  std::size_t size() const noexcept {
    return nodes_.size.load(std::memory_order_relaxed);
  }

  /// Returns whether recent tags were light.
  bool is_light() const noexcept {
    return load_.light.load(std::memory_order_relaxed);
  }

  /// Returns whether this executor exchanges nodes.
  bool exchanges() const noexcept {
    return load_.exchanges();
  }

  // -- overridden functions of CAF --------------------------------------------

  /// Runs this executor, and then the executors that it woke.
  caf::resumable::resume_result resume(
    worker* unit, size_t max_throughput) override;

private:
  friend class executors;
  friend class neighbourhood;
  friend class node_separation;
  friend class node_takeover;
  friend class seating;
  friend class woken_executors;

  ~executor() override = default;

  // -- running ----------------------------------------------------------------

  /// Schedules this executor. @pre The caller has the token.
  void begin();

  /// Calls this executor, which is claimed, and schedules it if it has more to
  /// do.
  void run_once(worker* unit, std::int64_t turn);

  /// Handles commands and messages, and executes nodes, within bounds. Does not
  /// repeat this after `turn` nanoseconds. @returns the result for CAF's
  /// scheduler. Unless it is `resume_later`, the token was given back, or
  /// passed to another executor.
  caf::resumable::resume_result activate_once(worker* unit, std::int64_t turn);

  /// Calls the nodes at the elapsed time `now`. @returns whether there is more
  /// to do.
  bool advance(std::int64_t now);

  engine::node::state advance_measured();

  engine::node::state advance_nodes();

  /// Notifies other processes, and sets the next wake-up. Called after each
  /// call of the nodes.
  void end_call();

  /// Notes whether the nodes, which wait for messages, must be called for a
  /// promise of another process.
  void note_awaits();

  /// Returns whether a flush for other processes is due.
  bool waits_to_flush(std::int64_t now) const noexcept;

  /// Sends pending data to other processes.
  void flush(std::int64_t now);

  /// Passes pending commands to their nodes.
  void handle_commands(worker* unit);

  /// Handles messages of the nodes' actors.
  /// @returns whether there are more messages.
  bool handle_mailboxes(worker* unit);

  /// @returns whether the mailbox has more messages.
  bool handle_messages_of(node_mailbox& x, worker* unit);

  /// Passes new notices about checkpoints to the nodes.
  void take_notices();

  /// Removes the nodes that left, and reports their exits.
  void end_members(worker* unit);

  /// Removes a node if it left, and reports its exit. @returns whether it left.
  bool end_member(node_runner& x, worker* unit);

  /// Takes over nodes, or separates some members. @returns whether the nodes
  /// must be called again.
  bool exchange_nodes();

  /// Sets the maximal duration of light tags.
  void set_light_tag();

  std::shared_ptr<run_context> run_;
  worker* unit_ = nullptr;   // the last worker
  std::int64_t flushed_ = 0; // the time of the last flush
  engine::hand_over_timer hand_over_;
  // Other threads read the size of the nodes, the members up to `listed_`, and
  // the first members of the load, which are next to each other.
  executor_nodes nodes_;
  executor_token token_;
  std::atomic<bool> awaits_promises_{true};
  bool executed_some_ = false;           // in the last call
  std::atomic<std::uint64_t> listed_{0}; // see `woken_executors`
  executor_load load_;
  node_takeover takeover_;
  node_separation separation_;
};

} // namespace caf::rosia::detail
