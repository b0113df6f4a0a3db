// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace caf::rosia::engine {

/// A set of small numbers, out of which the least is taken again and again
/// while greater ones come in.
class index_set {
public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Numbers below `size` may come. @pre The set is empty.
  void resize(std::size_t size) {
    words_.assign((size + bits - 1) / bits, 0);
    first_ = words_.size();
  }

  void insert(std::uint32_t x) noexcept {
    auto word = x / bits;
    words_[word] |= std::uint64_t{1} << x % bits;
    first_ = word < first_ ? word : first_;
  }

  /// Removes the least number. @returns it; `none` if the set is empty.
  std::uint32_t take_first() noexcept {
    for (; first_ < words_.size(); ++first_)
      if (auto& word = words_[first_]; word != 0) {
        auto bit = std::countr_zero(word);
        word &= word - 1;
        return static_cast<std::uint32_t>(first_ * bits)
               + static_cast<std::uint32_t>(bit);
      }
    return none;
  }

private:
  static constexpr std::size_t bits = 64;

  std::vector<std::uint64_t> words_;
  std::size_t first_ = 0; // all words before are empty
};

} // namespace caf::rosia::engine
