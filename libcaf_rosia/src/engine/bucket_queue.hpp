// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace caf::rosia::engine {

/// An entry of a calendar: a seat, and the tag at which it has something to do.
struct calendar_entry {
  [[no_unique_address]] logical_time tag
    = forever; // the next member uses its padding
  std::uint32_t seat = 0;
};

/// Compares without a branch, which no processor could predict.
[[gnu::always_inline]] inline bool is_earlier(
  const logical_time& x, const logical_time& y) noexcept {
  return (x.ns < y.ns) | ((x.ns == y.ns) & (x.microstep < y.microstep));
}

/// A priority queue of entries. An entry that is due much later is only put
/// into a bucket: a span of time. The entries of a bucket are sorted when their
/// time has come. If the entries are spread over time, few are in one bucket,
/// and adding and taking one takes constant time on average. Otherwise it takes
/// as long as in a heap. (A calendar queue: Brown, CACM 31(10), 1988.) Tests:
/// test/engine/calendar_test.cpp.
class bucket_queue {
public:
  using entry = calendar_entry;

  // -- properties -------------------------------------------------------------

  bool empty() const noexcept {
    return size_ == 0;
  }

  // -- modifiers --------------------------------------------------------------

  void push(const entry& x) {
    ++size_;
    auto bucket = distance(x.tag.ns) >> shift_;
    if (x.tag.ns < begin_ || bucket < next_)
      push_due(x);
    else if (bucket < buckets_)
      push_into(bucket, x);
    else
      beyond_.push_back(x);
  }

  /// Removes and returns the earliest entry.
  /// @pre `!empty()`
  entry take_first() {
    --size_;
    if (due_.empty() && sorted_.empty())
      open_bucket();
    if (due_.empty()
        || (!sorted_.empty()
            && is_earlier(sorted_.back().tag, due_.front().tag))) {
      auto result = sorted_.back();
      sorted_.pop_back();
      return result;
    }
    return take_due();
  }

  void clear();

  /// Removes all entries, and adds them to `to`, in no order.
  void move_to(std::vector<entry>& to);

private:
  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};

  /// An entry of a bucket.
  struct slot {
    entry content;
    std::uint32_t next = no_slot; // of the bucket, or of the free ones
  };

  /// Returns the distance of an instant from the first bucket's begin. @pre The
  /// instant is not before it.
  std::uint64_t distance(std::int64_t ns) const noexcept {
    return static_cast<std::uint64_t>(ns) - static_cast<std::uint64_t>(begin_);
  }

  void push_into(std::uint64_t bucket, const entry& x) {
    auto index = free_;
    if (index == no_slot) {
      index = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      free_ = slots_[index].next;
    }
    slots_[index] = {x, first_[bucket]};
    first_[bucket] = index;
    used_[bucket / 64] |= std::uint64_t{1} << bucket % 64;
  }

  void push_due(const entry& x);

  entry take_due();

  /// Sorts the entries of the next bucket that has some.
  /// @pre Nothing is due, and the queue is not empty.
  void open_bucket();

  /// Moves the next bucket's entries to `sorted_`, in no order.
  /// @returns false if there is none.
  bool take_bucket();

  /// Returns the next bucket with entries from `from` on; `buckets_` if there
  /// is none.
  std::uint64_t find_used(std::uint64_t from) const noexcept;

  /// Empties all buckets. @pre The caller discards or takes all entries.
  void close_buckets();

  /// Moves all entries beyond the buckets to `sorted_`, in no order.
  void take_beyond() noexcept;

  /// Divides the time of the entries beyond the buckets into new buckets.
  /// @pre All buckets are empty.
  void divide_beyond();

  static constexpr auto is_later
    = [](auto& x, auto& y) noexcept { return is_earlier(y.tag, x.tag); };

  std::vector<entry> sorted_; // of the bucket that was opened last, descending
  std::vector<entry> due_;    // added since, before the next bucket: a heap
  std::vector<entry> beyond_; // after the last bucket
  std::vector<slot> slots_;
  std::vector<std::uint32_t> first_; // slot, by bucket
  std::vector<std::uint64_t> used_;  // bits of the buckets that have entries
  std::size_t size_ = 0;
  std::int64_t begin_ = never.ns; // of the first bucket
  std::uint64_t buckets_ = 0;
  std::uint64_t next_ = 0;       // bucket to open
  std::uint32_t shift_ = 0;      // a bucket is 2^shift_ nanoseconds
  std::uint32_t free_ = no_slot; // the first of a list
};

} // namespace caf::rosia::engine
