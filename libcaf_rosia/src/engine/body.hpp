// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/reaction_code.hpp"
#include "caf/rosia/detail/value.hpp"

#include <cstdint>
#include <string_view>

namespace caf::rosia::engine {

/// What the user wrote: the code that a node runs.
class body {
public:
  virtual ~body();

  static constexpr std::uint32_t no_startup = ~std::uint32_t{0};

  /// Runs `start()`.
  virtual void start() = 0;

  /// The first reaction from `from` on that runs after `start()`, at the same
  /// tag, and never again; `no_startup` if there is none.
  virtual std::uint32_t next_startup(std::uint32_t from) const noexcept;

  /// Runs `resumed()`, in place of `start()`.
  virtual void resumed();

  /// Runs a reaction.
  virtual void react(std::uint32_t reaction) = 0;

  /// The code of a reaction, which may be run without `react`, with a catch of
  /// what ends it early. Null if only `react` may run it.
  virtual reaction_code* code_of(std::uint32_t reaction) const noexcept;

  /// Tells whether the exception that is being handled only ends the piece of
  /// code that has thrown it.
  virtual bool ends_early() const noexcept;

  /// Runs a trigger's reaction with its value.
  virtual void react(std::uint32_t reaction, const value& content) = 0;

  /// Continues what called `node::wait` with this token.
  virtual void resume(void* token) = 0;

  /// Will never continue it.
  virtual void discard(void* token) noexcept = 0;

  /// A value from outside of the application waits no longer: it is executed,
  /// or dropped. `index` is that of a trigger's reaction, or of an input.
  virtual void consumed(bool trigger, std::uint32_t index) noexcept = 0;

  /// Runs `shutdown()`.
  virtual void shutdown() = 0;

  /// The name of a reaction, for errors.
  virtual std::string_view reaction_name(std::uint32_t reaction) const = 0;

  /// The name of an action, for errors.
  virtual std::string_view action_name(std::uint32_t action) const;

  /// The name of an output, for errors.
  virtual std::string_view output_name(std::uint32_t output) const = 0;
};

} // namespace caf::rosia::engine
