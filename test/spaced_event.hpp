// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The spacing of actions in the tests' oracles.

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/spacing.hpp"

#include <optional>
#include <vector>

namespace test {

/// An event of an action with a spacing.
struct spaced_event {
  std::optional<caf::rosia::logical_time> tag; // none if it is dropped

  /// The event that it replaces, if there is one.
  std::optional<caf::rosia::logical_time> replaced = std::nullopt;
};

/// Spaces an event of an action that was scheduled for `tag` [10.5.2].
/// @param events the tags of the action's earlier events. One that is replaced
///   is removed.
inline spaced_event space_event(
  std::vector<caf::rosia::logical_time>& events,
  const caf::rosia::spacing& spacing, caf::rosia::logical_time tag,
  caf::rosia::logical_time now) {
  caf::rosia::delay distance{spacing.distance};
  auto is_early = [&] {
    return !events.empty() && tag < saturating_add(events.back(), distance);
  };
  if (!is_early())
    return {tag};
  using enum caf::rosia::spacing_policy;
  if (spacing.policy == drop)
    return {};
  auto last = events.back();
  if (spacing.policy == defer || last <= now)
    return {last + distance};
  events.pop_back();
  if (spacing.policy == replace)
    return {last, last};
  return {is_early() ? events.back() + distance : tag, last};
}

} // namespace test
