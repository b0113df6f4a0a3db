// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/time_span.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace caf::rosia {

/// The effect of a spacing on an event that is requested too early: before the
/// last event of its action, or less than the spacing after it [10.5.2].
enum class spacing_policy : std::uint8_t {
  /// The event occurs at the tag of the last event + the spacing.
  defer,
  /// The event does not occur.
  drop,
  /// If the last event is pending, it has the new value in place of its own,
  /// at its tag. Otherwise as `defer`.
  replace,
  /// If the last event is pending, it is withdrawn, and the event occurs at the
  /// requested tag, or at the tag of the event before it + the spacing, if that
  /// is later. Otherwise as `defer`.
  update,
};

/// As in `rosia::drop`.
using enum spacing_policy;

/// Renders a policy: "defer".
constexpr std::string_view to_string(spacing_policy x) noexcept {
  constexpr std::string_view names[] = {"defer", "drop", "replace", "update"};
  return names[static_cast<std::size_t>(x)];
}

/// An option of actions: keeps their events in the order of the calls, and at
/// least `distance` apart; one microstep apart if that is 0.
///
/// ~~~
/// rosia::action<int> election{
///   this, "election", rosia::spacing{150ms, rosia::update}};
/// ~~~
struct spacing {
  /// 0 or more. An event that would be later than all tags does not occur.
  time_span distance;

  spacing_policy policy = spacing_policy::defer;
};

} // namespace caf::rosia
