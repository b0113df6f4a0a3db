// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace caf::rosia::engine {

/// The least of a fixed number of tags of which one changes at a time: a
/// tournament, so that a node with a thousand inputs pays ten comparisons for
/// a message. Without tags the least is `forever`.
class least {
public:
  explicit least(std::size_t size = 0, logical_time initial = forever)
    : size_(size), tree_(size == 0 ? 0 : 2 * size, initial) {
    // nop
  }

  const logical_time& operator[](std::size_t index) const noexcept {
    return tree_[size_ + index];
  }

  void set(std::size_t index, logical_time x) noexcept {
    auto i = size_ + index;
    tree_[i] = x;
    for (i /= 2; i > 0; i /= 2) {
      auto winner = std::min(tree_[2 * i], tree_[2 * i + 1]);
      if (tree_[i] == winner)
        return;
      tree_[i] = winner;
    }
  }

  /// The least of all.
  logical_time get() const noexcept {
    return size_ == 0 ? forever : tree_[1];
  }

  /// The index of one that is the least. @pre There is one.
  std::size_t position() const noexcept {
    std::size_t i = 1;
    while (i < size_)
      i = 2 * i + (tree_[2 * i] == tree_[i] ? 0 : 1);
    return i - size_;
  }

private:
  std::size_t size_;
  std::vector<logical_time> tree_; // the root is [1], the leaves end it
};

} // namespace caf::rosia::engine
