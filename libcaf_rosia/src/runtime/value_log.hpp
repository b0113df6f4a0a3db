// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace caf::rosia::detail {

/// The memory that several logs share.
struct log_memory {
  /// Maximum number of bytes.
  std::size_t limit = std::size_t{256} << 20;

  std::atomic<std::size_t> used = 0;
};

/// The values that passed one port, on their way to the thread that writes
/// them. One thread adds, one thread takes. Neither waits for the other, or
/// takes a lock. Tests: test/runtime/value_log_test.cpp.
class value_log {
public:
  // -- member types -----------------------------------------------------------

  struct entry {
    logical_time tag;
    engine::value content;
  };

  /// The values added before its construction. Its destructor drops the values
  /// that were not taken.
  class batch {
  public:
    explicit batch(value_log& from) noexcept
      : from_(&from),
        size_(from.added_.load(std::memory_order_acquire)
              - from.taken_.load(std::memory_order_relaxed)) {
      // nop
    }

    batch(batch&& other) noexcept
      : from_(other.from_), size_(std::exchange(other.size_, 0)) {
      // nop
    }

    batch& operator=(batch&&) = delete;

    ~batch() {
      while (size_ > 0)
        next();
    }

    value_log& from() const noexcept {
      return *from_;
    }

    std::uint64_t size() const noexcept {
      return size_;
    }

    /// Takes the oldest value. @pre `size() > 0`
    entry next() noexcept {
      --size_;
      return from_->take();
    }

  private:
    value_log* from_;
    std::uint64_t size_;
  };

  // -- constructors, destructors ----------------------------------------------

  /// @param small the values need no memory in addition to their entries.
  /// @param memory must outlive this object.
  value_log(bool small, log_memory& memory) noexcept
    : small_(small), memory_(&memory) {
    // nop
  }

  value_log(const value_log&) = delete;

  value_log& operator=(const value_log&) = delete;

  ~value_log();

  // -- by the thread that adds ------------------------------------------------

  /// Adds a value. @returns false if there is no memory for it.
  bool add(logical_time tag, const engine::value& x) {
    if ((next_ == end_ || !small_) && !make_room())
      return false;
    ::new (static_cast<void*>(next_++)) entry{tag, x};
    // No other thread changes it.
    auto added = added_.load(std::memory_order_relaxed);
    added_.store(added + 1, std::memory_order_release);
    return true;
  }

  // -- by the thread that takes -----------------------------------------------

  /// Sets the approximate number of bytes that a value needs in addition to its
  /// entry.
  void payload_size(std::size_t bytes) noexcept {
    payload_size_.store(bytes, std::memory_order_relaxed);
  }

private:
  /// A number of entries, allocated at once.
  struct block {
    explicit block(std::uint32_t n) noexcept : capacity(n) {
      // nop
    }

    entry* entries() noexcept {
      return reinterpret_cast<entry*>(this + 1);
    }

    // Written by the thread that adds, until it adds to the next block.
    std::atomic<std::uint32_t> capacity; // lowered for large payloads
    std::size_t payload = 0;             // bytes that it was charged for
    std::size_t bytes = 0;               // without payload
    block* next = nullptr;
  };

  /// Ensures that there is memory for a value. @returns false if there is none.
  bool make_room() noexcept;

  /// Appends a block.
  bool grow() noexcept;

  /// Frees a block.
  void leave(block* x) noexcept;

  entry take() noexcept;

  // Written by the thread that adds.
  entry* next_ = nullptr;
  entry* end_ = nullptr;
  block* last_ = nullptr;
  bool small_;
  log_memory* memory_;
  std::atomic<std::uint64_t> added_ = 0;

  // Written by the thread that takes.
  alignas(64) std::atomic<std::uint64_t> taken_ = 0;
  std::atomic<std::size_t> payload_size_ = 0;
  block* first_ = nullptr;     // first written by the thread that adds
  std::uint32_t position_ = 0; // in the first block
};

} // namespace caf::rosia::detail
