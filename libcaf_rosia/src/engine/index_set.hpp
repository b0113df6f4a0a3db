// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace caf::rosia::engine {

/// A set of small numbers, out of which the least is taken again and again
/// while greater ones come in.
class index_set {
public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Where a number is, for who inserts it often.
  struct place {
    std::uint32_t word;
    std::uint64_t bit;
  };

  static constexpr place place_of(std::uint32_t x) noexcept {
    return {x / bits, std::uint64_t{1} << x % bits};
  }

  /// Numbers below `size` may come. @pre The set is empty.
  void resize(std::size_t size) {
    last_ = (size + bits - 1) / bits;
    words_.assign(last_ + 1, 0);
    words_[last_] = 1; // ends the search
    first_ = last_;
  }

  void insert(std::uint32_t x) noexcept {
    auto at = place_of(x);
    insert_behind(at);
    first_ = at.word < first_ ? at.word : first_;
  }

  /// The same, faster, for a number that is greater than one that was taken, if
  /// all that came since then are.
  void insert_behind(const place& x) noexcept {
    words_[x.word] |= x.bit;
  }

  /// Removes the least number. @returns it; `none` if the set is empty.
  std::uint32_t take_first() noexcept {
    auto at = first_;
    while (words_[at] == 0)
      ++at;
    first_ = at;
    if (at == last_)
      return none;
    auto& word = words_[at];
    auto bit = __builtin_ctzll(word);
    word &= word - 1;
    return static_cast<std::uint32_t>(at * bits)
           + static_cast<std::uint32_t>(bit);
  }

private:
  static constexpr std::uint32_t bits = 64;

  std::vector<std::uint64_t> words_ = {1}; // the last one is never empty
  std::size_t first_ = 0;                  // all words before are empty
  std::size_t last_ = 0;
};

} // namespace caf::rosia::engine
