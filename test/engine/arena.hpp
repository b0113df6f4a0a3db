// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace engine_test {

/// Memory that can be restored to an earlier state, with all allocations at the
/// same addresses. So an object that cannot be copied can still be reset, if
/// nothing outside of the arena refers to the parts that change.
///
/// A thread has at most one arena, and only that thread uses its memory. Under
/// AddressSanitizer, freed memory is not reused, and accesses to it or beyond
/// an allocation are detected.
class arena {
public:
  /// The content of an arena. Can be reused for several states, because it
  /// keeps its memory.
  class snapshot {
  public:
    /// Returns the size in bytes; 0 if nothing was saved.
    std::size_t size() const noexcept {
      return size_;
    }

  private:
    friend class arena;

    std::vector<std::byte> bytes_;
    std::size_t size_ = 0;
  };

  /// While this object exists, allocations of its thread use the arena. A
  /// deallocation always returns memory to its origin.
  class scope {
  public:
    explicit scope(arena& x) noexcept;

    scope(const scope&) = delete;

    scope& operator=(const scope&) = delete;

    ~scope();
  };

  /// @throws std::bad_alloc
  /// @throws std::logic_error if the thread already has one.
  arena();

  arena(const arena&) = delete;

  arena& operator=(const arena&) = delete;

  /// Terminates the program if memory of the arena is still in use.
  ~arena();

  void save(snapshot& into) const;

  /// @param from a snapshot of this arena.
  void restore(const snapshot& from);

  /// Returns the number of allocations that were not freed.
  std::size_t live() const noexcept;

  // -- for operator new and delete --------------------------------------------

  /// Returns the arena from which the calling thread allocates; null if none.
  static arena* active() noexcept;

  /// Returns the calling thread's arena if it contains `x`; otherwise null.
  static arena* of(const void* x) noexcept;

  /// @throws std::bad_alloc
  void* allocate(std::size_t size, std::size_t alignment);

  void deallocate(void* x) noexcept;

private:
  struct administration;

  struct block;

  static const std::uint32_t first;

  block& block_at(std::uint32_t offset) const noexcept;

  void append(std::uint32_t size_class) const;

  void forget(std::uint32_t offset) noexcept;

  void reveal(std::size_t end) const noexcept;

  void conceal(std::size_t end) const noexcept;

  std::byte* begin_;
  administration* state_; // at begin_, because it is restored as well
};

} // namespace engine_test
