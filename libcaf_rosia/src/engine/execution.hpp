// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/failure.hpp"
#include "caf/rosia/detail/reaction_code.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/activity.hpp"
#include "engine/activity_recorder.hpp"
#include "engine/body.hpp"
#include "engine/connection.hpp"
#include "engine/event_queue.hpp"
#include "engine/flow_control.hpp"
#include "engine/host.hpp"
#include "engine/instant_loop.hpp"
#include "engine/modes.hpp"
#include "engine/node_context.hpp"
#include "engine/node_parts.hpp"
#include "engine/tag_copy.hpp"
#include "engine/tracer.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// Runs a node's code at a tag, and carries out what the code requests. Section
/// 3 of the semantics. Tests: test/engine.
class execution {
public:
  // -- running ----------------------------------------------------------------

  /// Informs the recorder that the node is called.
  void begin_call() noexcept {
    recorder_.begin_call();
  }

  /// Restores what an earlier run saved.
  void restore(const saved_node& from) noexcept;

  /// Runs `start()` and the startups, at the same tag [3.7]; `resumed()` for a
  /// restored node. @returns false if the code failed, which was reported.
  bool start(node_parts& parts);

  /// Makes `tag` the current one [3.2].
  void advance_to(const logical_time& tag) noexcept {
    copy_tag(logical_, tag);
    executed_any_ = true;
  }

  /// Runs the code that is due at the current tag, unless a part of it fails
  /// [3.5].
  void run(node_parts& parts);

  /// Records a message that is kept apart, if the run is recorded.
  static void record_direct(const node_parts& parts) {
    if (parts.config.log == nullptr)
      return;
    auto& x = parts.events.direct();
    parts.config.log->arrived(
      parts.config.in[x.connection].input, parts.events.next_tag(), x.content);
  }

  /// Executes a tag at which a message that is kept apart is the only event of
  /// an unobserved node. This is the path of most messages within a group. If
  /// the run is recorded, call `record_direct` before.
  /// @param self the node.
  void run_direct(node& self, node_parts& parts, const logical_time& tag);

  /// Executes a tag at which a message that is not in the event queue's lane is
  /// the only event.
  /// @returns false, and does nothing, if the message is from outside of the
  ///          node's group, or the run is recorded.
  bool run_behind_lane(node& self, node_parts& parts, const logical_time& tag);

  /// Runs the node at a tag at which a single scheduled event is due.
  void run_scheduled(node_parts& parts, logical_time tag);

  /// Runs the node at a tag at which a single resumption is due.
  void run_resumption(node_parts& parts, logical_time tag);

  /// Runs the node at the last tag, if it has a reaction to `at_shutdown` or a
  /// message [10.6.1]. Nothing else that was due then runs.
  /// @pre The node is past the final tag, and its senders without delay have
  ///      said no_more [10.6.2].
  void run_last_tag(node_parts& parts);

  /// Runs the handler of a watchdog, which expired at `tag` [10.8.2].
  void run_handler(node_parts& parts, std::uint32_t action, logical_time tag);

  /// Ends the node with an error [6.1].
  void fail(node_parts& parts, std::string text);

  /// Runs `shutdown()`, and drops the instances of reactions that yielded
  /// [5.15].
  void shut_down(node_parts& parts);

  // -- called by the user's code ----------------------------------------------

  /// See `node::write`.
  void write(node_parts& parts, output& out, const value& content);

  /// See `node::promise` [4.12].
  void promise(const node_context& context, std::uint32_t port, const delay& d);

  /// See `node::wait`.
  void wait(event_queue& events, const delay& d, void* token);

  /// See `node::schedule`.
  bool schedule(node_parts& parts, input& action, std::uint32_t index,
                const delay& d, value content);

  /// See `node::enter`.
  void enter(node_parts& parts, std::uint32_t number, bool history);

  /// Refuses a request for the application's end unless the node's code may
  /// make it.
  /// @returns whether it may.
  bool accept_request(const delay& d) const;

