// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/activity.hpp"
#include "engine/body.hpp"
#include "engine/bound_requests.hpp"
#include "engine/checkpointing.hpp"
#include "engine/deadline_code.hpp"
#include "engine/envelope.hpp"
#include "engine/execution.hpp"
#include "engine/host.hpp"
#include "engine/max_waits.hpp"
#include "engine/modes.hpp"
#include "engine/node_clock.hpp"
#include "engine/node_config.hpp"
#include "engine/node_parts.hpp"
#include "engine/promise_basis.hpp"
#include "engine/snapshot.hpp"
#include "engine/tracer.hpp"
#include "engine/watchdogs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace caf::rosia::engine {

class hand_over_timer;

/// A node without threads, clocks or actors: sections 3 to 5 of the semantics.
/// It is driven by calls from one thread at a time, and acts through its host.
/// The host calls `advance` after `start`, `ask_shutdown` and `take_final`, and
/// whenever the node was woken, a value from outside arrived, or elapsed time
/// reached `wake_at()`. If the node is in a group, the host calls the group
/// instead.
///
/// The trace of all nodes depends on the graph and the inputs alone [7.1]. The
/// node with the least tag of all events may execute it [4.22].
///
/// The parts do the work: `event_queue`, `bounds`, `execution`, `flow_control`,
/// `outbox`, `bound_requests`. The node decides about the order. The class has
/// more than 40 functions, because hosts, the user's code and observers all
/// reach the parts through it. Most functions pass on a call. Tests:
/// test/engine.
class node {
public:
  // -- member types -----------------------------------------------------------

  enum class state {
    /// Nothing to do before mail, a wake-up, or `wake_at()`.
    idle,
    /// The budget is used up: call again.
    more,
    /// The node left, and must not be called again.
    left,
  };

  static constexpr std::int64_t no_wake = node_clock::no_wake;

  // -- constructors, destructors ----------------------------------------------

  node() = default;

  node(const node&) = delete;

  node& operator=(const node&) = delete;

  ~node();

  /// Wires the node. Called once, before everything else.
  void init(initial_config&& config, engine::body& code, engine::host& env,
            engine::tracer* trace);

  // -- checkpoints ------------------------------------------------------------

  /// Makes the node take part in checkpoints. Called before `restore` and
  /// `start`.
  /// @param period checkpoints are taken at its multiples, in nanoseconds; 0 if
  ///        only on demand.
  /// @param after the first checkpoint is later.
  void take_checkpoints(std::int64_t period, logical_time after);

  /// Restores what an earlier run saved of the node, so that `start` does not
  /// run `start()`. Called before `start`. @pre `from` fits the node, and
  /// messages in transit have a receiver that did not leave.
  void restore(const saved_node& from);

  /// Queues a message that was in transit to the node when the run was saved.
  void restore(std::uint32_t connection, const event& message) {
    parts_.events.push(
      parts_.config.in, connection, message.tag, message.content);
  }

  /// Answers where the node can take a checkpoint that is not planned, and
  /// stops there until the common tag is agreed.
  void ask_checkpoint();

  /// Carries out the coordinator's decision about a checkpoint.
  void take_checkpoint(logical_time tag);

  /// Makes the node replay physical values of an earlier run. Called before the
  /// start.
  /// @throws std::runtime_error as the source does. @pre `config.replayed`
  void replay(std::unique_ptr<stamped_source> from) {
    parts_.events.make_stamped().read_from(std::move(from));
  }

  // -- watchdogs --------------------------------------------------------------

  /// Adds a watchdog. Called while the members of the node are constructed.
  /// @param action is present when it has expired; has to stay.
  /// @param index the action's place among the node's.
  /// @param timeout in nanoseconds.
  void add_watchdog(input& action, std::uint32_t index, std::int64_t timeout,
                    bool has_handler);

  /// Lets a watchdog run as in an earlier run. @pre The node has not started.
  /// @param expiry in nanoseconds of elapsed time.
  void restore_watchdog(std::uint32_t action, std::int64_t expiry);

  /// Queues an expiry of an earlier run, which is present at `tag`. Called in
  /// the order of the tags.
  void restore_expiry(std::uint32_t action, logical_time tag);

  /// Returns the watchdogs; null if there are none. From any thread, at any
  /// time.
  engine::watchdogs* watchdogs() const noexcept {
    auto* stamped = parts_.events.stamped();
    return stamped == nullptr ? nullptr : stamped->watchdogs();
  }

