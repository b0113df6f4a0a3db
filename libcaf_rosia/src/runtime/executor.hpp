// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/claimable.hpp"
#include "compat/worker.hpp"
#include "engine/group.hpp"
#include "engine/hand_over_timer.hpp"
#include "runtime/group_load.hpp"
#include "runtime/node_command.hpp"
#include "runtime/observation.hpp"

#include <caf/intrusive_ptr.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace caf::rosia::detail {

class node_mailbox;
class node_runner;
class run_context;
class seating;

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
  // -- member types -----------------------------------------------------------

  using outcome = caf::resumable::resume_result;

  /// The rules by which nodes move between executors.
  enum class exchange : std::uint8_t {
    /// Nodes stay.
    none,
    /// Light neighbours are joined, and heavy nodes are separated. A loop is
    /// divided once if its nodes are not light.
    by_load,
    /// Nodes stay, except that a loop is divided if its nodes are not light.
    by_division,
    /// Nodes move at random, for tests. Only speed may depend on it.
    at_random,
  };

  // -- constructors -----------------------------------------------------------

  /// @param number differs from those of the run's other executors.
  executor(std::shared_ptr<run_context> run, std::size_t number,
           exchange manner);

  // -- before the start -------------------------------------------------------

  /// Adds the nodes of this executor. @pre Their engines are wired.
  /// @param later joins nodes after their first tag; null if the executor does
  ///        not take part.
  void add(std::vector<node_runner*> xs, std::shared_ptr<seating> later);

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

  /// Schedules a wake-up of `x` for when the executor on this thread finishes.
  /// By then, locks are free and messages are complete.
  static void to_wake(executor& x);

  /// Wakes the executors of `to_wake`. The caller must still have its own
  /// token, because a woken executor may end the application.
  static void wake_others();

  // -- after the start --------------------------------------------------------

  /// Schedules this executor, which then takes over the nodes of `others`.
  /// @param all the executors of the seating, including those whose nodes
  ///        executed nothing.
  /// @pre This executor and `others` wait, with their tokens and a reference
  ///      each.
  void seat(std::vector<executor*> others, std::shared_ptr<seating> all);

  // -- for its nodes, on the thread that runs them ----------------------------

  /// Returns the worker that runs this executor; null before the first call.
  worker* unit() const noexcept {
    return unit_;
  }

  // -- observing --------------------------------------------------------------

  /// Records a node's state if no thread has the token. From any thread.
  /// @returns false if the executor runs or is scheduled, or if the node moved.
  bool observe(node_runner& x, observation& into);

  /// Returns whether the executor was woken and does not run yet. From any
  /// thread.
  bool waits_for_worker() const noexcept {
    return signalled_.load(std::memory_order_relaxed)
           && !running_.load(std::memory_order_relaxed);
  }

  /// Returns whether the nodes must be called for a promise that is in an
  /// inbox: otherwise the next call for another reason is early enough. From
  /// any thread, after `node_runner::runs_on`.
  bool awaits_promises() const noexcept {
    return awaits_promises_.load(std::memory_order_seq_cst);
  }

  /// Returns the number of nodes. From any thread.
  std::size_t size() const noexcept {
    return size_.load(std::memory_order_relaxed);
  }

  // -- overridden functions of CAF --------------------------------------------

  caf::resumable::resume_result resume(
    worker* unit, size_t max_throughput) override;

