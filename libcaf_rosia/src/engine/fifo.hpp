// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace caf::rosia::engine {

/// The capacity that empty queues of a connection keep.
inline constexpr std::size_t kept_capacity = 4;

/// A first-in first-out queue in one ring buffer. It is allocated with the
/// first element, and shrinks only on demand. Small while empty, because a
/// graph has one for each connection. Tests: test/engine/containers_test.cpp.
template <class T>
class fifo {
public:
  // -- properties -------------------------------------------------------------

  bool empty() const noexcept {
    return size_ == 0;
  }

  std::size_t size() const noexcept {
    return size_;
  }

  /// Returns whether the next `push` must allocate.
  bool full() const noexcept {
    return size_ == capacity_;
  }

  /// Returns the oldest element.
  /// @pre `!empty()`
  T& front() noexcept {
    return (*this)[0];
  }

  /// Returns the newest element.
  /// @pre `!empty()`
  T& back() noexcept {
    return (*this)[size_ - 1];
  }

  /// Returns an element, counted from the oldest.
  /// @pre `index < size()`
  T& operator[](std::size_t index) noexcept {
    return ring_[(head_ + index) & (capacity_ - 1)];
  }

  const T& operator[](std::size_t index) const noexcept {
    return ring_[(head_ + index) & (capacity_ - 1)];
  }

  // -- modifiers --------------------------------------------------------------

  void push(T x) {
    if (full())
      grow();
    ++size_;
    back() = std::move(x);
  }

  /// @pre `!empty()`
  T pop() {
    auto result = std::move(front());
    front() = T{};
    head_ = (head_ + 1) & (capacity_ - 1);
    --size_;
    return result;
  }

  /// Inserts an element before the one at `index`, or at the end.
  /// @pre `index <= size()`
  void insert(std::size_t index, T x) {
    push(std::move(x));
    for (auto i = size() - 1; i > index; --i)
      std::swap((*this)[i], (*this)[i - 1]);
  }

  /// Removes an element.
  /// @pre `index < size()`
  T remove(std::size_t index) {
    auto result = std::move((*this)[index]);
    for (auto i = index + 1; i < size(); ++i)
      (*this)[i - 1] = std::move((*this)[i]);
    back() = T{};
    --size_;
    return result;
  }

  /// Drops the elements and frees their memory.
  void clear() noexcept {
    ring_.reset();
    head_ = size_ = capacity_ = 0;
  }

  /// Frees the memory if it has room for more than `capacity` elements.
  /// @pre `empty()`
  void release_above(std::size_t capacity) noexcept {
    if (capacity_ > capacity)
      clear();
  }

private:
  void grow() {
    auto capacity = capacity_ == 0 ? 1 : capacity_ * 2;
    auto ring = std::make_unique<T[]>(capacity);
    for (std::uint32_t i = 0; i < size_; ++i)
      ring[i] = std::move((*this)[i]);
    ring_ = std::move(ring);
    capacity_ = capacity;
    head_ = 0;
  }

  std::unique_ptr<T[]> ring_;
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

} // namespace caf::rosia::engine
