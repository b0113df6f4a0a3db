// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/detail/reaction_code.hpp"

#include <cstdint>
#include <string_view>

namespace caf::rosia::engine {

/// The code of a node, which the user wrote. Tests: test/engine.
class body {
public:
  virtual ~body();

  static constexpr std::uint32_t no_startup = ~std::uint32_t{0};

  static constexpr std::uint32_t no_reaction = ~std::uint32_t{0};

  /// Runs `start()`.
  virtual void start() = 0;

  /// Returns the first reaction from `from` on that is a startup: it runs once,
  /// after `start()`, at the same tag. Returns `no_startup` if there is none.
  virtual std::uint32_t next_startup(std::uint32_t from) const noexcept;

  /// Returns the first reaction from `from` on that `at_shutdown` triggers
  /// [10.6.1]. Returns `no_reaction` if there is none.
  virtual std::uint32_t next_at_shutdown(std::uint32_t from) const noexcept;

  /// Runs `resumed()`, in place of `start()`.
  virtual void resumed();

  /// Runs a reaction.
  virtual void react(std::uint32_t reaction) = 0;

  /// Returns the code of a reaction, which may be run without `react` if the
  /// caller handles exceptions that end it early. Null if only `react` may run
  /// it.
  virtual reaction_code* code_of(std::uint32_t reaction) const noexcept;

  /// Returns the code that a port has in `input::code`.
  reaction_code* only_code(const input& port) const noexcept {
    return port.reactions.size() == 1 && !port.numbered
             ? code_of(port.reactions.only())
             : nullptr;
  }

  /// Returns whether the current exception only ends the piece of code that
  /// threw it.
  virtual bool ends_early() const noexcept;

  /// Resumes the code that called `node::wait` with this token.
  virtual void resume(void* token) = 0;

  /// Discards that code, which will not be resumed.
  virtual void discard(void* token) noexcept = 0;

  /// Notifies the body that a value of a physical action no longer waits,
  /// because it was executed or dropped.
  /// @param input the action's index among the inputs.
  virtual void consumed(std::uint32_t input) noexcept = 0;

  /// Runs the handler of a watchdog [10.8.2].
  /// @param action the index of the watchdog's action.
  virtual void expire(std::uint32_t action);

  /// Gives the states of a mode their initial values [10.7.3].
  /// @param action the index of the mode's action.
  virtual void reset(std::uint32_t action);

  /// Runs `shutdown()`.
  virtual void shutdown() = 0;

  /// Returns the name of a reaction, for errors.
  virtual std::string_view reaction_name(std::uint32_t reaction) const = 0;

  /// Returns the name of an action, for errors.
  virtual std::string_view action_name(std::uint32_t action) const;

  /// Returns the name of an output, for errors.
  virtual std::string_view output_name(std::uint32_t output) const = 0;
};

} // namespace caf::rosia::engine
