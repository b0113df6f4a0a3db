// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace model {

/// Scrambles a number (the finalizer of splitmix64).
constexpr std::uint64_t scramble(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Returns a number that depends on both numbers, and on their order.
constexpr std::uint64_t mix(std::uint64_t x, std::uint64_t y) noexcept {
  return scramble(x * 0x9e3779b97f4a7c15u + y + 1);
}

/// Random numbers that are the same on all platforms for the same seed.
class random {
public:
  explicit constexpr random(std::uint64_t seed) noexcept
    : state_(scramble(seed + 0x9e3779b97f4a7c15u)) {
    // nop
  }

  constexpr std::uint64_t next() noexcept {
    return scramble(state_ += 0x9e3779b97f4a7c15u);
  }

  /// Returns a number from 0 to n - 1. @pre `n > 0`
  constexpr std::uint32_t below(std::size_t n) noexcept {
    return static_cast<std::uint32_t>(next() % n);
  }

  /// Returns a number from `low` to `high`.
  constexpr std::uint32_t between(
    std::uint32_t low, std::uint32_t high) noexcept {
    return low + below(high - low + 1);
  }

  constexpr bool percent(std::uint32_t chance) noexcept {
    return below(100) < chance;
  }

  template <class T>
  constexpr T pick(std::initializer_list<T> from) noexcept {
    return from.begin()[below(from.size())];
  }

private:
  std::uint64_t state_;
};

} // namespace model
