// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/activity.hpp"
#include "engine/activity_recorder.hpp"
#include "engine/connection.hpp"
#include "engine/event_queue.hpp"
#include "engine/node_context.hpp"
#include "engine/node_parts.hpp"

#include <cstdint>
#include <string>

namespace caf::rosia::engine {

/// Runs a node's code at a tag, and does what that code calls for. Section 3 of
/// the semantics.
class execution {
public:
  // -- running ----------------------------------------------------------------

  /// The node is called.
  void begin_call() noexcept {
    recorder_.begin_call();
  }

  /// Runs `start()`, and what runs at the same tag. @returns false if the code
  /// has failed; the host knows.
  bool start(node_parts& parts);

  /// Makes `tag` the current one.
  void advance_to(logical_time tag) noexcept {
    logical_ = tag;
    executed_any_ = true;
  }

  /// Runs what is due at the current tag, as far as nothing fails.
  void run(node_parts& parts);

  /// Ends the node with an error.
  void fail(node_parts& parts, std::string text);

  /// Runs `shutdown()`, and drops the reactions that have yielded.
  void shut_down(node_parts& parts);

  // -- called by the user's code ----------------------------------------------

  /// See `node::write`.
  void write(node_parts& parts, std::uint32_t port, const value& content);

  /// See `node::promise`.
  void promise(const node_context& context, std::uint32_t port, const delay& d);

  /// See `node::wait`.
  void wait(event_queue& events, const delay& d, void* token);

  /// See `node::schedule`.
  void schedule(node_parts& parts, input& action, std::uint32_t index,
                const delay& d, value content);

  /// Throws unless the node's code may request the application's end.
  void require_request(const delay& d) const;

  // -- properties -------------------------------------------------------------

  /// The current tag, or the last one.
  const logical_time& logical() const noexcept {
    return logical_;
  }

  /// Tells whether `tag` is over, or runs.
  bool has_executed(logical_time tag) const noexcept {
    return executed_any_ && tag <= logical_;
  }

  /// Tells whether `start()` has run, or never will.
  bool started() const noexcept {
    return started_;
  }

  /// Tells whether no code runs, and none has failed.
  bool idle() const noexcept {
    return phase_ == phase::idle;
  }

  /// Tells whether code is running that may write, wait and request.
  bool executing() const noexcept {
    return phase_ == phase::executing;
  }

  bool failed() const noexcept {
    return phase_ == phase::failed;
  }

  /// Tells whether the node is gone.
  bool left() const noexcept {
    return phase_ == phase::left;
  }

  void begin_leaving(ending how) noexcept {
    phase_ = phase::leaving;
    how_ = how;
  }

  void finish_leaving() noexcept {
    phase_ = phase::left;
  }

  /// How the node ended, once it is gone.
  ending how() const noexcept {
    return how_;
  }

  /// For observers.
  const activity_recorder& recorder() const noexcept {
    return recorder_;
  }

private:
  enum class phase : std::uint8_t {
    idle,
    executing,
    failed,
    leaving,
    left,
  };

  /// @returns whether the node goes on.
  bool resume_instances(node_parts& parts);

  void set_inputs(node_parts& parts);

  /// Runs what is due where that is one message in the event queue's lane:
  /// mostly.
  void run_single(node_parts& parts);

  /// Sets the inputs where nothing is due but messages in the lane.
  void set_inputs_from_lane(node_parts& parts);

  void set_input(node_context& context, std::uint32_t port,
                 std::uint32_t connection, value&& content);

  void set_actions(node_parts& parts, scheduled_queue& scheduled);

  void run_reactions(node_parts& parts);

  /// Runs one reaction. @returns whether the node goes on.
  bool run_reaction(node_parts& parts, std::uint32_t reaction);

  /// Runs a trigger's reaction with the first of `values`.
  bool run_trigger(node_parts& parts, std::uint32_t reaction,
                   stamped_queue& values);

  template <class Fun>
  bool guarded(node_parts& parts, std::uint32_t reaction, Fun&& fun);

  void send(node_parts& parts, out_connection& connection,
            const value& content);

  void send_physical(node_parts& parts, out_connection& connection,
                     const value& content);

  /// @throws std::logic_error for what is wrong with writing the output now.
  [[noreturn]] void refuse_write(
    const node_context& context, std::uint32_t port) const;

  /// What went wrong when the output is written again at the same tag.
  std::string second_write(const node_context& context,
                           std::uint32_t port) const;

  phase phase_ = phase::idle;
  ending how_ = ending::done;
  bool started_ = false;
  bool executed_any_ = false;
  std::uint32_t current_ = tracer::start_reaction; // the reaction that runs
  logical_time logical_{};
  activity_recorder recorder_;
};

} // namespace caf::rosia::engine
