// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/action.hpp"
#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/fwd.hpp"

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia {

/// The type of `history`.
struct history_t {};

/// Lets a mode that is entered continue where it was left.
inline constexpr history_t history{};

/// A mode of a node. One of the node's modes is active at each tag, the first
/// one at the start. Reactions, actions, ticks and states may have a mode in
/// place of `this`:
///
/// ~~~
/// rosia::mode normal{this, "normal"}, failed{this, "failed"};
/// rosia::state<int> tries{failed, "tries", 0};
/// rosia::tick poll{normal, "poll", 10ms}, probe{failed, "probe", 1s};
/// rosia::reaction on_ok{normal, "on_ok", {ok}, [this] {
///   if (!*ok)
///     failed.enter();
/// }};
/// rosia::reaction on_probe{failed, "on_probe", {probe}, [this] {
///   if (++tries == 3)
///     normal.enter(rosia::history);
/// }};
/// ~~~
///
/// The reactions of the other modes do not run. For a mode that is left, time
/// stands still: its actions, its ticks, and the reactions that yielded are
/// suspended [10.7.3]. Members without a mode do not depend on modes.
///
/// A mode is a trigger: it is present when it is entered, the first one also at
/// the start. It shares the names of the node's actions.
class mode final : public action_base {
public:
  /// @param parent the node that the mode is a member of: `this`. The mode must
  ///   be declared before its members.
  /// @throws graph_error for an invalid name, for the name of another mode,
  /// action or tick of the node, or if a reaction that was declared earlier has
  /// it as a trigger.
  template <class Node>
  mode(Node* parent, std::string name)
    : mode(detail::member_parent{parent}, std::move(name)) {
    // nop
  }

  /// Never compiles: the node is missing.
  template <std::convertible_to<std::string> Name>
  explicit mode(Name&&) : mode(detail::without_node<Name>(), std::string{}) {
    // nop
  }

  ~mode();

  // -- entering ---------------------------------------------------------------

  /// Makes the mode active from the next microstep on, and resets it: drops its
  /// suspended events, restarts its ticks, and gives its states their initial
  /// values. The last call at a tag counts. The active mode may be reset.
  /// @throws std::logic_error if it is not called from a reaction or `start()`
  /// of its node [10.7.2].
  void enter();

  /// Makes the mode active from the next microstep on. Its suspended events
  /// occur after as much time as was left when the mode was left. A mode that
  /// was never active is reset. Entering the active mode suspends nothing.
  /// @throws std::logic_error as `enter()` does.
  void enter(history_t);

  // -- properties -------------------------------------------------------------

  /// Returns whether it is the active mode of its node.
  bool is_active() const noexcept;

  /// Returns how often it was entered. The start counts for the first mode.
  std::uint64_t entries() const noexcept;

  /// Returns whether it was entered with its history the last time. Returns
  /// false if it was reset then, or if it was never entered.
  bool by_history() const noexcept;

private:
  friend class state_base;
  friend struct detail::member_access;

  mode(const detail::member_parent& parent, std::string name);

  void enter_by(bool by_its_history);

  std::uint32_t number_; // among the modes of the node
  std::vector<std::pair<state_base*, engine::value>> initial_; // of its states
};

} // namespace caf::rosia
