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

/// A number for each of very many states: in 27 to 40 bytes for each, and no
/// more while it grows, for it grows in many parts.
class state_table {
public:
  /// Below this.
  static constexpr std::uint32_t end_of_numbers = ~std::uint32_t{0};

  /// Sets the number of a state that has none.
  /// @returns the state's, until the next call, and whether it was set now.
  std::pair<std::uint32_t&, bool> try_emplace(
    const fingerprint& x, std::uint32_t number);

  /// Has the processor get what `try_emplace` will look at.
  void prefetch(const fingerprint& x) const noexcept;

private:
  /// Without gaps, which is why it consists of halves of words.
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
