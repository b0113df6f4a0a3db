// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "record.hpp"

#include "caf/rosia/engine/ledger.hpp"
#include "caf/rosia/engine/negotiation.hpp"
#include "caf/rosia/engine/node.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace engine_test {

/// Stands for a state. Of 128 bits, so that two different ones do not meet.
struct fingerprint {
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  friend auto operator<=>(const fingerprint&, const fingerprint&) = default;
};

/// Makes a fingerprint of numbers, in order.
class hasher {
public:
  template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  void add(T x) noexcept {
    auto y = static_cast<std::uint64_t>(x);
    state_.first
      = fold(state_.first ^ y ^ 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93);
    state_.second
      = fold(state_.second + y + 0xa0761d6478bd642f, 0xe7037ed1a0b428db);
  }

  void add(const caf::rosia::logical_time& x) noexcept {
    add(x.ns);
    add(x.microstep);
  }

  const fingerprint& get() const noexcept {
    return state_;
  }

private:
  __extension__ using wide = unsigned __int128;

  static std::uint64_t fold(std::uint64_t x, std::uint64_t y) noexcept {
    auto product = static_cast<wide>(x) * y;
    return static_cast<std::uint64_t>(product)
           ^ static_cast<std::uint64_t>(product >> 64) ^ (x << 1);
  }

  fingerprint state_;
};

// What the engine's classes keep to themselves, and what decides on what they
// do next. What of it is the same for all runs of one application is left out,
// and what follows from the rest.

/// Adds a node's state. `name_of` makes a number of a token of `node::wait`.
void add_state(hasher& h, const caf::rosia::engine::node& x,
               const std::function<std::uint64_t(void*)>& name_of);

void add_state(hasher& h, const caf::rosia::engine::ledger& x);

void add_state(hasher& h, const caf::rosia::engine::negotiation& x);

} // namespace engine_test

template <>
struct std::hash<engine_test::fingerprint> {
  std::size_t operator()(const engine_test::fingerprint& x) const noexcept {
    return x.first;
  }
};
