// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/engine/connection.hpp"
#include "caf/rosia/engine/tracer.hpp"
#include "caf/rosia/logical_time.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace caf::rosia::engine {

/// The coordinator's part of section 5: how an application ends. Driven by
/// calls from one thread at a time; acts through its host.
class negotiation {
public:
  // -- member types -----------------------------------------------------------

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
    virtual void force(node_id node) = 0;

    /// The final tag was fixed, or lowered.
    virtual void agreed(logical_time final) = 0;

    /// A request changes nothing, because the final tag is not above it.
    virtual void ignored(logical_time proposal, logical_time final) = 0;

    /// All nodes have left.
    virtual void finished(int status) = 0;
  };

  // -- constructors -----------------------------------------------------------

  /// @param stop_after a final tag that all nodes know from the start.
  negotiation(std::size_t nodes, std::optional<logical_time> stop_after,
              host& env);

  // -- events -----------------------------------------------------------------

  /// Somebody wants the application to end at `proposal`; `never` means at
  /// once.
  void request(logical_time proposal, int status);

  /// A node answers.
  void answer(node_id node, logical_time tag);

  /// A node has left; `last` is the last tag that it executed.
  void exited(node_id node, ending how, logical_time last);

  /// Ends everything at once, whatever else goes on.
  void force(int status);

  // -- properties -------------------------------------------------------------

  /// Tells whether the application ends by force.
  bool forced() const noexcept {
    return forced_;
  }

  /// Tells whether a round of questions is open.
  bool asking() const noexcept {
    return unanswered_ > 0;
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

  void begin_round(logical_time proposal);

  void end_round();

  void next_request();

  host* host_;
  std::vector<node_state> nodes_;
  std::deque<logical_time> requests_;
  std::size_t alive_;
  std::size_t unanswered_ = 0;
  bool in_round_ = false;
  bool forced_ = false;
  int status_ = 0;
  logical_time proposal_ = never;
  logical_time highest_ = never;      // of this round's answers
  logical_time highest_left_ = never; // of those that left at a final tag
  logical_time final_ = forever;
};

} // namespace caf::rosia::engine
