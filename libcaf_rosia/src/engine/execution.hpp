// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/activity.hpp"
#include "engine/activity_recorder.hpp"
#include "engine/connection.hpp"
#include "engine/event_queue.hpp"
#include "engine/flow_control.hpp"
#include "engine/node_context.hpp"
#include "engine/outbox.hpp"

#include <cstdint>
#include <string>

namespace caf::rosia::engine {

/// Runs a node's code at a tag, and does what that code calls for. Section 3 of
/// the semantics.
class execution {
public:
  // -- constructors, destructors ----------------------------------------------

  execution(node_context& context, event_queue& events, flow_control& flow,
            outbox& out) noexcept
    : context_(&context), events_(&events), flow_(&flow), outbox_(&out) {
    // nop
  }

  execution(const execution&) = delete;

  execution& operator=(const execution&) = delete;

  ~execution();

  // -- running ----------------------------------------------------------------

  /// The node is called.
  void begin_call() noexcept {
    recorder_.begin_call();
  }

  /// Runs `start()`, and what runs at the same tag. @returns false if the code
  /// has failed; the host knows.
  bool start();

  /// Makes `tag` the current one.
  void advance_to(logical_time tag) noexcept {
    logical_ = tag;
    executed_any_ = true;
  }

  /// Runs what is due at the current tag, as far as nothing fails.
  void run();

  /// Ends the node with an error.
  void fail(std::string text);

  /// Runs `shutdown()`, and drops the reactions that have yielded.
  void shut_down();

  // -- called by the user's code ----------------------------------------------

  /// See `node::write`.
  void write(std::uint32_t port, value_ptr content);

  /// See `node::promise`.
  void promise(std::uint32_t port, const delay& d);

  /// See `node::wait`.
  void wait(const delay& d, void* token);

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

  /// Tells whether nothing has run.
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

  void begin_leaving() noexcept {
    phase_ = phase::leaving;
  }

  void finish_leaving() noexcept {
    phase_ = phase::left;
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
  bool resume_instances();

  void set_inputs();

  void set_input(std::uint32_t port, std::uint32_t connection,
                 value_ptr content);

  void run_reactions();

  template <class Fun>
  bool guarded(std::uint32_t reaction, Fun&& fun);

  void send(out_connection& connection, const value_ptr& content);

  void send_physical(out_connection& connection, const value_ptr& content);

  std::string output_name(std::uint32_t port) const;

  std::string code_name(std::uint32_t reaction) const;

  /// What went wrong when the output is written again at the same tag.
  std::string second_write(std::uint32_t port) const;

  node_context* context_;
  event_queue* events_;
  flow_control* flow_;
  outbox* outbox_;
  phase phase_ = phase::idle;
  bool executed_any_ = false;
  std::uint32_t current_ = tracer::start_reaction; // the reaction that runs
  logical_time logical_{};
  activity_recorder recorder_;
};

} // namespace caf::rosia::engine