  /// Refuses a call that starts or stops a watchdog unless the node's code may
  /// make it [10.8.1].
  /// @param verb "started" or "stopped".
  /// @param by_thread whether the thread that runs the node makes it.
  /// @returns whether it may.
  bool accept_watchdog_call(const node_parts& parts, std::uint32_t action,
                            const char* verb, bool by_thread) const;

  /// Returns the deadline of the running reaction. Null if a destructor asks
  /// for it while tasks are destroyed.
  /// @throws std::logic_error if no reaction runs, or if it has no deadline.
  deadline_code* running_deadline(const node_parts& parts) const;

  /// Destroys the tasks that wait. If a destructor calls one of the functions
  /// above, the error is not thrown, because that would end the process.
  /// @returns these errors.
  std::vector<std::string> discard_tasks(node_parts& parts);

  // -- properties -------------------------------------------------------------

  /// Returns the name of a reaction, or of `start()`, for messages.
  static std::string code_name(
    const node_context& context, std::uint32_t reaction);

  /// Returns the current tag, or the last one.
  const logical_time& logical() const noexcept {
    return logical_;
  }

  /// Returns whether `tag` was executed, or is being executed.
  bool has_executed(logical_time tag) const noexcept {
    return executed_any_ && tag <= logical_;
  }

  /// Returns whether `start()` has run, or never will.
  bool started() const noexcept {
    return started_;
  }

  /// Returns whether the node had left when it was saved.
  bool had_left() const noexcept {
    return origin_ == origin::left;
  }

  /// Returns whether no code runs, and none failed.
  bool idle() const noexcept {
    return phase_ == phase::running
           && recorder_.current_mode() == activity_recorder::mode::idle;
  }

  /// Returns whether code runs that may write, wait and request [5.16].
  bool executing() const noexcept {
    return recorder_.current_mode() == activity_recorder::mode::executing;
  }

  bool failed() const noexcept {
    return phase_ == phase::failed;
  }

  /// Returns whether the node left.
  bool left() const noexcept {
    return phase_ == phase::left;
  }

  void begin_leaving(ending outcome) noexcept {
    phase_ = phase::leaving;
    outcome_ = outcome;
  }

  void finish_leaving() noexcept {
    phase_ = phase::left;
  }

  /// Returns how the node ended, after it left.
  ending outcome() const noexcept {
    return outcome_;
  }

  /// Returns the number of handled messages: those sent, those from outside of
  /// the group, and those that arrived together at one tag.
  std::uint64_t messages() const noexcept {
    return messages_;
  }

  /// Returns the numbered input that is the only present input; null if there
  /// is none, or if several are present, which are in the scratch.
  input* only_present_input() const noexcept {
    return alone_ != nullptr && alone_->present ? alone_ : nullptr;
  }

  /// Counts a message from outside of the node's group.
  void note_message() noexcept {
    ++messages_;
  }

  /// Returns the recorder, for observers.
  const activity_recorder& recorder() const noexcept {
    return recorder_;
  }

private:
  friend class instant_loop;

  enum class phase : std::uint8_t {
    running,
    failed,
    leaving,
    left,
  };

  /// The origin of the node's state.
  enum class origin : std::uint8_t {
    fresh,
    /// Saved by an earlier run.
    saved,
    /// Saved by an earlier run in which the node had left: all of its code has
    /// run.
    left,
  };

  bool resume(node_parts& parts);

  void fail(node_parts& parts, std::string code, std::string text) {
    fail(parts, {std::move(code), logical_, std::move(text)});
  }

  void fail(node_parts& parts, const failure& reason);

  /// Enters the mode that is requested for the current tag, if there is one
  /// [10.7.2]. @returns whether the node continues.
  bool switch_mode(node_parts& parts);

  /// Destroys instances of a mode that is reset. An error of a destructor is an
  /// error of the node. @returns whether the node continues.
  bool discard(node_parts& parts,
               const std::vector<suspended_instance>& dropped);

