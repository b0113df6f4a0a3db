// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "nodes/inbox.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// Many more than processors, so that two inboxes that are in use rarely share
/// a mutex.
constexpr std::size_t mutexes = 256;

/// Each mutex has a separate cache line.
struct alignas(64) shared_mutex {
  std::mutex mutex;
};

/// Merges a message into the previous one if both belong to one connection and
/// need only one place: promises never decrease, so the last one is sufficient,
/// and `no_more` can be a flag of the last message.
/// @returns whether it did.
bool merge(engine::envelope& last, engine::envelope& next) {
  using engine::envelope_kind;
  auto is_promise = last.kind == envelope_kind::promise;
  if (last.connection != next.connection
      || (!is_promise && last.kind != envelope_kind::data))
    return false;
  switch (next.kind) {
    case envelope_kind::promise:
      last.promise = std::max(last.promise, next.promise);
      return true;
    case envelope_kind::no_more:
      last.last = true;
      return true;
    case envelope_kind::data:
      if (!is_promise)
        return false;
      next.promise = std::max(last.promise, next.promise);
      last = std::move(next);
      return true;
    default:
      return false;
  }
}

/// Counts the values of logical connections.
std::size_t count_data(const std::vector<engine::envelope>& batch) {
  return static_cast<std::size_t>(std::ranges::count(
    batch, engine::envelope_kind::data,
    [](const engine::envelope& x) { return x.kind; }));
}

} // namespace

std::mutex& inbox::mutex() noexcept {
  static constinit std::array<shared_mutex, mutexes> all;
  // The upper half of the product depends on all bits of the address.
  auto product
    = reinterpret_cast<std::uintptr_t>(this) * 0x9e37'79b9'7f4a'7c15u;
  return all[(product >> 32) % mutexes].mutex;
}

std::size_t inbox::push(std::vector<engine::envelope>& batch) {
  std::size_t dropped = 0;
  {
    std::lock_guard guard{mutex()};
    if (closed_) {
      dropped = count_data(batch);
    } else {
      if (items_.empty())
        items_.swap(batch);
      else
        append(batch);
      size_.store(
        static_cast<std::uint32_t>(items_.size()), std::memory_order_release);
    }
  }
  batch.clear();
  return dropped;
}

void inbox::append(std::vector<engine::envelope>& batch) {
  auto first = batch.begin();
  if (first != batch.end() && merge(items_.back(), *first))
    ++first;
  items_.insert(items_.end(), std::make_move_iterator(first),
                std::make_move_iterator(batch.end()));
}

bool inbox::offer(engine::envelope&& x, std::atomic<std::uint32_t>& waiting) {
  std::lock_guard guard{mutex()};
  if (refusing_ || closed_
      || waiting.load(std::memory_order_relaxed) >= limit_) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  waiting.fetch_add(1, std::memory_order_relaxed);
  items_.push_back(std::move(x));
  size_.store(
    static_cast<std::uint32_t>(items_.size()), std::memory_order_release);
  // Under the lock, because the waker may be destroyed after `close`.
  if (waker_ != nullptr)
    waker_->signal();
  return true;
}

void inbox::attach(waker* runner, std::uint32_t limit) {
  std::lock_guard guard{mutex()};
  waker_ = runner;
  limit_ = limit;
}

void inbox::drain(std::vector<engine::envelope>& into) {
  std::lock_guard guard{mutex()};
  // Keep the capacity for one message: `push` swaps it with the sender's batch,
  // which uses it for its next message.
  if (items_.capacity() > 1) {
    items_.swap(into);
  } else if (!items_.empty()) {
    into.push_back(std::move(items_.back()));
    items_.clear();
  }
  size_.store(0, std::memory_order_release);
}

void inbox::refuse() {
  std::lock_guard guard{mutex()};
  refusing_ = true;
}

std::size_t inbox::close() {
  std::vector<engine::envelope> dropped;
  {
    std::lock_guard guard{mutex()};
    closed_ = true;
    waker_ = nullptr;
    items_.swap(dropped);
    size_.store(0, std::memory_order_release);
  }
  return count_data(dropped);
}

} // namespace caf::rosia::detail
