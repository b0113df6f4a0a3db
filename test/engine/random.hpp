// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace engine_test {

/// Pseudo-random numbers (splitmix64) that are the same on all platforms,
/// unlike the distributions of the standard library.
class random_source {
public:
  constexpr explicit random_source(std::uint64_t seed) : state_(seed) {
    // nop
  }

  constexpr std::uint64_t next() noexcept {
    auto z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// Returns a number from 0 to `n - 1`.
  /// @pre `n > 0`
  std::uint32_t below(std::size_t n) noexcept {
    return static_cast<std::uint32_t>((next() >> 16) % n);
  }

  /// Returns true in `percent` percent of the calls.
  bool chance(std::uint32_t percent) noexcept {
    return below(100) < percent;
  }

  template <class T>
  T pick(std::initializer_list<T> xs) noexcept {
    return xs.begin()[below(xs.size())];
  }

  template <class T>
  const T& pick(const std::vector<T>& xs) noexcept {
    return xs[below(xs.size())];
  }

private:
  std::uint64_t state_;
};

/// Mixes numbers into one that depends on all of them and their order.
template <class... Ts>
std::uint64_t mix(std::uint64_t seed, Ts... xs) noexcept {
  ((seed = random_source{seed ^ static_cast<std::uint64_t>(xs)}.next()), ...);
  return seed;
}

} // namespace engine_test