  /// Resumes the instances that are due.
  /// @returns whether the node continues.
  bool resume_instances(node_parts& parts);

  /// Resumes one instance. @returns whether the node continues.
  bool resume(node_parts& parts, std::uint32_t reaction, void* token);

  /// Reads the next values of an earlier run before one of them is taken.
  /// @returns whether the node continues.
  bool read_on(node_parts& parts);

  /// Notes a physical value that is about to be present.
  /// @returns whether it waited for that in a queue.
  static bool counts_as_taken(node_parts& parts, const stamped_value& x);

  /// Does so if the node has actions with a spacing [10.5.3].
  static void note_present(node_parts& parts, const stamped_value& x);

  /// Removes the values of the current tag from the event queue, in order.
  /// @param take is called for each, with the members of a `waiting_input`.
  template <class Fun>
  void take_inputs(node_parts& parts, Fun&& take);

  void set_inputs(node_parts& parts);

  /// Takes what is due at the current tag, for a loop without delay: scheduled
  /// events become present, and values are added to `into`.
  /// @returns whether the node continues.
  bool take_due(node_parts& parts, std::vector<waiting_input>& into);

  /// Sets the input of a value that `take_due` has returned.
  void set_waiting(node_parts& parts, waiting_input&& x);

  /// Moves the expiry of a watchdog to the scheduled events of this tag, of
  /// which it is the last one: in a replay as well.
  void take_expiry(node_parts& parts, stamped_value x) const;

  /// Runs the node if a single message of the event queue's lane is due, which
  /// is the usual case.
  void run_single(node_parts& parts);

  /// Runs the node if only messages of the lane are due.
  void run_lane(node_parts& parts);

  /// Runs the node with events of any kind.
  void run_all(node_parts& parts);

  void set_input(node_context& context, std::uint32_t port,
                 std::uint32_t connection, value&& content);

  /// Sets an input of an unobserved node.
  static void set_input(engine::scratch& memory, input& port, value&& content);

  void set_actions(node_parts& parts, scheduled_queue& scheduled);

  /// Begins the last tag, and triggers the reactions to `at_shutdown`.
  /// @returns whether there is anything to run.
  bool begin_last_tag(node_parts& parts);

  /// Makes the values present that were sent at the last tag.
  void set_last_inputs(node_parts& parts);

  void run_reactions(node_parts& parts);

  /// Runs the reactions to the only present input.
  void run_reactions_to(node_parts& parts, input& only);

  /// Runs the reactions to the only present input. Calls the code of a single
  /// reaction directly.
  void run_reactions_to(node& self, node_parts& parts, input& only);

  /// Handles the current exception of code that the node's `body` did not run.
  void end_by_exception(node_parts& parts);

  /// Makes all inputs absent.
  static void end_inputs(node_context& context) noexcept;

  /// Returns a number that differs between pieces of code, unless very many run
  /// between two of them.
  std::uint32_t piece() const noexcept {
    return static_cast<std::uint32_t>(recorder_.version());
  }

  /// Runs one reaction. @returns whether the node continues.
  bool run_reaction(node_parts& parts, std::uint32_t reaction);

  template <class Fun>
  bool guarded(node_parts& parts, std::uint32_t reaction, Fun&& fun);

  /// Begins a piece of the node's code: a reaction or `start()`.
  [[gnu::always_inline]] void begin(
    const node_parts& parts, std::uint32_t code) {
    recorder_.begin(
      code, logical_, activity_recorder::mode::executing, *parts.host);
    if (parts.config.counts)
      parts.config.counts->begin([&] { return parts.host->elapsed(); });
  }

  /// Begins a piece of code that may not write.
  void begin_other(const node_parts& parts, std::uint32_t code) {
    recorder_.begin(
      code, logical_, activity_recorder::mode::other, *parts.host);
    if (parts.config.counts)
      parts.config.counts->begin([&] { return parts.host->elapsed(); });
  }