  // -- modes ------------------------------------------------------------------

  /// Returns the modes to add one, or a member of one. Called while the members
  /// of the node are constructed.
  engine::modes& make_modes() {
    return parts_.events.make_stamped().make_modes();
  }

  /// Returns the modes; null if there are none.
  engine::modes* modes() const noexcept {
    return parts_.events.modes();
  }

  /// Restores a mode as it was in an earlier run. @pre The node has not
  /// started.
  void restore_mode(std::uint32_t number, bool is_active, bool was_active,
                    bool by_history, std::uint64_t entries) {
    modes()->restore(number, is_active, was_active, by_history, entries);
    modes()->filter(*parts_.code);
  }

  /// Enters a mode at the next microstep [10.7.2]. @throws std::logic_error if
  /// that is an error of the node: outside of a reaction.
  /// @param number the mode's place among the node's.
  void enter(std::uint32_t number, bool history) {
    execution_.enter(parts_, number, history);
  }

  // -- maximal waits ----------------------------------------------------------

  /// Returns the connections with a maximal wait; null if there are none. From
  /// any thread, at any time.
  engine::max_waits* max_waits() const noexcept {
    auto* stamped = parts_.events.stamped();
    return stamped == nullptr ? nullptr : stamped->max_waits();
  }

  /// Returns the intended tag of the tardy value that is present at an input;
  /// null if there is none. The pointer is valid until the next tag.
  const logical_time* intended(std::uint32_t input) const noexcept {
    return config().has_waits ? max_waits()->intended(input, now()) : nullptr;
  }

  // -- driving ----------------------------------------------------------------

  /// Runs `start()`: the first part of tag (0, 0).
  void start();

  /// Takes in what has arrived, and executes at most `budget` tags, or until
  /// `timer` requires a hand-over [4.7].
  /// @pre The node is in no group.
  state advance(std::size_t budget, hand_over_timer& timer);

  /// Returns when to call `advance` even if nothing else happens, in
  /// nanoseconds of physical time since the start; `no_wake` if never.
  std::int64_t wake_at() const noexcept {
    return parts_.clock.wake_at();
  }

  /// Keeps a message for the last tag from another member of the node's group.
  /// @param connection the node's incoming connection.
  void expect_last(std::uint32_t connection, const value& content) {
    parts_.bounds.barrier().last_tag()->add(connection, content);
  }

  /// Queues a message from another member of the node's group.
  void expect(const out_connection& from, logical_time tag,
              const value& content);

  // -- ending -----------------------------------------------------------------

  /// Answers the coordinator's question, and sets the barrier past the answer.
  void ask_shutdown(logical_time proposal);

  /// Carries out the coordinator's decision. @param requested the tag that was
  /// requested.
  void take_final(logical_time final, logical_time requested);

  /// Drops queued messages, and leaves at once.
  void abort();

  /// Returns how the node ended, after it left.
  ending outcome() const noexcept {
    return execution_.outcome();
  }

  // -- called by the user's code ----------------------------------------------

  /// Returns the current tag. The reference is valid as long as the node
  /// exists.
  const logical_time& now() const noexcept {
    return execution_.logical();
  }

  /// Writes an output. @throws std::logic_error if that is an error of the
  /// node: outside of a reaction, a second time at one tag, or against a
  /// promise.
  void write(std::uint32_t port, const value& content);

  /// Writes an output by its port's state. Defined in engine/group.hpp.
  void write(output& port, const value& content);

  /// Promises that nothing is written to an output before `now() + d`.
  void promise(std::uint32_t port, const delay& d) {
    execution_.promise(parts_, port, d);
  }

  /// Calls `body::resume(token)` at `now() + d`; or, if an instance of the same
  /// reaction is resumed then, at the first microstep without one.
  void wait(const delay& d, void* token) {
    execution_.wait(parts_.events, d, token);
  }

  /// Makes an action present at `now() + d`, or where its spacing allows, with
  /// `content` as one of its values.
  /// @param action must keep its address while the node exists.
  /// @param index the index of the action in the node.
  /// @returns whether there is such an event.
  /// @throws std::logic_error if that is an error of the node: outside of a
  /// reaction, or without a delay.
  bool schedule(input& action, std::uint32_t index, const delay& d,
                value content) {
    return execution_.schedule(parts_, action, index, d, std::move(content));
  }