private:
  friend class executors;

  ~executor() override;

  // -- the token --------------------------------------------------------------

  bool take_token() noexcept;

  /// Gives the token back. @returns false if there is more to do, and the
  /// caller has the token again.
  bool give_token_back() noexcept;

  /// Passes the token, and its reference, to CAF's scheduler.
  void schedule();

  // -- running ----------------------------------------------------------------

  /// Runs an executor for CAF's scheduler, and then the executors that it woke.
  static outcome run(executor& x, worker* unit);

  /// Calls this executor, which is claimed, and schedules it if it has more to
  /// do.
  void run_once(worker* unit, std::int64_t turn);

  /// Passes the claimed executors of this thread to the scheduler, so that
  /// other workers run them.
  static void schedule_next();

  /// Calls each claimed light executor of this thread once. Executors that
  /// these calls wake are claimed by this thread as well.
  static void run_light(worker* unit);

  /// Handles commands and messages, and executes nodes, within bounds. Does not
  /// repeat this after `turn` nanoseconds. @returns the result for CAF's
  /// scheduler. Unless it is `resume_later`, the token was given back, or
  /// passed to another executor.
  outcome activate_once(worker* unit, std::int64_t turn);

  /// Calls the nodes at the elapsed time `now`. @returns whether there is more
  /// to do.
  bool advance(std::int64_t now);

  engine::node::state advance_measured();

  engine::node::state advance_nodes();

  /// Returns the progress of the nodes: executed tags in a group, pieces of
  /// code otherwise.
  std::uint64_t executed() const noexcept;

  /// Returns the number of messages that the nodes handled.
  std::uint64_t messages() const noexcept;

  /// Returns the cost of a call, in members of a group. A call with a higher
  /// cost executes nodes for longer.
  std::size_t call_costs() const noexcept;

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

  struct command {
    node_runner* node;
    node_command content;
  };

  /// Passes pending commands to their nodes.
  void handle_commands(worker* unit);

  std::vector<command> take_commands();

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

  void erase(node_runner& x);

  void update_size() noexcept;

  /// Puts the nodes into a group, unless they are in one.
  void make_group();

  /// Records the group of each node, for observers and the trace.
  void name_group();

  // -- exchanging nodes -------------------------------------------------------

  /// Waits, with the token, for the nodes that start at the same time, if the
  /// node is light and executed its first tag. @returns whether this executor
  /// waits; if so, the caller must not access it again.
  bool wait_for_others();

  /// Leaves the seating, if there is one.
  void leave_seating();

  /// Sets the maximal duration of light tags.
  void set_light_tag();

  /// Measures again, because the nodes changed.
  /// @param heavy see `group_load::reset`.
  void reset_load(unsigned heavy = 0) noexcept;

  /// Returns whether the nodes may be light, and executed nothing so far.
  bool is_silent() const noexcept;

  /// Takes over nodes, or separates some members. @returns whether the nodes
  /// must be called again.
  bool exchange_nodes();

  /// Returns whether this executor exchanges nodes.
  bool exchanges() const noexcept {
    return exchange_ == exchange::by_load || exchange_ == exchange::at_random;
  }

  bool wants_neighbours() noexcept;

  std::uint32_t random_number() noexcept;

  /// Takes over the nodes of executors that wait for this one, and of the idle
  /// ones of its seating.
  void take_joined();

  /// Takes over the nodes of executors that wait for this one. Executors that
  /// are not accepted continue alone.
  void absorb_joined(std::vector<executor*> joined);

  /// Takes over the nodes of executors whose tokens the caller has, and gives
  /// these tokens back. @returns the executors that waited for them.
  std::vector<executor*> absorb(std::span<executor* const> others);

  /// Takes over the members of an executor. @param joined gets the executors
  /// that waited for `other`.
  /// @pre This executor's group already has the members.
  void take_members(executor& other, std::vector<executor*>& joined);

  /// Makes an executor without nodes available again, and gives its token back.
  void give_back(executor& other);

  /// Takes over the nodes of executors that are light and idle, as many as fit.
  /// @returns whether the nodes must be called again.
  bool absorb_idle(std::span<executor* const> from);

  /// Offers the nodes to a light neighbour, if there is one, and waits with the
  /// token. @returns whether this executor waits; if so, the caller must not
  /// access it again.
  bool join_busy();

  /// Ends the wait of an executor, which continues alone.
  void let_go(executor& x);

  /// Continues without a take-over. @pre The caller has the token.
  void go_on_alone();

  /// Returns whether this executor can take over the nodes of `other` in
  /// addition to `besides` further nodes.
  bool accepts(const executor& other, std::size_t besides = 0) const noexcept;

  /// Returns whether this executor is light, and accepts `other`.
  bool may_take(const executor& other) const noexcept;

  /// Returns whether to look for siblings: executors that have a neighbour in
  /// common with this one.
  /// @param near the neighbours of this executor.
  bool wants_siblings(std::span<executor* const> near) noexcept;

  /// Returns the executor of a node; null if it is this one or does not
  /// exchange nodes, or if the node is in another process.
  executor* partner(engine::node_id id) const;

  /// Returns executors whose nodes are connected with members, directly or over
  /// light nodes. The nearest are first, and only some are returned if there
  /// are many.
  std::vector<executor*> neighbours();

  /// Returns executors of nodes that are connected in the same way with a
  /// neighbour of a member. Only nodes that are near in the neighbour's order
  /// are considered.
  std::vector<executor*> siblings();

  /// Returns the nodes that must be executed alone.
  std::vector<node_runner*> find_heavy();

  /// Returns two random nodes, on average, in one of four calls, and none
  /// otherwise.
  std::vector<node_runner*> find_any();

  /// Returns the number of a node's loop.
  std::uint32_t loop_of(node_runner& x) const;

  /// Returns the size of a node's loop; 0 if it is in none, or if some members
  /// are in other processes.
  std::size_t loop_size(node_runner& x) const noexcept;

  /// Returns the members of each loop that is executed as a whole, by the
  /// loop's number.
  std::unordered_map<std::uint32_t, std::vector<node_runner*>> find_loops()
    const;

  bool wants_division() noexcept;

  /// Divides a loop between executors, after nodes outside of the loop moved to
  /// a separate executor. @returns whether the nodes must be called again.
  bool divide();

  /// The progress of the nodes.
  struct reached {
    std::uint64_t tags = 0;
    std::int64_t ns = 0; // of logical time
  };

  /// Stores the progress of the nodes. @returns the progress stored before.
  reached note_reached() noexcept;

  /// Returns whether a division pays: whether the parts of a loop would work
  /// long enough between two waits for each other to outweigh their cost.
  /// @param last the progress before the last tags.
  bool pays(const engine::loop_division& division,
            const reached& last) const noexcept;

  /// Moves the nodes of other groups to the executors of these groups. @pre The
  /// executors have no nodes so far, and the caller has their tokens.
  void hand_over(std::span<executor* const> others);

  /// Moves nodes to other executors: to as many as `count`, which is 1 or the
  /// number of nodes.
  /// @returns these executors, which are not scheduled yet.
  std::vector<executor*> split(
    std::span<node_runner* const> leaving, std::size_t count);

  /// Moves nodes that executed nothing to separate executors.
  void split_newcomers();

  /// Moves heavy nodes to separate executors.
  void split_heavy(std::span<node_runner* const> leaving);

  /// Schedules this executor for the first time. @pre The caller has the token.
  void begin();

  std::shared_ptr<run_context> run_;
  std::unique_ptr<engine::group> nodes_;       // null until there were several
  std::vector<node_runner*> members_;          // without those that left
  worker* unit_ = nullptr;                     // the last worker
  std::int64_t timer_ = engine::node::no_wake; // the next wake-up
  std::int64_t flushed_ = 0;                   // the time of the last flush
  std::uint64_t notices_ = 0;               // the number that all members know
  std::shared_ptr<seating> seating_;        // null after the first tag
  std::shared_ptr<seating> takes_seats_of_; // usually null
  group_load load_;
  engine::hand_over_timer hand_over_;

  std::atomic<bool> signalled_{false};
  std::atomic<bool> taken_{false};     // the token
  std::atomic<bool> running_{false};   // or waits for a take-over
  std::atomic<std::int64_t> began_{0}; // start of the last call
  std::atomic<bool> awaits_promises_{true};
  std::atomic<bool> light_{false};       // for neighbours
  std::atomic<bool> quick_{false};       // for neighbours
  std::atomic<bool> is_part_{false};     // of a divided loop: keeps its nodes
  std::atomic<std::uint64_t> listed_{0}; // see `to_wake`
  const exchange exchange_;
  reached reached_;            // when a division was last considered
  bool executed_some_ = false; // in the last call
  bool measured_each_ = false; // in the last call
  bool looks_around_ = false;  // for neighbours
  std::atomic<std::uint32_t> size_{0};
  const std::uint32_t number_; // unique in the run
  std::uint32_t random_ = number_ + 1;

  std::mutex mutex_; // protects the members below
  std::vector<command> commands_;
  std::vector<node_mailbox*> mailboxes_; // with messages, and a reference each
  std::vector<executor*> joining_; // with their tokens, and a reference each
};

} // namespace caf::rosia::detail
