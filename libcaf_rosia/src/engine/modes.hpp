// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/inspect.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/code_counts.hpp"
#include "engine/scheduled_queue.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace caf::rosia::engine {

class action_spacing;
class body;
class event_queue;

/// The content of a mode's events: how it is entered.
struct mode_event {
  bool history = false;

  template <class Inspector>
  friend auto inspect(Inspector& f, mode_event& x) {
    return inspect_members(f, x, x.history);
  }
};

/// An event of a mode that is not active, or an instance of a reaction that
/// yielded: it occurs when the mode was active for as long as its distance
/// [10.7.3].
struct suspended_event {
  delay distance;
  scheduled_event event; // its tag is unused
};

struct suspended_instance {
  delay distance;
  std::uint32_t reaction;
  void* token;
};

/// A mode of a node. Any thread may read its count. Tests:
/// test/engine/mode_rules_test.cpp.
struct mode {
  mode(input& x, std::uint32_t number) noexcept : action(&x), index(number) {
    // nop
  }

  input* action;       // is present when the mode is entered
  std::uint32_t index; // of the action, in the order of declaration
  bool was_active = false;
  bool by_history = false; // entered so the last time
  counter entries;
  std::vector<suspended_event> events; // in the order in which they occur
  std::vector<suspended_instance> instances;
};

/// The modes of a node, in the order of declaration: section 10.7 of the
/// semantics. The lists of the reactions that a member triggers have only those
/// of the active mode and those without a mode, so that a tag costs as much as
/// without modes. Tests: test/engine/mode_rules_test.cpp.
class modes {
public:
  /// In place of the number of a mode, for a member without one.
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // -- declarations -----------------------------------------------------------

  /// Adds a mode with this action. The first mode is active at the start.
  void add(input& action, std::uint32_t index);

  /// Adds a reaction of a mode.
  void add_reaction(std::uint32_t reaction, std::uint32_t mode);

  /// Adds an action of a mode, except a tick.
  void add_action(input& action, std::uint32_t index, std::uint32_t mode);

  /// Adds a tick of a mode.
  void add_tick(input& tick, std::uint32_t index, std::uint32_t mode,
                const tick_times& times);

  /// Notes that an action triggers a reaction of a mode.
  void add_trigger(input& action);

  /// Completes the declarations. Called before the start.
  void init(std::span<input* const> inputs, const body& code);

  // -- properties -------------------------------------------------------------

  std::size_t size() const noexcept {
    return all_.size();
  }

  const mode& operator[](std::size_t number) const noexcept {
    return all_[number];
  }

  /// Returns the number of the active mode. From any thread, at any time.
  std::uint32_t active() const noexcept {
    return active_.load(std::memory_order_relaxed);
  }

  /// Returns the number of a reaction's mode, or `none`.
  std::uint32_t mode_of_reaction(std::uint32_t reaction) const noexcept {
    return reaction < of_reaction_.size() ? of_reaction_[reaction] : none;
  }

  /// Returns the number of an action's mode, or `none`.
  std::uint32_t mode_of_action(std::uint32_t action) const noexcept {
    return action < of_action_.size() ? of_action_[action] : none;
  }

  /// Returns the number of the mode with this action; `none` without one.
  std::uint32_t find(std::uint32_t action) const noexcept;

  /// Returns whether a reaction to the last tag runs [10.7.6].
  bool runs_at_shutdown(std::uint32_t reaction) const noexcept {
    auto mode = mode_of_reaction(reaction);
    return mode == none || all_[mode].was_active;
  }

  /// Returns a reaction with a suspended instance; `none` if there is none.
  std::uint32_t suspended_reaction() const noexcept;

  /// Returns the number of suspended events and instances.
  std::size_t suspended() const noexcept;

  // -- switching --------------------------------------------------------------

  /// Returns the number of the mode that the node enters at the next
  /// microstep; `none` if there is none.
  std::uint32_t wanted() const noexcept {
    return wanted_ ? wanted_->mode : none;
  }

  /// Enters a mode at the microstep after `tag`. Replaces an earlier request.
  void request(std::uint32_t mode, bool history, logical_time tag) noexcept {
    wanted_ = {mode, history, tag};
  }

  /// Returns whether a mode is entered at `tag`.
  bool is_due(logical_time tag) const noexcept {
    return wanted_ && wanted_->tag < tag;
  }

  /// Enters the mode: suspends the events of the mode that is left, and
  /// restores those of the mode that is entered, or restarts its ticks.
  /// @returns the instances that the mode had, if it was reset.
  /// @throws std::overflow_error if a microstep overflows.
  /// @pre `is_due(tag)`
  std::vector<suspended_instance> enter(event_queue& events, logical_time tag);

  /// Gives the members that trigger reactions those of the active mode.
  void filter(const body& code);

  /// Removes all suspended instances, and calls `discard` with their tokens.
  template <class Fun>
  void clear_instances(Fun&& discard) {
    for (auto& mode : all_) {
      for (auto& x : mode.instances)
        discard(x.token);
      mode.instances.clear();
    }
  }

  // -- checkpoints ------------------------------------------------------------

  /// Returns whether a saved run has all events of this action: its times do
  /// not follow from the declaration.
  bool saves(std::uint32_t action) const noexcept {
    return mode_of_action(action) != none || find(action) != none;
  }

  /// Removes the events of the modes' members, and of the modes. Called before
  /// those of an earlier run are restored.
  void forget_events(event_queue& events);

  /// Restores a mode as it was in an earlier run.
  void restore(std::uint32_t mode, bool is_active, bool was_active,
               bool by_history, std::uint64_t entries);

  /// Restores a suspended event. Called in the order of their distances.
  void suspend(input& action, std::uint32_t index, const delay& distance,
               value content);

  /// Restores a request that waits for its tag.
  void restore_request(std::uint32_t mode, bool history, logical_time due) {
    request(mode, history, {due.ns, due.microstep - 1});
  }

private:
  struct request_data {
    std::uint32_t mode;
    bool history;
    logical_time tag; // of the call
  };

  struct declared_tick {
    input* action;
    std::uint32_t index;
    std::uint32_t mode;
    tick_times times;
  };

  /// An action of a mode, and its mode.
  struct scheduled_action {
    input* action;
    std::uint32_t mode;
  };

  /// A member that triggers reactions of modes, and all that it triggers.
  struct trigger {
    input* member;
    bool is_port;
    std::vector<std::uint32_t> reactions;
  };

  void add_member(std::vector<std::uint32_t>& to, std::uint32_t index,
                  std::uint32_t mode);

  void suspend_events(event_queue& events, logical_time tag);

  void restore_events(event_queue& events, mode& from, logical_time tag);

  void restart_ticks(event_queue& events, std::uint32_t mode, logical_time from,
                     logical_time tag);

  /// Makes exactly the actions of inactive modes refuse events [10.7.4].
  void guard_actions() noexcept;

  std::deque<mode> all_; // they cannot be moved
  std::atomic<std::uint32_t> active_{0};
  std::optional<request_data> wanted_;
  std::vector<std::uint32_t> of_reaction_;
  std::vector<std::uint32_t> of_action_;
  std::vector<scheduled_action> actions_;
  std::vector<declared_tick> ticks_;
  std::vector<trigger> triggers_;
};

} // namespace caf::rosia::engine
