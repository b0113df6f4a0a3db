// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/spacing.hpp"

#include <optional>

namespace caf::rosia::engine {

/// The spacing of an action, and the tags of its events on which the next one
/// depends [10.5.2]. Tests: test/engine/spacing_rules_test.cpp.
class action_spacing {
public:
  /// The tag of a new event.
  struct placement {
    logical_time tag;

    /// Whether the new event takes the place of the last one, which is pending.
    bool withdraws = false;
  };

  explicit action_spacing(spacing x) noexcept : option_(x) {
    // nop
  }

  /// Returns the object that actions have in place of a spacing while their
  /// mode is not active: they accept no events [10.7.4].
  static action_spacing& inactive() noexcept;

  // -- properties -------------------------------------------------------------

  const spacing& option() const noexcept {
    return option_;
  }

  /// Returns the tag of the last event; `never` if there was none.
  logical_time last() const noexcept {
    return last_;
  }

  /// Returns the tag of the last event that is not pending at `now`; `never` if
  /// there was none. If several events are pending, only `note_present` tells.
  logical_time last_present(logical_time now) const noexcept;

  /// Returns the tag of an event that is requested for `wanted`. An event is
  /// pending until its tag begins.
  /// @returns none if the event is dropped; `forever` if it never occurs.
  /// @throws std::overflow_error if the microstep overflows.
  std::optional<placement> place(logical_time wanted, logical_time now) const;

  // -- modifiers --------------------------------------------------------------

  /// Records a new event, the last one.
  void note(const placement& x) noexcept {
    if (!x.withdraws)
      previous_ = last_;
    last_ = x.tag;
  }

  /// Records that an event is present.
  void note_present(logical_time tag) noexcept {
    present_ = tag;
  }

  /// Records an event of an earlier run, in any order.
  void restore(logical_time tag) noexcept;

private:
  delay distance() const noexcept {
    return option_.distance;
  }

  spacing option_;
  logical_time last_ = never;
  logical_time previous_ = never; // of the event before the last one
  logical_time present_ = never;
};

} // namespace caf::rosia::engine
