// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace caf::rosia::engine {

/// The minimum of a fixed number of tags, which change one at a time. A
/// tournament tree: a node with a thousand inputs pays ten comparisons for a
/// message. The minimum of no tags is `forever`. A single tag needs no heap
/// memory, because a graph has very many nodes with one connection. Tests:
/// test/engine/containers_test.cpp.
class least {
public:
  explicit least(std::size_t size = 0, logical_time initial = forever)
    : winner_(size == 0 ? forever : initial),
      size_(static_cast<std::uint32_t>(size)) {
    if (size < 2)
      return;
    tree_ = std::make_unique<logical_time[]>(2 * size);
    std::fill_n(tree_.get(), 2 * size, initial);
  }

  const logical_time& operator[](std::size_t index) const noexcept {
    return tree_ ? tree_[size_ + index] : winner_;
  }

  void set(std::size_t index, logical_time x) noexcept {
    if (!tree_) {
      winner_ = x;
      return;
    }
    auto i = size_ + index;
    tree_[i] = x;
    for (i /= 2; i > 0; i /= 2) {
      auto winner = std::min(tree_[2 * i], tree_[2 * i + 1]);
      if (tree_[i] == winner)
        return;
      tree_[i] = winner;
    }
    winner_ = tree_[1];
  }

  /// Returns the minimum.
  logical_time get() const noexcept {
    return winner_;
  }

  /// Returns the index of a tag that is the minimum.
  /// @pre There is one.
  std::size_t position() const noexcept {
    std::size_t i = 1;
    while (i < size_)
      i = 2 * i + (tree_[2 * i] == tree_[i] ? 0 : 1);
    return i - size_;
  }

private:
  logical_time winner_;
  std::unique_ptr<logical_time[]> tree_; // the root is [1], the leaves are at
                                         // the end
  std::uint32_t size_;
};

} // namespace caf::rosia::engine
