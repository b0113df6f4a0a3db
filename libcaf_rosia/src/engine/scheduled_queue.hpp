// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// An event that a node has scheduled for itself: plain data, so that it can be
/// looked at, saved and queued again.
struct scheduled_event {
  logical_time tag;
  std::uint64_t number = 0; // in the order of scheduling
  input* action = nullptr;  // where the value goes
  std::uint32_t index = 0;  // of the action, by declaration
  value content;
};

/// The events that a node has scheduled for itself, by tag; those of one tag
/// in the order of scheduling.
class scheduled_queue {
public:
  // -- properties -------------------------------------------------------------

  bool empty() const noexcept {
    return events_.empty();
  }

  std::size_t size() const noexcept {
    return events_.size();
  }

  /// The earliest tag; `forever` if there is none.
  logical_time next_tag() const noexcept {
    return events_.empty() ? forever : events_.front().tag;
  }

  /// Tells whether one is due at `tag`, and there is no other one.
  bool is_only(logical_time tag) const noexcept {
    return events_.size() == 1 && events_.front().tag == tag;
  }

  /// All events, in the order in which they will be present.
  std::vector<scheduled_event> list() const;

  // -- modifiers --------------------------------------------------------------

  /// Adds an event after all others of its tag. @pre `tag != forever`
  void push(logical_time tag, input& action, std::uint32_t index,
            value content);

  /// Removes the first event. @pre `!empty()`
  scheduled_event pop();

  /// Drops all events.
  void clear() noexcept {
    events_.clear();
  }

  // -- the current tag --------------------------------------------------------

  /// Makes the only event's action present. @returns that; `end_tag` does not
  /// concern it. @pre There is one event, and no action is present.
  input& take_only() noexcept {
    auto& event = events_.front();
    auto& result = *event.action;
    result.values.make_only().take(event.content);
    events_.clear();
    return result;
  }

  /// Gives an action one more value at the current tag. @returns whether it is
  /// the first one.
  bool set_present(input& action, value content);

  /// The current tag is over: no action is present any more.
  void end_tag() noexcept;

private:
  std::vector<scheduled_event> events_; // a heap: the first is in front
  std::vector<input*> present_;
  std::uint64_t pushed_ = 0;
};

} // namespace caf::rosia::engine
