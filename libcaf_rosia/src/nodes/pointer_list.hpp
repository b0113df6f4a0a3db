// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace caf::rosia::detail {

/// A small list of pointers with inline storage for one element, which is the
/// usual number. Each node has several such lists.
template <class T>
class pointer_list {
public:
  using value_type = T*;

  pointer_list() noexcept : one_(nullptr) {
    // nop
  }

  pointer_list(const pointer_list&) = delete;

  pointer_list& operator=(const pointer_list&) = delete;

  ~pointer_list() {
    if (capacity_ > 1)
      delete[] several_;
  }

  bool empty() const noexcept {
    return size_ == 0;
  }

  std::size_t size() const noexcept {
    return size_;
  }

  T* const* begin() const noexcept {
    return capacity_ > 1 ? several_ : &one_;
  }

  T* const* end() const noexcept {
    return begin() + size_;
  }

  /// @pre There is such an element.
  T* operator[](std::size_t index) const noexcept {
    return begin()[index];
  }

  void push_back(T* x) {
    if (size_ == capacity_)
      grow();
    (capacity_ > 1 ? several_ : &one_)[size_++] = x;
  }

private:
  void grow() {
    auto all = std::make_unique<T*[]>(2 * std::size_t{capacity_});
    std::copy(begin(), end(), all.get());
    if (capacity_ > 1)
      delete[] several_;
    several_ = all.release();
    capacity_ *= 2;
  }

  union {
    T* one_;
    T** several_; // if there was ever more than one element
  };
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 1;
};

} // namespace caf::rosia::detail
