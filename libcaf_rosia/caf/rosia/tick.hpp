// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/action.hpp"
#include "caf/rosia/time_span.hpp"

#include <concepts>
#include <optional>
#include <string>
#include <utility>

namespace caf::rosia {

/// The type of `once`.
struct once_t {};

/// In place of a period: the tick is present only once.
inline constexpr once_t once{};

/// A trigger without a value that is present at `offset`, and then every
/// `period` [10.4.1]. A node with a tick that repeats does not end by itself.
///
/// ~~~
/// rosia::tick step{this, "step", 10ms};
/// rosia::tick boot{this, "boot", rosia::once, 5ms};
/// rosia::reaction on_step{this, "on_step", {step}, [this] { out(now()); }};
/// ~~~
class tick final : public action_base {
public:
  /// @param parent the node that the tick is a member of: `this`.
  /// @throws graph_error if the period is not positive, if the offset is
  /// negative, for an invalid name, for the name of another tick or action of
  /// the node, or if a reaction that was declared earlier has it as a trigger.
  template <class Node>
  tick(Node* parent, std::string name, time_span period, time_span offset = {})
    : tick(detail::member_parent{parent}, std::move(name), offset, period) {
    // nop
  }

  template <class Node>
  tick(Node* parent, std::string name, once_t, time_span offset = {})
    : tick(
      detail::member_parent{parent}, std::move(name), offset, std::nullopt) {
    // nop
  }

  /// Makes a tick of a mode. Its times count from when the mode is reset, and
  /// only while the mode is active [10.7.3].
  /// @throws graph_error also if the mode is one of another node.
  tick(mode& parent, std::string name, time_span period, time_span offset = {})
    : tick(detail::member_parent{parent}, std::move(name), offset, period) {
    // nop
  }

  tick(mode& parent, std::string name, once_t, time_span offset = {})
    : tick(
      detail::member_parent{parent}, std::move(name), offset, std::nullopt) {
    // nop
  }

  /// Never compiles: the node is missing.
  template <std::convertible_to<std::string> Name, class... Ts>
  explicit tick(Name&&, Ts&&...)
    : tick(detail::without_node<Name>(), std::string{}, {}, std::nullopt) {
    // nop
  }

private:
  friend struct detail::member_access;

  /// @param period none if the tick is present only once.
  tick(const detail::member_parent& parent, std::string name, time_span offset,
       std::optional<time_span> period);

  engine::tick_times times_;
};

} // namespace caf::rosia
