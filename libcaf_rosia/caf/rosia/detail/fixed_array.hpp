// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace caf::rosia::detail {

/// Adjacent elements that are added one by one, and can be neither moved nor
/// removed. Tests: test/nodes/fixed_array_test.cpp.
template <class T>
class fixed_array {
public:
  explicit fixed_array(std::size_t capacity)
    : capacity_(capacity), elements_(std::allocator<T>{}.allocate(capacity)) {
    // nop
  }

  fixed_array(const fixed_array&) = delete;

  fixed_array& operator=(const fixed_array&) = delete;

  ~fixed_array() {
    while (size_ > 0)
      std::destroy_at(elements_ + --size_);
    std::allocator<T>{}.deallocate(elements_, capacity_);
  }

  /// Adds an element. @pre There are fewer than the capacity.
  template <class... Ts>
  T& emplace_back(Ts&&... xs) {
    auto* result
      = std::construct_at(elements_ + size_, std::forward<Ts>(xs)...);
    ++size_;
    return *result;
  }

  T& operator[](std::size_t index) noexcept {
    return elements_[index];
  }

  const T& operator[](std::size_t index) const noexcept {
    return elements_[index];
  }

  T* begin() noexcept {
    return elements_;
  }

  const T* begin() const noexcept {
    return elements_;
  }

  T* end() noexcept {
    return elements_ + size_;
  }

  const T* end() const noexcept {
    return elements_ + size_;
  }

private:
  std::size_t size_ = 0;
  std::size_t capacity_;
  T* elements_;
};

} // namespace caf::rosia::detail
