// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/small_list.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"

#include <cstdint>

namespace caf::rosia::engine {

class action_spacing;
class node;
class reaction_code;
struct direct_route;

/// The times at which a tick is present, in nanoseconds: the content of its
/// events [10.4.1].
struct tick_times {
  std::int64_t offset = 0;
  std::int64_t period = 0; // 0: the tick is present only at the offset

  /// Returns the first time at `tag` or later; `forever` if there is none.
  constexpr logical_time first_from(logical_time tag) const noexcept {
    if (logical_time{offset, 0} >= tag)
      return {offset, 0};
    auto passed = tag.ns - offset - (tag.microstep == 0 ? 1 : 0);
    std::int64_t periods = 0;
    std::int64_t since = 0;
    std::int64_t result = 0;
    if (period == 0 || __builtin_add_overflow(passed / period, 1, &periods)
        || __builtin_mul_overflow(periods, period, &since)
        || __builtin_add_overflow(offset, since, &result))
      return forever;
    return {result, 0};
  }

  template <class Inspector>
  friend auto inspect(Inspector& f, tick_times& x) {
    return inspect_members(f, x, x.offset, x.period);
  }
};

/// The state of an input port or an action. It lives in the user's port.
struct input {
  /// This tag's values, in the declaration order of their connections.
  /// Afterwards the latest values stay.
  small_list<value> values;

  union {
    /// A port has the code of the only reaction that it triggers; null if there
    /// are several or none, or if the node's `body` must run it, or if the port
    /// is numbered: then the node must note which input is present.
    reaction_code* code = nullptr;

    /// An action has its spacing; null if there is none. While its mode is not
    /// active, it has `action_spacing::inactive()`.
    action_spacing* spacing_state;
  };

  /// Whether the port has a value at the current tag.
  bool present = false;

  /// Whether it is a tick: its events have `tick_times` as their content.
  bool ticks = false;

  /// Whether the engine uses a state of the node's `declared_access` in place
  /// of this one, because reactions declare the ports that they access.
  bool guarded = false;

  /// Whether it is one of several inputs with one name.
  bool numbered = false;

  /// The reactions that the port triggers, in ascending order.
  small_list<std::uint32_t> reactions;
};

/// The state of an output port. It lives in the user's port.
struct output {
  /// The node; null before it is wired.
  node* owner = nullptr;

  /// The port's connections are contiguous among the node's.
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  /// The tag of the last write; `never` before the first.
  logical_time written = never;

  /// The tag before which the user promised not to write.
  logical_time promised{};

  /// The reaction that made the last write.
  std::uint32_t writer = 0;

  /// Low bits of the number of pieces of the node's code that had started by
  /// the last write.
  std::uint32_t piece = 0;

  /// The port's index within its node.
  std::uint32_t index = 0;

  /// The targets of the connections, if all of them stay within the node's
  /// group, have no delay and are not observed; otherwise null.
  const direct_route* routes = nullptr;
};

} // namespace caf::rosia::engine
