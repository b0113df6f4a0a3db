// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/connection.hpp"
#include "engine/tracer.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace caf::rosia::engine {

/// The coordinator's part of section 5: how an application ends. Driven by
/// calls from one thread at a time; acts through its host.
class negotiation {
public:
  // -- member types -----------------------------------------------------------

  /// How far the application's end has come. All but `running` and `over` have
  /// a deadline.
  enum class stage : std::uint8_t {
    running,   // nobody wants it to end
    asking,    // until all nodes have answered
    executing, // until all nodes have left at the final tag
    aborted,   // until all nodes have left at once
    over,
  };

  /// Carries out what was decided.
  class host {
  public:
    virtual ~host();

    /// Asks a node for its answer to `proposal`.
    virtual void ask(node_id node, logical_time proposal) = 0;

    /// Tells a node the final tag, and which tag was requested.
    virtual void tell_final(node_id node, logical_time final,
                            logical_time requested)
      = 0;

    /// Ends a node at once.
    virtual void abort_node(node_id node) = 0;

    /// The final tag was fixed, or lowered.
    virtual void agreed(logical_time final) = 0;

    /// A request changes nothing, because the final tag is not above it.
    virtual void ignored(logical_time proposal, logical_time final) = 0;

    /// A stage has begun. `deadline` is what to call `overdue` with when it
    /// takes too long; those of earlier stages have no effect any more.
    virtual void entered(stage begun, std::uint64_t deadline) = 0;

    /// A stage takes too long because of this node.
    virtual void late(node_id node, stage current) = 0;

    /// All nodes have left, or were given up.
    virtual void finished(int status) = 0;
  };

  // -- constructors -----------------------------------------------------------

  /// @param stop_after a final tag that all nodes know from the start.
  negotiation(std::size_t nodes, std::optional<logical_time> stop_after,
              host& env);

  // -- events -----------------------------------------------------------------

  /// Sets the status with which the application ends unless there is an error.
  /// Called before `begin`.
  void set_status(int x) noexcept {
    status_ = x;
  }

  /// The nodes start.
  void begin();

  /// Somebody wants the application to end at `proposal`; `never` means at
  /// once.
  void request(logical_time proposal, int status);

  /// A node answers.
  void answer(node_id node, logical_time tag);

  /// A node has left; `last` is the last tag that it executed.
  void exited(node_id node, ending how, logical_time last);

  /// Ends everything at once, whatever else goes on.
  void abort(int status);

  /// A stage takes too long: ends everything at once; or, if that is what takes
  /// too long, gives up those that are left.
  void overdue(std::uint64_t deadline);

  /// The final tag is a checkpoint: it is not before the last tag of a node
  /// that has ended by itself, of which nothing earlier is known any more.
  void save_final() noexcept {
    saves_final_ = true;
  }

  // -- properties -------------------------------------------------------------

  stage current() const noexcept {
    return stage_;
  }

  /// What `overdue` is called with for the current stage.
  std::uint64_t deadline() const noexcept {
    return deadline_;
  }

  /// Tells whether the application is aborted.
  bool aborted() const noexcept {
    return aborted_;
  }

  /// The final tag, `forever` until it is known.
  logical_time final() const noexcept {
    return final_;
  }

  std::size_t alive() const noexcept {
    return alive_;
  }

  bool is_alive(node_id node) const noexcept {
    return nodes_[node] != node_state::gone;
  }

  /// Tells whether a node owes an answer.
  bool owes_answer(node_id node) const noexcept {
    return nodes_[node] == node_state::asked;
  }

  int status() const noexcept {
    return status_;
  }

private:
  enum class node_state : std::uint8_t { running, asked, answered, gone };

  void enter(stage next);

  void finish();

  void begin_round(logical_time proposal);

  void end_round();

  void next_request();

  host* host_;
  std::vector<node_state> nodes_;
  std::deque<logical_time> requests_;
  std::size_t alive_;
  std::size_t unanswered_ = 0;
  stage stage_ = stage::running;
  std::uint64_t deadline_ = 0; // of the stage
  bool aborted_ = false;
  int status_ = 0;
  logical_time proposal_ = never;
  logical_time highest_ = never;      // of this round's answers
  logical_time highest_left_ = never; // of those that left below a final tag
  logical_time highest_done_ = never; // of those that ended by themselves
  bool saves_final_ = false;
  logical_time final_ = forever;
};

} // namespace caf::rosia::engine
