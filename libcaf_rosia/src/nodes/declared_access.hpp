// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/fwd.hpp"
#include "caf/rosia/reaction.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The ports that a node's reactions declare to access, and the states of the
/// node's ports [10.1.1]. The engine uses these states in place of those in the
/// user's ports, which remain empty. So each access to a port of such a node
/// takes a slow path, on which it is checked, and the ports of all other nodes
/// need no check. Tests: test/nodes/declarations_test.cpp.
class declared_access {
public:
  /// The ports that a reaction declares, by index, in ascending order.
  struct ports {
    std::vector<std::uint32_t> reads = {};
    std::vector<std::uint32_t> writes = {};
    std::vector<std::uint32_t> writes_later = {};
    std::vector<std::uint32_t> readable = {}; // also those that trigger it
  };

  explicit declared_access(node& owner) noexcept : owner_(&owner) {
    // nop
  }

  // -- construction -----------------------------------------------------------

  /// Adds a reaction that declares its ports.
  ports& add(const reaction_base& x);

  /// Returns code that runs `code`, and notes that the reaction has not yielded
  /// yet.
  code_ptr note_first_part(code_ptr code);

  /// Makes the engine use the states of this object. Called once, when all
  /// members of the node are constructed.
  void guard_ports();

  // -- properties -------------------------------------------------------------

  /// Returns the declaration of a reaction; null if it declares no ports.
  const ports* find(std::uint32_t reaction) const noexcept;

  std::span<engine::input* const> inputs() const noexcept {
    return input_states_;
  }

  std::span<engine::output* const> outputs() const noexcept {
    return output_states_;
  }

  /// Returns the index of the input with this state.
  /// @pre It is one of `inputs()`.
  std::uint32_t index_of(const engine::input& state) const noexcept {
    return static_cast<std::uint32_t>(&state - inputs_.get());
  }

  /// Returns whether the engine can name the port in its errors.
  bool is_wired(const output_port_base& x) const noexcept {
    return outputs_ != nullptr && state(x).owner != nullptr;
  }

  engine::output& state(const output_port_base& x) const noexcept;

  // -- access -----------------------------------------------------------------

  /// Returns the state of an input.
  /// @throws std::logic_error if the running reaction does not declare it.
  const engine::input& readable(const input_port_base& x) const;

  /// Checks that the running reaction declares all ports of a channel, whose
  /// indices start with `first`.
  void require_readable(const ports_base& x, std::uint32_t first) const;

  /// Checks that the running reaction may write the output now.
  void require_writable(const output_port_base& x) const;

private:
  /// Returns the declaration of the running reaction, and its index. None if
  /// the running code may access all ports, or if no code runs.
  std::pair<const ports*, std::uint32_t> running() const noexcept;

  /// @param port the kind of the port and its name in quotes.
  [[noreturn]] void refuse(
    std::uint32_t reaction, const std::string& use, const std::string& port,
    const std::string& remedy) const;

  node* owner_;
  std::vector<std::unique_ptr<ports>> declared_; // by reaction
  bool in_first_part_ = false; // the running reaction has not yielded
  std::unique_ptr<engine::input[]> inputs_;
  std::unique_ptr<engine::output[]> outputs_;
  std::vector<engine::input*> input_states_;
  std::vector<engine::output*> output_states_;
};

} // namespace caf::rosia::detail
