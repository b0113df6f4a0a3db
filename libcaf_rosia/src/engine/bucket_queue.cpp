// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/bucket_queue.hpp"

#include <array>
#include <utility>

namespace caf::rosia::engine {

namespace {

/// The number of entries that are sorted without buckets.
constexpr std::size_t few = 16;

constexpr auto ns_of = [](auto& x) noexcept { return x.tag.ns; };

} // namespace

void bucket_queue::clear() {
  close_buckets();
  sorted_.clear();
  due_.clear();
  beyond_.clear();
  size_ = 0;
}

void bucket_queue::move_to(std::vector<entry>& to) {
  close_buckets();
  for (auto* from : {&sorted_, &due_, &beyond_})
    to.insert(to.end(), from->begin(), from->end());
  clear();
}

void bucket_queue::close_buckets() {
  while (take_bucket()) {
    // Their entries are in `sorted_`.
  }
  begin_ = never.ns;
  buckets_ = next_ = 0;
}

void bucket_queue::push_due(const entry& x) {
  due_.push_back(x);
  std::push_heap(due_.begin(), due_.end(), is_later);
}

bucket_queue::entry bucket_queue::take_due() {
  auto result = due_.front();
  std::pop_heap(due_.begin(), due_.end(), is_later);
  due_.pop_back();
  return result;
}

void bucket_queue::open_bucket() {
  if (!take_bucket()) {
    if (beyond_.size() < few) {
      take_beyond();
    } else {
      divide_beyond();
      take_bucket();
    }
  }
  if (sorted_.size() > 1
      && !std::is_sorted(sorted_.begin(), sorted_.end(), is_later))
    std::sort(sorted_.begin(), sorted_.end(), is_later);
}

void bucket_queue::take_beyond() noexcept {
  sorted_.swap(beyond_);
  begin_ = std::ranges::max(sorted_, {}, ns_of).tag.ns;
  shift_ = 0;
  buckets_ = next_ = 1;
}

bool bucket_queue::take_bucket() {
  auto bucket = find_used(next_);
  next_ = std::min(bucket + 1, buckets_);
  if (bucket == buckets_)
    return false;
  used_[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
  for (auto i = std::exchange(first_[bucket], no_slot); i != no_slot;) {
    auto& x = slots_[i];
    sorted_.push_back(x.content);
    auto next = std::exchange(x.next, free_);
    free_ = std::exchange(i, next);
  }
  return true;
}

std::uint64_t bucket_queue::find_used(std::uint64_t from) const noexcept {
  if (from >= buckets_)
    return buckets_;
  auto word = from / 64;
  auto bits = used_[word] & (~std::uint64_t{0} << from % 64);
  while (bits == 0) {
    if (++word * 64 >= buckets_)
      return buckets_;
    bits = used_[word];
  }
  return word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
}

void bucket_queue::divide_beyond() {
  begin_ = std::ranges::min(beyond_, {}, ns_of).tag.ns;
  next_ = 0;
  auto count = beyond_.size();
  buckets_ = 2 * std::bit_ceil(count);
  // Some entries may be far from the rest, so the greatest distance would be of
  // no use.
  std::array<std::uint64_t, 8> sample;
  for (std::size_t i = 0; i < sample.size(); ++i)
    sample[i] = distance(beyond_[count * i / sample.size()].tag.ns);
  auto* most = sample.data() + 6;
  std::ranges::nth_element(sample, most);
  shift_ = std::min(
    static_cast<std::uint32_t>(std::bit_width(*most / buckets_)), 63u);
  slots_.reserve(count);
  first_.resize(std::max<std::size_t>(first_.size(), buckets_), no_slot);
  used_.resize(std::max<std::size_t>(used_.size(), (buckets_ + 63) / 64));
  std::erase_if(beyond_, [this](auto& x) {
    auto bucket = distance(x.tag.ns) >> shift_;
    if (bucket >= buckets_)
      return false;
    push_into(bucket, x);
    return true;
  });
}

} // namespace caf::rosia::engine
