// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/action.hpp"
#include "caf/rosia/member.hpp"
#include "caf/rosia/mode.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/ports.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/state.hpp"
#include "caf/rosia/tick.hpp"
#include "caf/rosia/watchdog.hpp"
#include "engine/deadline_code.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The library's internal interface of the members of a node. Tests:
/// test/nodes.
struct member_access {
  // -- the engine's states of ports and actions -------------------------------

  static engine::input& state(input_port_base& x) noexcept {
    return x;
  }

  static engine::input& state(action_base& x) noexcept {
    return x;
  }

  static engine::output& state(output_port_base& x) noexcept {
    return x;
  }

  /// Returns the port with this state.
  static input_port_base& port_of(engine::input& state) noexcept {
    return static_cast<input_port_base&>(state);
  }

  static output_port_base& port_of(engine::output& state) noexcept {
    return static_cast<output_port_base&>(state);
  }

  /// Returns the number of values of a physical action that wait.
  static std::atomic<std::uint32_t>& waiting(input_port_base& x) noexcept {
    return x.waiting_;
  }

  /// Returns the times at which a tick is present.
  static const engine::tick_times& times(const tick& x) noexcept {
    return x.times_;
  }

  /// Returns the timeout of a watchdog, in nanoseconds.
  static std::int64_t timeout(const rosia::watchdog& x) noexcept {
    return x.timeout_.count();
  }

  /// Returns the handler of a watchdog; null if it has none.
  static engine::reaction_code* handler(const rosia::watchdog& x) noexcept {
    return x.handler_.get();
  }

  /// Returns the place of a mode among those of its node.
  static std::uint32_t number(const mode& x) noexcept {
    return x.number_;
  }

  /// Returns the states of a mode, with their initial values.
  static const auto& initial(const mode& x) noexcept {
    return x.initial_;
  }

  static bool is_output(const ports_base& x) noexcept {
    return x.kind_ == ports_base::direction::out;
  }

  // -- the types of values ----------------------------------------------------

  static const engine::payload_type& payload(const typed_member& x) noexcept {
    return *x.type_;
  }

  // -- reactions --------------------------------------------------------------

  static engine::reaction_code* code(const reaction_base& x) noexcept {
    return x.code_.get();
  }

  /// Returns whether the reaction may yield.
  static bool yields(const reaction_base& x) noexcept {
    return x.yields_;
  }

  /// Returns the reaction's deadline; null if it has none.
  static engine::deadline_code* deadline(const reaction_base& x) noexcept {
    return x.code_ ? x.code_->deadline() : nullptr;
  }

  // -- saved states -----------------------------------------------------------

  static engine::value copy(const state_base& x) {
    return x.copy();
  }

  static void restore(state_base& x, const engine::value& content) {
    x.restore(content);
  }

  static std::string text(const state_base& x) {
    return x.text();
  }

  /// Returns the functions that read older versions, the oldest first.
  static const std::vector<state_upgrade>& upgrades(
    const state_base& x) noexcept {
    return x.upgrades_;
  }
};

} // namespace caf::rosia::detail
