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

/// What the engine keeps of a node from one tag to the next: section 8 of the
/// semantics. It is the node's part of every checkpoint at a tag in
/// [`logical`, `until`).
struct saved_node {
  /// What was sent over a logical connection with delay.
  struct channel {
    std::uint32_t connection = 0; // in the order of declaration
    logical_time last_arrival = never;
    std::vector<event> in_transit; // what arrives beyond `logical`
  };

  /// The last tag that the node has executed.
  logical_time logical;

  /// The node executes nothing below, and gets nothing.
  logical_time until = forever;

  /// It has ended by itself.
  bool left = false;

  /// The earliest end that its code has requested; `forever` if none.
  logical_time requested = forever;

  /// The first status other than 0 that it has requested.
  int requested_status = 0;

  /// A reaction that has yielded: then no part can be made of it.
  std::string yielded;

  std::vector<std::vector<value>> inputs; // what each retains
  std::vector<logical_time> promises;     // by the code, for each output
  std::vector<channel> channels;
};

/// The tag below which all is executed once `tag` is.
constexpr logical_time just_past(logical_time tag) noexcept {
  return saturating_add(tag, delay{microsteps(1)});
}

/// The first planned checkpoint at `tag` or later: a multiple of `period`, in
/// nanoseconds, but not (0, 0); `forever` if the period is 0.
logical_time next_checkpoint(std::int64_t period, logical_time tag);

/// What a node does for checkpoints: section 8.4 of the semantics. It stops
/// after certain tags to save what it has, and keeps what it has sent and is
/// still in transit, because its receiver cannot tell what was sent when.
class checkpointing {
public:
  // -- constructors -----------------------------------------------------------

  /// @param period a checkpoint is taken at its multiples, in nanoseconds; 0 if
  ///        only on demand.
  /// @param after all of them are taken later, or at this tag on demand.
  checkpointing(std::int64_t period, logical_time after,
                std::size_t connections);

  // -- when to save -----------------------------------------------------------

  /// The node executes nothing beyond this before it has saved, or is told to
  /// go on.
  logical_time last() const noexcept;

  /// After which tag it has to save next; `forever` if that is not known.
  logical_time due() const noexcept;

  /// Tells whether it has answered, and waits for the tag that is agreed on.
  bool waits() const noexcept {
    return answer_ != forever;
  }

  /// Offers a checkpoint at the last tag that was executed, `logical`, if not
  /// later. @returns its tag.
  logical_time answer(logical_time logical) noexcept {
    return answer_ = std::max(logical, after_);
  }

  /// All nodes take a checkpoint at `tag`; none if that is `forever`.
  void agree(logical_time tag);

  /// What was saved holds below `until`.
  void saved(logical_time until) noexcept;

  // -- what is requested ------------------------------------------------------

  /// The code requests an end.
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

  // -- what is in transit -----------------------------------------------------

  /// Keeps what is sent at `now`. @param connection its index at the sender.
  void sent(std::uint32_t connection, logical_time now, logical_time arrival,
            const value& content);

  /// What arrives beyond `now`, oldest first.
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
