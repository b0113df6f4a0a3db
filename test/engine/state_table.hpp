// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "fingerprint.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace engine_test {

/// A map from very many states to numbers. It takes 27 to 40 bytes per state,
/// also while it grows, because it grows in many parts.
class state_table {
public:
  /// Numbers must be below this.
  static constexpr std::uint32_t end_of_numbers = ~std::uint32_t{0};

  /// Adds a state with this number, unless the state already exists.
  /// @returns the state's number, valid until the next call, and whether the
  /// state is new.
  std::pair<std::uint32_t&, bool> try_emplace(
    const fingerprint& x, std::uint32_t number);

  /// Prefetches the memory that `try_emplace` will read.
  void prefetch(const fingerprint& x) const noexcept;

private:
  /// Consists of halves of words, so that it has no padding.
  struct slot {
    std::array<std::uint32_t, 4> key;
    std::uint32_t number;
  };

  /// Each state is in the first free slot at or after its place.
  class part {
  public:
    slot& find(const fingerprint& x) const noexcept;

    std::size_t place_of(const fingerprint& x) const noexcept;

    void make_room();

    std::unique_ptr<slot[]> slots;
    std::size_t capacity = 0;
    std::size_t size = 0;
  };

  std::array<part, 256> parts_;
};

} // namespace engine_test
