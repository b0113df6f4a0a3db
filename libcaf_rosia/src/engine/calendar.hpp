// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/bucket_queue.hpp"

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
  using entry = calendar_entry;

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
  void pop() {
    first_ = (first_ + 1) % most_upcoming;
    --count_;
    if (!rest_.empty())
      at(count_++) = rest_.take_first();
  }

  void clear() {
    count_ = 0;
    rest_.clear();
  }

  /// Removes all entries. @returns them, ordered by tag.
  std::vector<entry> take_all() {
    std::vector<entry> result;
    for (std::uint32_t i = 0; i < count_; ++i)
      result.push_back(upcoming(i));
    rest_.move_to(result);
    std::ranges::sort(result, {}, &entry::tag);
    count_ = 0;
    return result;
  }

private:
  void push_besides(const entry& x) {
    auto end = count_;
    if (end == most_upcoming && is_earlier(x.tag, at(end - 1).tag))
      rest_.push(at(--end));
    else if (end == most_upcoming)
      return rest_.push(x);
    for (; end > 0 && is_earlier(x.tag, at(end - 1).tag); --end)
      at(end) = at(end - 1);
    at(end) = x;
    count_ = std::min(count_ + 1, most_upcoming);
  }

  entry& at(std::uint32_t index) noexcept {
    return earliest_[(first_ + index) % most_upcoming];
  }

  std::array<entry, most_upcoming> earliest_; // a ring
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0; // in the ring, which is full if `rest_` has entries
  bucket_queue rest_;
};

} // namespace caf::rosia::engine