  /// Ends a piece of code.
  void end(const node_parts& parts) noexcept {
    recorder_.end();
    count_piece(parts);
  }

  static void count_piece(const node_parts& parts) noexcept {
    if (parts.config.counts)
      parts.config.counts->end([&] { return parts.host->elapsed(); });
  }

  /// Ends the node with the current exception.
  void fail_by_exception(node_parts& parts);

  /// Sends a value over each connection of an output, if it cannot be delivered
  /// at once.
  void send(node_parts& parts, const output& out, const value& content);

  void send(node_parts& parts, out_connection& connection,
            const value& content);

  /// Sends from an unobserved node to a member of its group.
  void send_inside(engine::group& group, out_connection& connection,
                   const value& content);

  /// Sends a message that arrives at a later tag to a member of the group.
  void send_inside_later(engine::group& group, out_connection& connection,
                         const value& content);

  /// Returns the arrival of a message that is sent now; `forever` if it never
  /// arrives.
  logical_time stamp(out_connection& connection) const;

  void send_physical(node_parts& parts, out_connection& connection,
                     const value& content);

  /// Makes room for an event of an action with a spacing [10.5.2].
  /// @param tag the requested one; becomes that of the event.
  /// @returns whether the event occurs.
  bool make_room(node_parts& parts, input& action, std::uint32_t index,
                 logical_time& tag);

  /// Refuses a call outside of the node's reactions.
  /// @param call its description, the beginning of the message.
  void refuse_call(const std::string& call, const char* advice) const;

  /// Refuses to schedule the action now.
  void refuse_schedule(const node_context& context, std::uint32_t action) const;

  /// Refuses to schedule an action whose mode is not active [10.7.4].
  [[noreturn]] static void refuse_inactive(
    const node_context& context, std::uint32_t action);

  /// Refuses a delay that leads to no later tag.
  static void require_delay(const node_context& context, std::uint32_t action,
                            const delay& d);

  /// Returns whether this thread runs the node's `shutdown()`.
  bool runs_shutdown() const noexcept;

  /// Describes a call from outside of reactions, as a part of a message.
  std::string outside_of_reactions() const;

  /// Reports an invalid call.
  /// @throws std::logic_error, unless a destructor made the call: see
  /// `discard_tasks`.
  void refuse(std::string problem) const;

  /// Refuses to write an output now.
  void refuse_write(const node_context& context, std::uint32_t port) const;

  /// Describes the second write of an output at a tag [3.6].
  std::string second_write(const node_context& context,
                           std::uint32_t port) const;

  phase phase_ = phase::running;
  ending outcome_ = ending::done;
  bool started_ = false;
  bool executed_any_ = false;
  origin origin_ = origin::fresh;
  logical_time logical_{};
  activity_recorder recorder_;
  std::uint64_t messages_ = 0;
  input* alone_ = nullptr; // the last numbered one that was present alone
};

[[gnu::always_inline]] inline void execution::run_reactions_to(
  node& self, node_parts& parts, input& only) {
  if (only.code == nullptr)
    return run_reactions_to(parts, only);
  only.present = true;
  auto reaction = only.reactions.only();
  try {
    begin(parts, reaction);
    only.code->run(self);
    end(parts);
  } catch (...) {
    end_by_exception(parts);
  }
  only.present = false;
}

[[gnu::always_inline]] inline void execution::run_direct(
  node& self, node_parts& parts, const logical_time& tag) {
  advance_to(tag);
  run_reactions_to(self, parts, parts.events.take_direct());
}

[[gnu::always_inline]] inline void execution::run_resumption(
  node_parts& parts, logical_time tag) {
  advance_to(tag);
  auto [token, reaction] = parts.events.take_only_resumption();
  try {
    begin(parts, reaction);
    parts.code->resume(token);
    end(parts);
  } catch (...) {
    fail_by_exception(parts);
  }
}

} // namespace caf::rosia::engine