  /// Queues the first event of a tick, or an event that was scheduled in an
  /// earlier run. @pre The node did not start yet.
  void restore(input& action, std::uint32_t index, logical_time tag,
               value content);

  /// Adds a physical action with options. Called before `init`.
  void add(const stamped_queue::action_options& x) {
    parts_.events.make_stamped().add(x);
  }

  /// Returns the physical action with options that has this input; null if
  /// there is none.
  stamped_queue::spaced_action* spaced_action(std::uint32_t input) noexcept {
    auto* stamped = parts_.events.stamped();
    return stamped == nullptr ? nullptr : stamped->find(input);
  }

  /// Sets the least distance of all stamps of values from outside from elapsed
  /// time. Called before `init`.
  void set_lead(const delay& d) {
    parts_.events.make_stamped().set_lead(d);
  }

  /// Requests an end at `now() + d`, and executes nothing later until it is
  /// decided [5.4].
  void request_shutdown(const delay& d, int status);

  /// Starts a watchdog: it expires when elapsed time is that of the current tag
  /// + its timeout + `extra` nanoseconds [10.8.1].
  /// @param action the index of its action.
  /// @throws std::logic_error outside of the node's code, also on another
  /// thread while that code runs, or if `extra` is negative.
  void start_watchdog(std::uint32_t action, std::int64_t extra);

  /// Stops a watchdog. @throws std::logic_error outside of the node's code.
  void stop_watchdog(std::uint32_t action);

  /// Returns whether the deadline of the running reaction has passed [10.3.2].
  /// @throws std::logic_error if no reaction runs, or if it has no deadline.
  bool deadline_missed() {
    auto* deadline = execution_.running_deadline(parts_);
    return deadline == nullptr || deadline->has_passed(*this);
  }

  /// Returns whether user code runs that may write, wait and request.
  bool executing() const noexcept {
    return execution_.executing();
  }

  /// Calls `fun` with each input that is present at the current tag, in the
  /// order of arrival. Only for running code of the node.
  template <class Fun>
  void each_present_input(Fun&& fun) const {
    if (parts_.scratch == nullptr || parts_.scratch->present.empty()) {
      if (auto* only = execution_.only_present_input())
        fun(*only);
      return;
    }
    for (auto* x : parts_.scratch->present)
      fun(*x);
  }

  // -- for observers ----------------------------------------------------------

  /// Returns the activity of the node's code. From any thread, at any time.
  activity doing() const noexcept {
    return execution_.recorder().read();
  }

  /// Updates the bounds of the node, for an observer. @pre No other thread
  /// calls the node.
  void settle_for_observer();

  /// Returns the node's state. @pre No other thread calls the node.
  snapshot look() const;

  /// Returns the number of pieces of code that began. From any thread, at any
  /// time.
  std::uint64_t progress() const noexcept {
    return execution_.recorder().count();
  }

  // -- properties -------------------------------------------------------------

  node_id id() const noexcept {
    return parts_.config.id;
  }

  /// Returns the last tag that was executed; (0, 0) before the first.
  logical_time logical() const noexcept {
    return execution_.logical();
  }

  /// Returns the same without the last tag, the one after the final tag: the
  /// final tag if the node executed both [10.6.1].
  logical_time last_before_end() const noexcept {
    return std::min(logical(), final());
  }

  /// Returns the final tag; `forever` until it is known.
  logical_time final() const noexcept {
    return parts_.bounds.barrier().final();
  }

  /// Returns STAT, the tag that is safe to advance to, as last computed. The
  /// node executes only tags below it, so no message is late [7.2].
  logical_time stat() const noexcept {
    return parts_.bounds.stat();
  }

  /// Returns whether `start()` has returned.
  bool started() const noexcept {
    return execution_.started();
  }

  /// Returns whether the node's code failed.
  bool failed() const noexcept {
    return execution_.failed();
  }

  /// Returns whether the node left.
  bool left() const noexcept {
    return execution_.left();
  }

  /// Returns the earliest tag that is queued [4.4]; (0, 0) before `start()`.
  logical_time next_tag() const noexcept {
    return execution_.started() ? parts_.events.next_tag() : logical_time{};
  }

  /// Returns whether a promise from outside of the group may change what the
  /// node does before it is called for another reason: it needs a bound for
  /// itself or, over a connection that leaves the group, for another node.
  /// @param inner the number of its connections to members of the group.
  bool awaits_promises(std::size_t inner = 0) const noexcept;

