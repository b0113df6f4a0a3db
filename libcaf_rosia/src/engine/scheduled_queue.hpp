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

/// An event that a node scheduled for itself. It is plain data, so that it can
/// be inspected, saved and queued again.
struct scheduled_event {
  logical_time tag;
  std::uint64_t number = 0; // in the order of scheduling
  input* action = nullptr;  // the target of the value
  std::uint32_t index = 0;  // of the action, in the order of declaration
  value content;
};

/// The events that a node scheduled for itself, ordered by tag, and for one tag
/// in the order of scheduling [3.11]. Tests: test/engine/event_queue_test.cpp.
class scheduled_queue {
public:
  // -- properties -------------------------------------------------------------

  bool empty() const noexcept {
    return events_.empty();
  }

  std::size_t size() const noexcept {
    return events_.size();
  }

  /// Returns the earliest tag; `forever` if there is none.
  logical_time next_tag() const noexcept {
    return events_.empty() ? forever : events_.front().tag;
  }

  /// Returns whether the only event is due at `tag`.
  bool is_only(logical_time tag) const noexcept {
    return events_.size() == 1 && events_.front().tag == tag;
  }

  /// Returns all events, in the order in which they will be present.
  std::vector<scheduled_event> list() const;

  // -- modifiers --------------------------------------------------------------

  /// Adds an event after the other events of its tag.
  /// @pre `tag != forever`
  void push(logical_time tag, input& action, std::uint32_t index,
            value content);

  /// Removes the first event. Queues the next event of a tick [10.4.1].
  /// @pre `!empty()`
  scheduled_event pop();

  /// Drops an event that is pending.
  /// @pre There is one such event.
  void withdraw(const input& action, logical_time tag);

  /// Removes the events for which `takes` returns true.
  /// @returns them, in the order in which they would have been present.
  template <class Fun>
  std::vector<scheduled_event> take(Fun&& takes) {
    auto result = list();
    std::erase_if(result, [&](auto& x) { return !takes(x); });
    std::erase_if(events_, takes);
    make_heap();
    return result;
  }

  /// Drops all events.
  void clear() noexcept {
    events_.clear();
  }

  /// Moves the events of ticks to their first times from `tag` on [10.4.2].
  void begin_at(logical_time tag);

  // -- the current tag --------------------------------------------------------

  /// Makes the action of the only event present.
  /// @returns the action, which `end_tag` does not reset.
  /// @pre There is one event, and no action is present.
  input& take_only() {
    auto& event = events_.front();
    auto& result = *event.action;
    if (result.ticks) {
      auto last = pop();
      result.values.make_only().take(last.content);
      return result;
    }
    result.values.make_only().take(event.content);
    events_.clear();
    return result;
  }

  /// Adds a value of the current tag to an action.
  /// @returns whether it is the first one.
  bool set_present(input& action, value content);

  /// Ends the current tag: no action is present any longer.
  void end_tag() noexcept;

private:
  void make_heap();

  std::vector<scheduled_event> events_; // a heap with the first event in front
  std::vector<input*> present_;
  std::uint64_t pushed_ = 0;
};

} // namespace caf::rosia::engine
