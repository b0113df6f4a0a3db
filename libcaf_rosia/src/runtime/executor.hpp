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

/// What a worker runs at a time: a node, or several that are executed as one.
/// Whoever has its token owns the nodes, and all of their actors, if there are
/// any, but the mailboxes. Executors may measure what their nodes cost, and
/// exchange nodes.
///
/// A node moves between two executors while one thread has the tokens of both.
/// Others may have looked up the former one just before; what they wanted of
/// the node is seen, because the new one is called once more after the move.
/// For that reason an executor is kept until the run is over, if need be
/// without nodes.
class executor final : public claimable, public counted_job {
public:
  // -- member types -----------------------------------------------------------

  using outcome = caf::resumable::resume_result;

  /// Whether nodes move.
  enum class exchange : std::uint8_t {
    /// They stay.
    none,
    /// Light neighbours come together, and who is not light is on its own. A
    /// loop is divided once if its nodes are not light.
    by_load,
    /// They stay, but a loop is divided as well.
    by_division,
    /// At random, for tests: nothing but the speed may depend on it.
    at_random,
  };

  // -- constructors -----------------------------------------------------------

  /// @param number differs from those of the run's other executors.
  executor(std::shared_ptr<run_context> run, std::size_t number,
           exchange manner);

  // -- before the start -------------------------------------------------------

  /// Adds its nodes, whose engines are wired.
  /// @param later brings nodes together after their first tag; null if the
  ///   executor does not take part.
  void add(std::vector<node_runner*> xs, std::shared_ptr<seating> later);

  // -- scheduling -------------------------------------------------------------

  void signal() override;

  bool claim() override;

  void run_claimed(worker& unit) override;

  void schedule_claimed() override;

  /// Takes what one of its nodes is told. From any thread.
  /// @returns false if the node has moved.
  bool take_command(node_runner& x, const node_command& command);

  /// Takes over a mailbox with messages, and its token. From any thread.
  /// @param unit the worker that this is called on.
  /// @returns false if the node has moved.
  bool handle_mailbox(node_mailbox& x, worker* unit);

  /// Whoever runs on this thread has something for `x`. It is woken when that
  /// is done, so that it finds locks free and messages complete.
  static void to_wake(executor& x);

  /// Wakes them. The caller has its token still, because from then on who was
  /// woken may end the application.
  static void wake_others();

  // -- after the start --------------------------------------------------------

  /// Takes over the nodes of others when it runs, which is soon. It and they
  /// wait, with their tokens and a reference each.
  /// @param all includes the executors whose nodes have executed nothing.
  void seat(std::vector<executor*> others, std::shared_ptr<seating> all);

  // -- for its nodes, on the thread that runs them ----------------------------

  /// Where it runs; null before the first time.
  worker* unit() const noexcept {
    return unit_;
  }

  // -- observing --------------------------------------------------------------

  /// Records a node's state if nobody runs it. From any thread.
  /// @returns false if it is being run, or about to.
  bool observe(node_runner& x, observation& into);

  /// Tells whether it has been woken and nobody has run it since. From any
  /// thread.
  bool waits_for_worker() const noexcept {
    return signalled_.load(std::memory_order_relaxed)
           && !running_.load(std::memory_order_relaxed);
  }

  /// How many nodes it has. From any thread.
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
  /// caller has it again.
  bool give_token_back() noexcept;

  /// Hands the token, and its reference, to CAF's scheduler.
  void schedule();

  // -- running ----------------------------------------------------------------

  /// Runs one for CAF's scheduler, and then those that were woken.
  static outcome run(executor& x, worker* unit);

  /// Calls this one, which is claimed, and leaves it to the scheduler if it has
  /// more to do.
  void run_once(worker* unit, std::int64_t turn);

  /// Leaves the claimed executors of this thread to other workers.
  static void schedule_next();

  /// Calls each claimed light executor of this thread once. Executors that
  /// these calls wake are claimed by this thread as well.
  static void run_light(worker* unit);

