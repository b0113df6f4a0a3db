// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#  define ROSIA_ARENA_CHECKS
#elif defined(__has_feature)
#  if __has_feature(address_sanitizer)
#    define ROSIA_ARENA_CHECKS
#  endif
#endif

#ifdef ROSIA_ARENA_CHECKS
#  include <sanitizer/asan_interface.h>
#else
#  define ASAN_POISON_MEMORY_REGION(x, size) (void)(x), (void)(size)
#  define ASAN_UNPOISON_MEMORY_REGION(x, size) (void)(x), (void)(size)
#endif

namespace engine_test {

namespace {

#ifdef ROSIA_ARENA_CHECKS
constexpr bool checks = true;
#else
constexpr bool checks = false;
#endif

/// Size of the address range; memory is committed when it is used.
constexpr std::size_t capacity = std::size_t{64} << 20;

/// Alignment of allocations, and the unit of their sizes.
constexpr std::uint32_t unit = 16;

/// Size of the header before every allocation.
constexpr std::uint32_t head = 8;

/// Number of size classes that are multiples of `unit`. Larger classes are
/// powers of two.
constexpr std::uint32_t fine_classes = 64;

constexpr std::uint32_t classes
  = fine_classes + std::bit_width(capacity / unit / fine_classes);

constexpr std::uint32_t class_of(std::size_t units) {
  if (units <= fine_classes)
    return static_cast<std::uint32_t>(units);
  return fine_classes
         + static_cast<std::uint32_t>(
           std::bit_width((units - 1) / fine_classes));
}

/// Returns the size in bytes, including the header.
constexpr std::uint32_t size_of(std::uint32_t size_class) {
  if (size_class <= fine_classes)
    return size_class * unit;
  return (fine_classes << (size_class - fine_classes)) * unit;
}

static_assert(size_of(class_of(65)) == 128 * unit);
static_assert(size_of(class_of(128)) == 128 * unit);
static_assert(size_of(class_of(129)) == 256 * unit);

struct of_thread {
  arena* existing = nullptr;
  arena* active = nullptr;
};

constinit thread_local of_thread mine;

} // namespace

// All offsets are relative to begin_.

struct arena::administration {
  std::uint32_t top = 0; // the memory beyond was never used
  std::uint32_t live = 0;
  std::uint32_t freed[classes + 1] = {}; // per size class, the first block; 0
                                         // if none
};

/// The offset of the first block.
constexpr std::uint32_t arena::first
  = (sizeof(administration) + unit - 1) / unit * unit + head;

struct arena::block {
  std::uint16_t size_class;
  bool used;
  std::uint32_t next; // the next freed block of the class; in a used block, the
                      // requested size
};

// -- constructors, destructors ------------------------------------------------

arena::arena() {
  static_assert(sizeof(block) == head);
  if (mine.existing != nullptr)
    throw std::logic_error("a thread has no more than one arena");
  auto memory = mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::bad_alloc{};
  begin_ = static_cast<std::byte*>(memory);
  state_ = new (memory) administration;
  state_->top = first;
  mine.existing = this;
  conceal(capacity);
}

arena::~arena() {
  if (state_->live != 0) {
    std::fprintf(stderr, "%u allocations outlive their arena\n", state_->live);
    std::abort();
  }
  mine = {};
  ASAN_UNPOISON_MEMORY_REGION(begin_, capacity);
  munmap(begin_, capacity);
}

arena::scope::scope(arena& x) noexcept {
  mine.active = &x;
}

arena::scope::~scope() {
  mine.active = nullptr;
}

// -- snapshots ----------------------------------------------------------------

void arena::save(snapshot& into) const {
  into.size_ = state_->top;
  if (into.bytes_.size() < into.size_)
    into.bytes_.resize(into.size_);
  reveal(into.size_);
  std::memcpy(into.bytes_.data(), begin_, into.size_);
  conceal(into.size_);
}

void arena::restore(const snapshot& from) {
  auto end = std::max<std::size_t>(state_->top, from.size_);
  reveal(end);
  std::memcpy(begin_, from.bytes_.data(), from.size_);
  conceal(end);
}

std::size_t arena::live() const noexcept {
  return state_->live;
}

// -- memory -------------------------------------------------------------------

arena* arena::active() noexcept {
  return mine.active;
}

arena* arena::of(const void* x) noexcept {
  auto result = mine.existing;
  auto is_in
    = result != nullptr
      && reinterpret_cast<std::uintptr_t>(x)
             - reinterpret_cast<std::uintptr_t>(result->begin_)
           < capacity;
  return is_in ? result : nullptr;
}

arena::block& arena::block_at(std::uint32_t offset) const noexcept {
  return *reinterpret_cast<block*>(begin_ + offset);
}

void* arena::allocate(std::size_t size, std::size_t alignment) {
  if (size >= capacity || alignment > fine_classes * unit)
    throw std::bad_alloc{};
  // Allocations with a greater alignment always use new memory. Only the first
  // allocations of an application have one.
  auto size_class = class_of((size + head + checks * unit + unit - 1) / unit);
  auto offset = state_->freed[size_class];
  if (offset != 0 && alignment <= unit) {
    state_->freed[size_class] = block_at(offset).next;
  } else {
    if (auto past = (state_->top + head) % alignment; past != 0) {
      offset = state_->top;
      append(class_of((alignment - past) / unit));
      forget(offset);
    }
    offset = state_->top;
    append(size_class);
  }
  auto& x = block_at(offset);
  x.used = true;
  x.next = static_cast<std::uint32_t>(size);
  ++state_->live;
  auto result = begin_ + offset + head;
  ASAN_UNPOISON_MEMORY_REGION(result, size);
  return result;
}

void arena::deallocate(void* x) noexcept {
  auto offset
    = static_cast<std::uint32_t>(static_cast<std::byte*>(x) - begin_) - head;
  if (!block_at(offset).used) {
    std::fprintf(stderr, "memory of an arena is freed twice\n");
    std::abort();
  }
  --state_->live;
  forget(offset);
}

/// Creates a block at the top.
void arena::append(std::uint32_t size_class) const {
  if (size_of(size_class) > capacity - state_->top - head)
    throw std::bad_alloc{};
  auto& x = block_at(state_->top);
  ASAN_UNPOISON_MEMORY_REGION(&x, head);
  x.size_class = static_cast<std::uint16_t>(size_class);
  state_->top += size_of(size_class);
}

/// Marks a block as free.
void arena::forget(std::uint32_t offset) noexcept {
  auto& x = block_at(offset);
  x.used = false;
  if (checks)
    ASAN_POISON_MEMORY_REGION(&x + 1, size_of(x.size_class) - head);
  else
    x.next = std::exchange(state_->freed[x.size_class], offset);
}

// -- AddressSanitizer ---------------------------------------------------------

/// Permits access to all memory, for copying.
void arena::reveal(std::size_t end) const noexcept {
  ASAN_UNPOISON_MEMORY_REGION(begin_, end);
}

/// Forbids access to all memory except for allocations. @pre Access is
/// forbidden from `end` on.
void arena::conceal(std::size_t end) const noexcept {
  if (!checks)
    return;
  auto offset = first;
  while (offset < state_->top) {
    auto& x = block_at(offset);
    auto in_use = head + (x.used ? x.next : 0);
    ASAN_POISON_MEMORY_REGION(
      begin_ + offset + in_use, size_of(x.size_class) - in_use);
    offset += size_of(x.size_class);
  }
  ASAN_POISON_MEMORY_REGION(begin_ + offset, end - offset);
}

} // namespace engine_test
