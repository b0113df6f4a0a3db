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

/// Negotiates the end of an application: the coordinator's part of section 5.
/// Called from one thread at a time; acts through its host. A node's part is
/// `node::ask_shutdown` and `barrier`. Tests:
/// test/engine/ending_rules_test.cpp, test/engine/negotiation_test.cpp.
class negotiation {
public:
  // -- member types -----------------------------------------------------------

  /// The stage of the application's end. All but `running` and `over` have a
  /// deadline.
  enum class stage : std::uint8_t {
    running,   // no end was requested
    asking,    // until all nodes have answered
    executing, // until all nodes have left at the final tag
    aborted,   // until all nodes have left at once
    over,
  };

  /// Carries out what was decided.
  class host {
  public:
    virtual ~host();

    /// Requests a node's answer to `proposal`.
    virtual void ask(node_id node, logical_time proposal) = 0;

    /// Sends a node the final tag, and the requested tag.
    virtual void tell_final(node_id node, logical_time final,
                            logical_time requested)
      = 0;

    virtual void abort_node(node_id node) = 0;

    /// Reports that the final tag was fixed or lowered.
    virtual void agreed(logical_time final) = 0;

    /// Reports a request without effect, because the final tag is not above it.
    virtual void ignored(logical_time proposal, logical_time final) = 0;

    /// Reports the start of a stage. If the stage takes too long, the host
    /// calls `overdue` with `deadline`. Deadlines of earlier stages are void.
    virtual void entered(stage begun, std::uint64_t deadline) = 0;

    /// Reports that a stage takes too long because of this node.
    virtual void late(node_id node, stage current) = 0;

    /// Reports that all nodes have left or were abandoned.
    virtual void finished(int status) = 0;
  };

  // -- constructors -----------------------------------------------------------

  /// @param stop_after a final tag that all nodes know from the start [5.12].
  negotiation(std::size_t nodes, std::optional<logical_time> stop_after,
              host& env);

  // -- events -----------------------------------------------------------------

  /// Sets the status of the application, which an error overrides. Called
  /// before `begin`.
  void set_status(int x) noexcept {
    status_ = x;
  }

  /// Lets the application continue from a checkpoint at this tag: no final tag
  /// is below it. Called before `begin`.
  void begin_at(logical_time tag) noexcept {
    began_ = tag;
  }

  /// Handles the start of the nodes.
  void begin();

  /// Handles a request for an end at `proposal` [5.9]; `never` means at once
  /// [5.10]. The first status other than 0 is kept [5.11].
  void request(logical_time proposal, int status);

  /// Handles the answer of a node [5.7]. The last one decides the final tag, at
  /// which all nodes stop [7.4].
  void answer(node_id node, logical_time tag);

  /// Handles the report of a node that is done, and waits for the final tag.
  /// Once all nodes have left or are done, the greatest tag that any of them
  /// executed is the final tag [10.6.4].
  /// @param last the last tag that the node executed.
  void done(node_id node, logical_time last);

  /// Handles the exit of a node.
  /// @param last the last tag that the node executed, up to the final tag.
  void exited(node_id node, ending outcome, logical_time last);

  /// Aborts the application in any stage [5.14].
  void abort(int status);

  /// Handles a stage that takes too long: aborts the application or, if that
  /// takes too long, abandons the remaining nodes [6.3]. So each requested end
  /// is reached [7.5].
  void overdue(std::uint64_t deadline);

  /// Makes the final tag a checkpoint. It is then at or after the last tag of
  /// each node that ended by itself, whose earlier states are no longer known.
  void save_final() noexcept {
    saves_final_ = true;
  }

  // -- properties -------------------------------------------------------------

  stage current() const noexcept {
    return stage_;
  }

  /// Returns the argument of `overdue` for the current stage.
  std::uint64_t deadline() const noexcept {
    return deadline_;
  }

  /// Returns whether the application was aborted.
  bool aborted() const noexcept {
    return aborted_;
  }

  /// Returns the final tag; `forever` while it is unknown.
  logical_time final() const noexcept {
    return final_;
  }

  std::size_t alive() const noexcept {
    return alive_;
  }

  bool is_alive(node_id node) const noexcept {
    return nodes_[node] != node_state::gone;
  }

  bool owes_answer(node_id node) const noexcept {
    return nodes_[node] == node_state::asked;
  }

  int status() const noexcept {
    return status_;
  }

private:
  enum class node_state : std::uint8_t { running, done, asked, answered, gone };

  struct highest_tags {
    logical_time answered = never; // in this round
    logical_time left = never;     // of nodes that left below a final tag
    logical_time done = never;     // of nodes that ended by themselves
  };

  void enter(stage next);

  void finish();

  void begin_round(logical_time proposal);

  void end_round();

  /// Decides the final tag if no node has anything left to do.
  void end_if_done();

  /// Tells all nodes the final tag.
  /// @param last the greatest tag that a node executed, or may execute.
  /// @param requested the tag that was requested.
  void decide(logical_time last, logical_time requested);

  void next_request();

  host* host_;
  std::vector<node_state> nodes_;
  std::deque<logical_time> requests_;
  std::size_t alive_;
  std::size_t unanswered_ = 0;
  std::size_t done_ = 0; // that wait for the final tag
  stage stage_ = stage::running;
  std::uint64_t deadline_ = 0; // of the stage
  bool aborted_ = false;
  int status_ = 0;
  logical_time began_ = never; // the checkpoint from which it continues
  logical_time proposal_ = never;
  highest_tags highest_;
  bool saves_final_ = false;
  logical_time final_ = forever;
};

} // namespace caf::rosia::engine
