// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "record.hpp"

#include "engine/loop_time_table.hpp"
#include "engine/negotiation.hpp"
#include "engine/node.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace engine_test {

/// A hash of a state, with 128 bits so that different states do not collide.
struct fingerprint {
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  friend auto operator<=>(const fingerprint&, const fingerprint&) = default;
};

/// Computes a fingerprint from a sequence of numbers.
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

  /// Returns the fingerprint. Nothing can be added afterwards.
  fingerprint get() noexcept {
    absorb();
    return state_;
  }

private:
  __extension__ using wide = unsigned __int128;

  /// Number of words that are hashed together.
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
  std::uint64_t words_[block]; // the first `count_` are used
};

// The private state of the engine's classes, as far as it determines their
// behavior. Excludes values that are constant in an application, or that follow
// from the rest.

/// Returns a number for a token of `node::wait`.
using token_namer = std::uint64_t (*)(void*);

void add_state(hasher& h, const caf::rosia::engine::node& x,
               token_namer name_of);

void add_state(hasher& h, const caf::rosia::engine::loop_time_table& x);

void add_state(hasher& h, const caf::rosia::engine::negotiation& x);

} // namespace engine_test

template <>
struct std::hash<engine_test::fingerprint> {
  std::size_t operator()(const engine_test::fingerprint& x) const noexcept {
    return x.first;
  }
};