  /// Does what there is to do, within bounds. Does not begin with more of it
  /// after `turn` nanoseconds. @returns what CAF's scheduler wants to know; the
  /// token is given back, or given to another executor, unless it is
  /// `resume_later`.
  outcome activate_once(worker* unit, std::int64_t turn);

  /// Calls the nodes at the time `now`. @returns whether there is more to do.
  bool advance(std::int64_t now);

  engine::node::state advance_measured();

  engine::node::state advance_nodes();

  /// What the nodes have executed so far: tags, or pieces of code.
  std::uint64_t executed() const noexcept;

  /// How many messages they have handled so far.
  std::uint64_t messages() const noexcept;

  /// Returns how much a call costs: the more, the longer it executes nodes. The
  /// unit is a member of a group.
  std::size_t call_costs() const noexcept;

  /// Does what comes after each call.
  void end_call();

  /// Tells whether what is for other processes has waited for long.
  bool waits_to_flush(std::int64_t now) const noexcept;

  /// Sends what is for other processes.
  void flush(std::int64_t now);

  struct command {
    node_runner* node;
    node_command content;
  };

  /// Has the nodes do what they are told.
  void handle_commands(worker* unit);

  std::vector<command> take_commands();

  /// @returns whether there are more messages.
  bool handle_mailboxes(worker* unit);

  /// @returns the same.
  bool handle_messages_of(node_mailbox& x, worker* unit);

  /// Tells the nodes where checkpoints are taken.
  void take_notices();

  /// Lets go of the nodes that have left.
  void end_members(worker* unit);

  /// Lets go of this one if it has left. @returns whether it has.
  bool end_member(node_runner& x, worker* unit);

  void erase(node_runner& x);

  void update_size() noexcept;

  /// Has the nodes executed as one, if they are not yet.
  void make_group();

  /// Tells the nodes in which group they are.
  void name_group();

  // -- exchanging nodes -------------------------------------------------------

  /// Waits, with its token, for the nodes that start at the same time, if its
  /// node has executed its first tag. @returns whether it waits: then it may
  /// not be touched.
  bool wait_for_others();

  /// Does not wait for the nodes that start at the same time.
  void leave_seating();

  /// Sets how long the tags of light nodes take at most.
  void set_light_tag();

  /// Returns whether its nodes may be light, and have executed nothing so far.
  bool is_silent() const noexcept;

  /// Takes over nodes, and puts others on their own. @returns whether the nodes
  /// have to be called once more.
  bool exchange_nodes();

  /// Returns whether it exchanges nodes with others.
  bool exchanges() const noexcept {
    return exchange_ == exchange::by_load || exchange_ == exchange::at_random;
  }

  bool wants_neighbours() noexcept;

  std::uint32_t random_number() noexcept;

  /// Takes over the nodes of those that have joined.
  void take_joined();

  /// Takes over the nodes of those that wait for it, or lets them go on alone.
  void absorb_joined(std::vector<executor*> joined);

  /// Takes over the nodes of others, whose tokens the caller has, and gives
  /// these back. @returns those that have joined the others.
  std::vector<executor*> absorb(std::span<executor* const> others);

  /// Takes over the members of one whose group is already its own. @param
  /// joined gets those that have joined the other one.
  void take_members(executor& other, std::vector<executor*>& joined);

  /// Gives back another one without nodes, and its token.
  void give_back(executor& other);

  /// Takes over the nodes of those that are light and that nobody runs, as many
  /// as fit. @returns whether the nodes have to be called once more.
  bool absorb_idle(std::span<executor* const> from);

  /// Waits, with its token, for a light neighbour to take its nodes over, if
  /// there is one. @returns whether it does, and may not be touched any more.
  bool join_busy();

  /// This one has waited for long enough.
  void let_go(executor& x);

  /// Nobody takes the nodes over. @pre The caller has the token.
  void go_on_alone();

  /// Tells whether it may take over the nodes of this one, besides so many.
  bool accepts(const executor& other, std::size_t besides = 0) const noexcept;

  /// Tells whether it may take over those nodes sooner or later.
  bool may_take(const executor& other) const noexcept;

