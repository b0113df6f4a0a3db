// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// The members with pending events, ordered by tag. The earliest entries are
/// stored separately, in order, so that the memory that they need can be read
/// in advance. Usually there are no more. Tests: test/engine/calendar_test.cpp.
class calendar {
public:
  struct entry {
    [[no_unique_address]] logical_time tag
      = forever; // the next member uses its padding
    std::uint32_t seat = 0;
  };

  // -- properties -------------------------------------------------------------

  bool empty() const noexcept {
    return count_ == 0;
  }

  /// Returns the earliest entry.
  /// @pre `!empty()`
  const entry& front() const noexcept {
    return earliest_[first_];
  }

  /// The number of entries whose order is known.
  static constexpr std::uint32_t most_upcoming = 8;

  /// Returns the number of entries whose order is known.
  std::uint32_t upcoming() const noexcept {
    return count_;
  }

  /// Returns one of them.
  /// @pre `index < upcoming()`
  const entry& upcoming(std::uint32_t index) const noexcept {
    return earliest_[(first_ + index) % most_upcoming];
  }

  // -- modifiers --------------------------------------------------------------

  /// @pre `tag != forever`
  void push(logical_time tag, std::uint32_t seat) {
    if (empty()) {
      earliest_[first_] = {tag, seat};
      count_ = 1;
    } else {
      push_besides({tag, seat});
    }
  }

  /// Removes the earliest entry.
  /// @pre `!empty()`
  void pop() noexcept {
    first_ = (first_ + 1) % most_upcoming;
    --count_;
    if (!rest_.empty())
      take_from_rest();
  }

  void clear() noexcept {
    count_ = 0;
    rest_.clear();
  }

  /// Removes all entries. @returns them, ordered by tag.
  std::vector<entry> take_all() {
    std::vector<entry> result;
    for (std::uint32_t i = 0; i < count_; ++i)
      result.push_back(upcoming(i));
    std::ranges::sort(rest_, {}, &entry::tag);
    result.insert(result.end(), rest_.begin(), rest_.end());
    clear();
    return result;
  }

private:
  void push_besides(const entry& x) {
    auto end = count_;
    if (end == most_upcoming && is_earlier(x.tag, at(end - 1).tag))
      push_rest(at(--end));
    else if (end == most_upcoming)
      return push_rest(x);
    for (; end > 0 && is_earlier(x.tag, at(end - 1).tag); --end)
      at(end) = at(end - 1);
    at(end) = x;
    count_ = std::min(count_ + 1, most_upcoming);
  }

  void push_rest(const entry& x) {
    rest_.push_back(x);
    std::push_heap(rest_.begin(), rest_.end(), is_later);
  }

  void take_from_rest() noexcept {
    at(count_++) = rest_.front();
    auto last = rest_.back();
    rest_.pop_back();
    if (!rest_.empty())
      replace_front(last);
  }

  entry& at(std::uint32_t index) noexcept {
    return earliest_[(first_ + index) % most_upcoming];
  }

  /// Puts an entry in the place of the first one of the heap, and in order. The
  /// standard library's function has a branch for each pair of children, which
  /// no processor predicts.
  void replace_front(const entry& x) noexcept {
    auto size = rest_.size();
    auto* heap = rest_.data();
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = 2 * at + 1) {
      // The children of both are adjacent.
      __builtin_prefetch(heap + std::min(2 * child + 1, size - 1));
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

  std::array<entry, most_upcoming> earliest_; // a ring
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0; // in the ring, which is full if `rest_` has entries
  std::vector<entry> rest_; // a heap
};

} // namespace caf::rosia::engine
