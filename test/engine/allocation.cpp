// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Replaces the allocation functions of this program, so that an arena can
// allocate. Replaces all of them, because the sanitizers define the rest.

#include "arena.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

using engine_test::arena;

namespace {

void* allocate(std::size_t size) {
  if (auto from = arena::active())
    return from->allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  if (auto result = std::malloc(std::max<std::size_t>(size, 1)))
    return result;
  throw std::bad_alloc{};
}

void* allocate(std::size_t size, std::align_val_t alignment) {
  auto unit = static_cast<std::size_t>(alignment);
  if (auto from = arena::active())
    return from->allocate(size, unit);
  auto units = std::max<std::size_t>(size, 1) / unit + (size % unit != 0);
  if (auto result = std::aligned_alloc(unit, units * unit))
    return result;
  throw std::bad_alloc{};
}

template <class... Ts>
void* try_to_allocate(Ts... xs) noexcept {
  try {
    return allocate(xs...);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void deallocate(void* x) noexcept {
  if (auto from = arena::of(x))
    from->deallocate(x);
  else
    std::free(x);
}

} // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}

void* operator new[](std::size_t size) {
  return allocate(size);
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, alignment);
}

void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, alignment);
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return try_to_allocate(size);
}

void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return try_to_allocate(size);
}

void* operator new(std::size_t size, std::align_val_t alignment,
                   const std::nothrow_t&) noexcept {
  return try_to_allocate(size, alignment);
}

void* operator new[](std::size_t size, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
  return try_to_allocate(size, alignment);
}

void operator delete(void* x) noexcept {
  deallocate(x);
}

void operator delete[](void* x) noexcept {
  deallocate(x);
}

void operator delete(void* x, std::size_t) noexcept {
  deallocate(x);
}

void operator delete[](void* x, std::size_t) noexcept {
  deallocate(x);
}

void operator delete(void* x, std::align_val_t) noexcept {
  deallocate(x);
}

void operator delete[](void* x, std::align_val_t) noexcept {
  deallocate(x);
}

void operator delete(void* x, std::size_t, std::align_val_t) noexcept {
  deallocate(x);
}

void operator delete[](void* x, std::size_t, std::align_val_t) noexcept {
  deallocate(x);
}

void operator delete(void* x, const std::nothrow_t&) noexcept {
  deallocate(x);
}

void operator delete[](void* x, const std::nothrow_t&) noexcept {
  deallocate(x);
}

void operator delete(void* x, std::align_val_t,
                     const std::nothrow_t&) noexcept {
  deallocate(x);
}

void operator delete[](void* x, std::align_val_t,
                       const std::nothrow_t&) noexcept {
  deallocate(x);
}