  /// Returns the group that executes the node; null if there is none, or if the
  /// node left.
  engine::group* group() const noexcept {
    return parts_.group;
  }

  /// Returns the promise over the outgoing connection of this index.
  logical_time promise_over(std::uint32_t connection) const {
    return outbox::promise_over(config(), config().out[connection], basis());
  }

  /// Returns the number of messages that the node sent, and handled: those from
  /// outside of its group, and those that arrived together at one tag.
  std::uint64_t messages() const noexcept {
    return execution_.messages();
  }

  bool realtime() const noexcept {
    return parts_.config.realtime;
  }

  const node_config& config() const noexcept {
    return parts_.config;
  }

  /// Returns the events that the node must still execute.
  const event_queue& events() const noexcept {
    return parts_.events;
  }

private:
  friend class deadline_code;
  friend class explanation;
  friend class group;
  friend class instant_loop;

  /// Finds out how the node stamps physical values.
  void init_stamping();

  // -- taking in --------------------------------------------------------------

  void take_in();

  void take_in(std::span<envelope> mail);

  /// Queues a message. @returns false if its tag has ended.
  bool take_message(std::uint32_t connection, logical_time tag,
                    const value& content);

  void receive(envelope& message);

  /// Gives a value its tag and queues it, or drops it.
  /// @param index the index of the connection, the input, or the reaction.
  void stamp(envelope_kind kind, std::uint32_t index, value&& content);

  /// Does so where the run is recorded, or actions have a spacing.
  void stamp_with_notes(envelope_kind kind, std::uint32_t index,
                        value&& content);

  /// Returns the tag of the next value of a node that has actions with a
  /// spacing. Withdraws the value that it replaces. None if it is dropped.
  /// @throws std::overflow_error if the microstep overflows.
  std::optional<logical_time> place(envelope_kind kind, std::uint32_t index);

  /// Queues what has a tag. @param is_plain whether it is not the value of an
  /// action with options.
  /// @pre The stamp log's mutex is locked, if there is one.
  void queue_stamped(stamped_value x, bool is_plain);

  /// Notes that a value of a connection that keeps the latest ones has a tag.
  void note_stamp(envelope_kind kind, std::uint32_t index) noexcept;

  /// Ends the node because a value cannot get a tag.
  /// @param subject what has no tag.
  void fail_stamp(const std::string& subject);

  /// Stamps the next values of connections that keep the latest ones, if
  /// something changed there.
  void stamp_latest();

  void drop(envelope_kind kind, std::uint32_t index, drop_reason reason);

  /// Stamps the next value of a connection that keeps the latest ones, unless
  /// one of its values has a tag.
  /// @param all stamps all waiting values instead.
  /// @param all also stamps values if one of them has a tag already.
  void stamp_latest(std::uint32_t connection, bool all);

  /// Stamps all waiting values of connections that keep the latest ones, or
  /// drops them.
  void stamp_all_latest();

  // -- executing --------------------------------------------------------------

  bool may_execute(logical_time tag);

  void execute(logical_time tag);

  /// Makes a tag the current one. @returns whether a lag was reported.
  bool begin_tag(logical_time tag);

  /// @param was_late the result of `begin_tag`.
  void end_tag(logical_time tag, bool was_late);

  /// Compares physical time with the tag that begins, or that has `ended`, and
  /// reports a lag.
  /// @returns whether the node is off by more than `lag_warn`.
  bool report_lag(logical_time tag, bool ended);

  /// Executes tags as long as the node may [3.1]. @returns false if the node
  /// must be called again, because the budget is used up, a hand-over is due,
  /// or many messages wait to be sent.
  bool execute_some(std::size_t& budget, hand_over_timer& timer);

  // -- watchdogs --------------------------------------------------------------

  /// Does the same as `execute_some` for a node with watchdogs, and looks
  /// between two tags whether one has expired.
  bool execute_watched(std::size_t& budget, hand_over_timer& timer);

  /// Stamps the expiries up to now, and runs their handlers [10.8.2].
  void expire_watchdogs();

  void expire(watchdog& x);

  /// Returns the tag of an expiry. None if the microstep overflows.
  std::optional<logical_time> stamp_expiry(logical_time expiry) const;

  /// Schedules a call of the node at the next expiry.
  void wait_for_expiry() noexcept;

  void set_watchdog(watchdog& x, std::int64_t expiry);

