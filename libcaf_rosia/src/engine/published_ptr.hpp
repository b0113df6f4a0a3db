// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <memory>

namespace caf::rosia::engine {

/// A pointer to an object that one thread makes on demand. Any thread may read
/// the pointer at any time; its owner destroys the object. Tests:
/// test/runtime/report_test.cpp.
template <class T>
class published_ptr {
public:
  published_ptr() = default;

  published_ptr(const published_ptr&) = delete;

  published_ptr& operator=(const published_ptr&) = delete;

  ~published_ptr() {
    reset();
  }

  /// Returns null before the first call of `make`.
  T* get() const noexcept {
    return pointer_.load(std::memory_order_acquire);
  }

  T* operator->() const noexcept {
    return get();
  }

  explicit operator bool() const noexcept {
    return get() != nullptr;
  }

  /// Returns the object.
  T& make() {
    if (!*this)
      pointer_.store(
        std::make_unique<T>().release(), std::memory_order_release);
    return *get();
  }

  /// Destroys the object. @pre No other thread reads the pointer.
  void reset() noexcept {
    delete pointer_.exchange(nullptr);
  }

private:
  std::atomic<T*> pointer_{nullptr};
};

} // namespace caf::rosia::engine