  /// Tells whether to look for those who are no neighbours, but have one in
  /// common with it, given its neighbours.
  bool wants_siblings(std::span<executor* const> near) noexcept;

  /// The executor of a node, if it exchanges nodes with this one.
  executor* partner(engine::node_id id) const;

  /// The executors of nodes that are connected with its own, directly or over
  /// light ones: the nearest first, and only some if there are many.
  std::vector<executor*> neighbours();

  /// Executors of nodes that are connected in the same way with a neighbour of
  /// one of its own: some that are near in the neighbour's order.
  std::vector<executor*> siblings();

  /// The nodes that have to be on their own.
  std::vector<node_runner*> find_heavy();

  /// One of them, now and then.
  std::vector<node_runner*> find_any();

  /// Returns the number of a node's loop.
  std::uint32_t loop_of(node_runner& x) const;

  /// Returns the size of a node's loop; 0 if it is in none, or if some members
  /// are in other processes.
  std::size_t loop_size(node_runner& x) const noexcept;

  /// Returns the members of loops that it executes as a whole, by the loop's
  /// number.
  std::unordered_map<std::uint32_t, std::vector<node_runner*>> find_loops()
    const;

  bool wants_division() noexcept;

  /// Divides a loop between executors; other nodes leave before. @returns
  /// whether the nodes have to be called once more.
  bool divide();

  /// How far its nodes have got.
  struct reached {
    std::uint64_t tags = 0;
    std::int64_t ns = 0; // of logical time
  };

  /// Notes how far the nodes have got. @returns what was noted before.
  reached note_reached() noexcept;

  /// Returns whether the parts of a loop would work for so long before they
  /// wait for each other that this outweighs their cost.
  /// @param last what was noted before the last tags.
  bool pays(const engine::loop_division& division,
            const reached& last) const noexcept;

  /// Leaves the nodes of other groups to their executors, which have no nodes
  /// so far, and whose tokens the caller has.
  void hand_over(std::span<executor* const> others);

  /// Leaves nodes to another executor.
  /// @returns that one, which is not scheduled yet.
  executor& split(std::span<node_runner* const> leaving);

  /// Leaves a node that has executed nothing to an executor of its own.
  void split_newcomer(node_runner& x);

  /// The same for a heavy node.
  void split_heavy(node_runner& x);

  /// Schedules it for the first time. @pre The caller has the token.
  void begin();

  std::shared_ptr<run_context> run_;
  std::unique_ptr<engine::group> nodes_; // null while it had no more than one
  std::vector<node_runner*> members_;    // that have not left
  worker* unit_ = nullptr;               // where it runs
  std::int64_t timer_ = engine::node::no_wake; // the earliest wake that is set
  std::int64_t flushed_ = 0;                   // the last flush
  std::uint64_t notices_ = 0;                  // that all members know
  std::shared_ptr<seating> seating_; // null after the first tag, or without one
  std::shared_ptr<seating> takes_seats_of_; // null most of the time
  group_load load_;
  engine::hand_over_timer hand_over_;

  std::atomic<bool> signalled_{false};
  std::atomic<bool> taken_{false};     // the token
  std::atomic<bool> running_{false};   // or waits for another one to take over
  std::atomic<std::int64_t> began_{0}; // the last call
  std::atomic<bool> light_{false};     // for neighbours
  std::atomic<bool> is_part_{false};   // of a loop: it stays as it is
  std::atomic<std::uint64_t> listed_{0}; // see `to_wake`
  const exchange exchange_;
  reached reached_;            // when a division was last considered
  bool executed_some_ = false; // in the last call
  bool measured_each_ = false; // the same, each member
  bool looks_around_ = false;  // for neighbours
  std::atomic<std::uint32_t> size_{0};
  const std::uint32_t number_; // differs from those of all others
  std::uint32_t random_ = number_ + 1;

  std::mutex mutex_; // of what follows
  std::vector<command> commands_;
  std::vector<node_mailbox*> mailboxes_; // with messages, and a reference each
  std::vector<executor*> joining_;       // with their tokens, and a reference
};

} // namespace caf::rosia::detail
