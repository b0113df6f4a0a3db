// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// A list with inline storage for one element. Two or more elements live on the
/// heap.
template <class T>
class small_list {
public:
  using value_type = T;

  // -- properties -------------------------------------------------------------

  bool empty() const noexcept {
    return size_ == 0;
  }

  std::size_t size() const noexcept {
    return size_;
  }

  const T* data() const noexcept {
    return size_ > 1 ? several_->data() : &one_;
  }

  const T* begin() const noexcept {
    return data();
  }

  const T* end() const noexcept {
    return data() + size_;
  }

  /// @pre There is such an element.
  const T& operator[](std::size_t index) const noexcept {
    return data()[index];
  }

  /// Returns the only element.
  /// @pre `size() == 1`
  const T& only() const noexcept {
    return one_;
  }

  /// @pre `!empty()`
  const T& back() const noexcept {
    return data()[size_ - 1];
  }

  /// @throws std::out_of_range if there is no such element.
  const T& at(std::size_t index) const {
    if (index >= size_)
      throw std::out_of_range("small_list");
    return data()[index];
  }

  // -- modifiers --------------------------------------------------------------

  void push_back(T x) {
    if (size_ == 0) {
      one_ = std::move(x);
    } else {
      if (!several_)
        several_ = std::make_unique<std::vector<T>>();
      if (size_ == 1)
        several_->push_back(std::move(one_));
      several_->push_back(std::move(x));
    }
    ++size_;
  }

  /// Makes the list hold one element.
  /// @returns the element, to be assigned to.
  T& make_only() noexcept {
    if (size_ > 1)
      clear_several();
    size_ = 1;
    return one_;
  }

  /// Makes the list hold `count` elements, and calls `fill` with each, in
  /// order.
  /// @pre `count > 1`
  template <class Fun>
  void assign_several(std::size_t count, Fun&& fill) {
    if (!several_)
      several_ = std::make_unique<std::vector<T>>();
    if (size_ == 1)
      one_ = T{};
    several_->resize(count);
    size_ = static_cast<std::uint32_t>(count);
    for (auto& x : *several_)
      fill(x);
  }

  void clear() noexcept {
    if (size_ > 1)
      several_->clear();
    else
      one_ = T{};
    size_ = 0;
  }

  void assign(std::span<const T> xs) {
    clear();
    for (auto& x : xs)
      push_back(x);
  }

private:
  [[gnu::noinline]] void clear_several() noexcept {
    several_->clear();
  }

  T one_{}; // the only element, if `size_` is 1
  std::uint32_t size_ = 0;
  std::unique_ptr<std::vector<T>> several_; // keeps its capacity
};

} // namespace caf::rosia::engine
