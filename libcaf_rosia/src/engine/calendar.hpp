// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// The members with pending events, ordered by tag. The earliest entry is
/// stored separately, because there is usually only one.
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
    std::pop_heap(others_.begin(), others_.end(), is_later);
    first_ = others_.back();
    others_.pop_back();
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

  static constexpr auto is_later
    = [](auto& x, auto& y) noexcept { return x.tag > y.tag; };

  entry first_;
  std::vector<entry> others_; // a heap
};

} // namespace caf::rosia::engine
