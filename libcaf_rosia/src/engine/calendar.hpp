// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// The members with pending events, ordered by tag. The earliest entry is
/// stored separately, because there is usually only one. Tests:
/// test/engine/calendar_test.cpp.
class calendar {
public:
  struct entry {
    [[no_unique_address]] logical_time tag
      = forever; // the next member uses its padding
    std::uint32_t seat = 0;
  };

  // -- properties -------------------------------------------------------------

  bool empty() const noexcept {
    return first_.tag == forever;
  }

  /// Returns the earliest entry.
  /// @pre `!empty()`
  const entry& front() const noexcept {
    return first_;
  }

  // -- modifiers --------------------------------------------------------------

  /// @pre `tag != forever`
  void push(logical_time tag, std::uint32_t seat) {
    if (empty())
      first_ = {tag, seat};
    else
      push_besides({tag, seat});
  }

  /// Removes the earliest entry.
  /// @pre `!empty()`
  void pop() noexcept {
    if (others_.empty()) {
      first_.tag = forever;
      return;
    }
    first_ = others_.front();
    auto last = others_.back();
    others_.pop_back();
    if (!others_.empty())
      replace_front(last);
  }

  void clear() noexcept {
    first_.tag = forever;
    others_.clear();
  }

private:
  void push_besides(entry x) {
    if (x.tag < first_.tag)
      std::swap(x, first_);
    others_.push_back(x);
    std::push_heap(others_.begin(), others_.end(), is_later);
  }

  /// Puts an entry in the place of the first one of the heap, and in order. The
  /// standard library's function has a branch for each pair of children, which
  /// no processor predicts.
  void replace_front(const entry& x) noexcept {
    auto size = others_.size();
    auto* heap = others_.data();
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size)
        child += is_earlier(heap[child + 1].tag, heap[child].tag) ? 1 : 0;
      heap[at] = heap[child];
      at = child;
    }
    // An entry from the end of the heap is usually late.
    for (; at > 0 && x.tag < heap[(at - 1) / 2].tag; at = (at - 1) / 2)
      heap[at] = heap[(at - 1) / 2];
    heap[at] = x;
  }

  /// Compares without a branch.
  static bool is_earlier(const logical_time& x,
                         const logical_time& y) noexcept {
    return (x.ns < y.ns) | ((x.ns == y.ns) & (x.microstep < y.microstep));
  }

  static constexpr auto is_later
    = [](auto& x, auto& y) noexcept { return x.tag > y.tag; };

  entry first_;
  std::vector<entry> others_; // a heap
};

} // namespace caf::rosia::engine
