// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/value_log.hpp"

#include <algorithm>
#include <new>

namespace caf::rosia::detail {

namespace {

/// Bounds of a block's capacity. A new block has room for as many values as are
/// waiting, so that ports with little traffic need little memory.
constexpr std::uint64_t least_capacity = 16;
constexpr std::uint64_t most_capacity = 1600;

/// A block with a larger payload counts as full, so that its memory is freed
/// soon.
constexpr std::size_t most_payload = std::size_t{64} << 10;

} // namespace

value_log::~value_log() {
  batch{*this}; // drops the remaining values
  if (first_ != nullptr)
    leave(first_);
}

bool value_log::make_room() noexcept {
  auto size = small_ ? 0 : payload_size_.load(std::memory_order_relaxed);
  if (memory_->used.load(std::memory_order_relaxed) > memory_->limit)
    return false;
  if (next_ == end_ || last_->payload > most_payload)
    if (!grow())
      return false;
  if (size > 0) {
    memory_->used.fetch_add(size, std::memory_order_relaxed);
    last_->payload += size;
  }
  return true;
}

bool value_log::grow() noexcept {
  auto waiting = added_.load(std::memory_order_relaxed)
                 - taken_.load(std::memory_order_relaxed);
  auto capacity = static_cast<std::uint32_t>(
    std::clamp(waiting, least_capacity, most_capacity));
  auto bytes = sizeof(block) + capacity * sizeof(entry);
  auto* memory = ::operator new(bytes, std::nothrow);
  if (memory == nullptr)
    return false;
  auto* x = ::new (memory) block{capacity};
  x->bytes = bytes;
  memory_->used.fetch_add(bytes, std::memory_order_relaxed);
  if (last_ == nullptr) {
    first_ = x;
  } else {
    last_->capacity.store(static_cast<std::uint32_t>(next_ - last_->entries()),
                          std::memory_order_relaxed);
    last_->next = x;
  }
  last_ = x;
  next_ = x->entries();
  end_ = next_ + capacity;
  return true;
}

void value_log::leave(block* x) noexcept {
  memory_->used.fetch_sub(x->bytes + x->payload, std::memory_order_relaxed);
  x->~block();
  ::operator delete(x);
}

value_log::entry value_log::take() noexcept {
  auto* from = first_;
  // There is an entry. If it is not in this block, the next block exists.
  if (position_ == from->capacity.load(std::memory_order_relaxed)) {
    auto* next = from->next;
    leave(from);
    first_ = next;
    from = next;
    position_ = 0;
  }
  auto* x = from->entries() + position_++;
  entry result{std::move(*x)};
  x->~entry();
  taken_.store(
    taken_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return result;
}

} // namespace caf::rosia::detail