  // -- maximal waits ----------------------------------------------------------

  /// Notes the promise of a message over a connection with a maximal wait.
  /// Stamps its value if it is tardy; what is left of the message is a promise.
  void take_waiting(envelope& message);

  /// @returns whether the value is tardy: it arrives below the bound that the
  /// node has assumed [10.10.1].
  bool take_tardy(max_wait& from, envelope& message);

  /// @returns whether the value was tardy in the earlier run.
  bool take_in_replay(max_wait& from, envelope& message);

  /// Queues a tardy value, unless it is dropped, and acks its message.
  /// @param tag `forever` if it is dropped.
  void queue_tardy(max_wait& from, logical_time tag, envelope& message);

  /// Assumes the bounds that are needed, and that elapsed time allows.
  /// Schedules a call of the node for the other ones.
  /// @returns whether it assumed one: the node, or its loop, may continue.
  bool assume_bounds();

  /// Returns whether the sender of a connection with a maximal wait may still
  /// send a value that arrives up to the final tag [10.10.2].
  bool await_ends() const noexcept;

  /// Tells the recording from which tag on values may be found to be tardy.
  void note_assumptions();

  // -- checkpoints ------------------------------------------------------------

  void restore(const saved_node::channel& from);

  /// Saves the node's state if it passed the tag of a checkpoint.
  /// @returns whether it did, and may continue.
  bool save_if_due();

  /// Returns the node's part of checkpoints below `until`. @pre Nothing is
  /// executed and nothing arrives before `until`.
  saved_node make_part(logical_time until) const;

  /// Saves the node's part of checkpoints below `until`.
  void save(logical_time until);

  /// Records a request for an end.
  void note_request(logical_time proposal, int status);

  void stop_to_save();

  // -- sending ----------------------------------------------------------------

  void flush();

  /// Sends messages within the loop, and updates the node's entry.
  /// @returns whether this node sent a message to itself.
  bool flush_intra_loop();

  /// Returns the least tag of a physical value that arrives now, by the time
  /// that the clock read last; `forever` if none may arrive.
  logical_time least_stamp() const noexcept {
    return parts_.bounds.upstreams().takes_physical()
             ? parts_.bounds.least_stamp(parts_, parts_.clock, logical())
             : forever;
  }

  promise_basis basis() const noexcept {
    return parts_.bounds.basis(
      parts_, parts_.clock, execution_.started(), stat(), next_tag(),
      logical());
  }

  /// Sends promises and requests before the node becomes idle. @returns false
  /// if there is more to execute after all.
  bool go_idle();

  // -- leaving ----------------------------------------------------------------

  /// Closes the node to physical values when they can no longer matter [5.13].
  /// @returns whether it did so now, and there may be new events.
  bool close_physical();

  /// Returns whether the node executed everything up to the final tag, and
  /// nothing more can arrive there [7.3].
  bool past_final();

  /// Returns whether the node must not wait any longer before it executes the
  /// last tag, or executes none [10.6.2].
  bool is_ready_to_end() const noexcept;

  /// Reports that the node is done, and waits for the final tag [10.6.4].
  /// @returns false, without effect, if it has done so before, or if the final
  ///          tag is known.
  bool report_done();

  /// Returns whether the node executed all tags up to the final tag, or up to
  /// the tag of a checkpoint, as far as it knows.
  bool waits_to_be_past() const noexcept;

  /// Returns whether the node has nothing left to do up to the final tag [5.1].
  bool done() const;

  /// Returns whether a node that is done leaves.
  bool leaves_when_done() const noexcept {
    return parts_.bounds.barrier().last_tag() == nullptr;
  }

  /// Leaves, unless the node fails at the last tag.
  void leave(ending outcome);

  /// Saves the node's state at the final tag, if checkpoints are taken.
  void end_at_final_tag();

  /// Leaves after the last tag, if there was one.
  void leave_at_once(ending outcome);

  /// Reports the number of values that arrive beyond the final tag to the host.
  void report_unexecuted();

  /// Lets other nodes see that this node left, and frees its memory: many nodes
  /// of an application may leave early.
  void detach(bool aborted);

  // -- member variables -------------------------------------------------------

  // The data that each message needs is first: `execution_`, and the beginning
  // of `parts_`.
  execution execution_;
  node_parts parts_;
  bound_requests requests_;
};

} // namespace caf::rosia::engine
