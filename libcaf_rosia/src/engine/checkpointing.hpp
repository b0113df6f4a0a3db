// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/connection.hpp"
#include "engine/fifo.hpp"
#include "engine/node_config.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace caf::rosia::engine {

/// The engine's state of a node between two tags (section 8 of the semantics)
/// [8.3]. It is the node's part of every checkpoint at a tag in [`logical`,
/// `until`). Tests: test/engine/checkpoint_rules_test.cpp.
struct saved_node {
  /// The messages sent over a logical connection with delay.
  struct channel {
    std::uint32_t connection = 0; // in the order of declaration
    logical_time last_arrival = never;
    std::vector<event> in_transit; // arrivals after `logical`
  };

  /// The last tag that the node executed.
  logical_time logical;

  /// The node executes and receives nothing below this tag.
  logical_time until = forever;

  /// Whether the node has ended by itself.
  bool left = false;

  /// The earliest end that its code requested; `forever` if none.
  logical_time requested = forever;

  /// The first non-zero status that it requested.
  int requested_status = 0;

  /// A reaction that is suspended by a yield. If there is one, the state cannot
  /// be saved.
  std::string yielded;

  std::vector<std::vector<value>> inputs; // the values that each input retains
  std::vector<logical_time> promises;     // by the node's code, for each output
  std::vector<channel> channels;
};

/// Returns the least tag after `tag`.
constexpr logical_time just_past(logical_time tag) noexcept {
  return saturating_add(tag, delay{microsteps(1)});
}

/// Returns the first planned checkpoint at `tag` or later: a multiple of
/// `period`, in nanoseconds, but not (0, 0). Returns `forever` if the period is
/// 0.
logical_time next_checkpoint(std::int64_t period, logical_time tag);

/// The checkpoints of a node (section 8.4 of the semantics) [8.4]. The node
/// stops after certain tags to save its state. It keeps the messages that it
/// sent and that are still in transit, because their receiver does not know
/// when they were sent. Tests: test/engine/checkpoint_rules_test.cpp.
class checkpointing {
public:
  // -- constructors -----------------------------------------------------------

  /// @param period the distance of planned checkpoints in nanoseconds; 0 if
  ///   they are only taken on demand.
  /// @param after no checkpoint is taken earlier than this tag, and a planned
  ///   one only after it.
  checkpointing(std::int64_t period, logical_time after,
                std::size_t connections);

  // -- when to save -----------------------------------------------------------

  /// Returns the last tag that the node may execute before it saves its state
  /// or is told to continue.
  logical_time last() const noexcept;

  /// Returns the tag after which it must save next; `forever` if it is unknown.
  logical_time due() const noexcept;

  /// Returns whether it has answered, and waits for the agreed tag.
  bool waits() const noexcept {
    return answer_ != forever;
  }

  /// Offers a checkpoint at `logical`, the last tag that was executed, or
  /// later.
  /// @returns its tag.
  logical_time answer(logical_time logical) noexcept {
    return answer_ = std::max(logical, after_);
  }

  /// Plans a checkpoint that all nodes take at `tag`; none if that is
  /// `forever`.
  void agree(logical_time tag);

  /// Records that the saved state is valid below `until`.
  void saved(logical_time until) noexcept;

  // -- requests
  // -----------------------------------------------------------------

  /// Records that the code requested an end.
  void request(logical_time tag, int status) noexcept {
    requested_ = std::min(requested_, tag);
    if (requested_status_ == 0)
      requested_status_ = status;
  }

  logical_time requested() const noexcept {
    return requested_;
  }

  int requested_status() const noexcept {
    return requested_status_;
  }

  // -- messages in transit
  // ------------------------------------------------------

  /// Keeps a message that is sent at `now`.
  /// @param connection its index at the sender.
  void sent(std::uint32_t connection, logical_time now, logical_time arrival,
            const value& content);

  /// Returns the messages that arrive after `now`, oldest first.
  std::vector<event> in_transit(
    std::uint32_t connection, logical_time now) const;

private:
  logical_time agreed() const noexcept {
    return agreed_.empty() ? forever : agreed_.front();
  }

  std::int64_t period_;
  logical_time after_;
  logical_time periodic_ = forever;
  logical_time answer_ = forever;
  logical_time requested_ = forever;
  int requested_status_ = 0;
  std::vector<logical_time> agreed_;    // ascending
  std::vector<fifo<event>> in_transit_; // by outgoing connection
};

} // namespace caf::rosia::engine
