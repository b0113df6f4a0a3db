// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace engine_test {

/// Memory that can be put back to what it was: with all that was allocated from
/// it, at the same addresses. So what cannot be copied can still be taken back
/// to an earlier state, if nothing outside of the arena refers to what changes
/// in it.
///
/// A thread has at most one, and only that thread uses what is in it. Under
/// AddressSanitizer nothing is used again that was freed, and whoever touches
/// it, or what is next to an allocation, is found.
class arena {
public:
  /// What was in an arena. May be used for one state after the other: it keeps
  /// its memory.
  class snapshot {
  public:
    /// In bytes; 0 if nothing was saved.
    std::size_t size() const noexcept {
      return size_;
    }

  private:
    friend class arena;

    std::vector<std::byte> bytes_;
    std::size_t size_ = 0;
  };

  /// As long as it lives, what its thread allocates comes from the arena. What
  /// is freed goes to where it came from at any time.
  class scope {
  public:
    explicit scope(arena& x) noexcept;

    scope(const scope&) = delete;

    scope& operator=(const scope&) = delete;

    ~scope();
  };

  /// @throws std::bad_alloc
  /// @throws std::logic_error if the thread has one.
  arena();

  arena(const arena&) = delete;

  arena& operator=(const arena&) = delete;

  /// Ends the program if somebody still has memory of the arena.
  ~arena();

  void save(snapshot& into) const;

  /// @param from a snapshot of this arena.
  void restore(const snapshot& from);

  /// How many allocations were not freed.
  std::size_t live() const noexcept;

  // -- for operator new and delete --------------------------------------------

  /// The arena that the calling thread allocates from now; null if none.
  static arena* active() noexcept;

  /// The calling thread's arena, if that is where `x` is; null otherwise.
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
  administration* state_; // at begin_, for it is put back as well
};

} // namespace engine_test
