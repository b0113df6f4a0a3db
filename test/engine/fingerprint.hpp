// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "record.hpp"

#include "engine/loop_time_table.hpp"
#include "engine/negotiation.hpp"
#include "engine/node.hpp"
#include "engine/scratch.hpp"

#include <compare>
#include <cstddef>
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
  template <class... Ts>
  void add(const Ts&... xs) noexcept {
    constexpr auto n = (words_of<Ts>() + ... + 0);
    static_assert(n <= block);
    if (count_ + n > block)
      absorb();
    auto to = &words_[count_];
    (put(to, xs), ...);
    count_ += n;
  }

  /// Nothing can be added any more.
  fingerprint get() noexcept {
    absorb();
    return state_;
  }

private:
  __extension__ using wide = unsigned __int128;

  /// So many words are taken in at once.
  static constexpr std::size_t block = 256;

  template <class T>
  static constexpr std::size_t words_of() {
    return std::is_same_v<T, caf::rosia::logical_time> ? 2 : 1;
  }

  template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T>
  static void put(std::uint64_t*& to, T x) noexcept {
    *to++ = static_cast<std::uint64_t>(x);
  }

  static void put(std::uint64_t*& to,
                  const caf::rosia::logical_time& x) noexcept {
    put(to, x.ns);
    put(to, x.microstep);
  }

  void absorb() noexcept;

  void absorb(std::uint64_t word) noexcept;

  fingerprint state_;
  std::size_t count_ = 0;
  std::uint64_t words_[block]; // the first `count_` are set
};

// What the engine's classes keep to themselves, and what decides on what they
// do next. What of it is the same for all runs of one application is left out,
// and what follows from the rest.

/// Adds a node's state. `name_of` makes a number of a token of `node::wait`.
void add_state(hasher& h, const caf::rosia::engine::node& x,
               const std::function<std::uint64_t(void*)>& name_of);

void add_state(hasher& h, const caf::rosia::engine::loop_time_table& x);

void add_state(hasher& h, const caf::rosia::engine::negotiation& x);

/// Memory that the nodes of a thread share while they are called. It keeps some
/// in between, but that decides on nothing.
caf::rosia::engine::scratch& scratch_of_this_thread();

} // namespace engine_test

template <>
struct std::hash<engine_test::fingerprint> {
  std::size_t operator()(const engine_test::fingerprint& x) const noexcept {
    return x.first;
  }
};
