// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// A bit set with fast insert and extract-min. Tests:
/// test/engine/containers_test.cpp.
class index_set {
public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Allows numbers below `size`.
  /// @pre The set is empty.
  void resize(std::size_t size) {
    last_ = (size + bits - 1) / bits;
    words_.assign(last_ + 1, 0);
    words_[last_] = 1; // stops the search
    first_ = last_;
  }

  [[gnu::always_inline]] void insert(std::uint32_t x) noexcept {
    if (first_ != last_)
      insert_bit(x);
    else if (only_ == none)
      only_ = x;
    else
      insert_second(x);
  }

  /// Returns whether the set is known to be empty.
  bool known_empty() const noexcept {
    return first_ == last_ && only_ == none;
  }

  /// @pre `known_empty()`
  void insert_only(std::uint32_t x) noexcept {
    only_ = x;
  }

  /// Removes the least number.
  /// @returns the number; `none` if the set is empty.
  [[gnu::always_inline]] std::uint32_t take_first() noexcept {
    if (auto result = only_; result != none) {
      only_ = none;
      return result;
    }
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

  void insert_bit(std::uint32_t x) noexcept {
    std::size_t word = x / bits;
    words_[word] |= std::uint64_t{1} << x % bits;
    first_ = word < first_ ? word : first_;
  }

  void insert_second(std::uint32_t x) noexcept {
    insert_bit(std::exchange(only_, none));
    insert_bit(x);
  }

  std::uint32_t only_ = none; // the only number, as usual; several are bits
  std::vector<std::uint64_t> words_ = {1}; // the last word is never empty
  std::size_t first_ = 0;                  // all words before it are empty
  std::size_t last_ = 0;
};

} // namespace caf::rosia::engine
