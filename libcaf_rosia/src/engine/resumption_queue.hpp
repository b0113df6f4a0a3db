// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// The instances of reactions that have yielded, by the tag at which they are
/// resumed. There is one instance of a reaction at a tag, except at `forever`,
/// when nobody is resumed.
class resumption_queue {
public:
  /// The place of an instance in the order of resuming, and its reaction.
  using turn = std::pair<std::uint64_t, std::uint32_t>;

  bool empty() const noexcept {
    return instances_.empty();
  }

  std::size_t size() const noexcept {
    return instances_.size();
  }

  /// The earliest tag; `forever` if there is none.
  logical_time next_tag() const noexcept {
    return instances_.empty() ? forever : instances_.begin()->first.tag;
  }

  /// Adds an instance, known by its token, which is resumed at `wanted`, or at
  /// the first microstep after it that no other instance of `reaction` has.
  void push(logical_time wanted, std::uint32_t reaction, void* token);

  /// Appends those that are resumed at `tag`, in the order in which they have
  /// yielded. @pre None is resumed earlier.
  void list(logical_time tag, std::vector<turn>& into) const;

  /// Removes the instance of `reaction` at `tag`. @returns its token.
  /// @pre There is one.
  void* pop(logical_time tag, std::uint32_t reaction);

  /// Removes all, and calls `discard` with their tokens.
  template <class Fun>
  void clear(Fun&& discard) {
    for (auto& [when, yielded] : instances_)
      discard(yielded.token);
    instances_.clear();
  }

private:
  /// When an instance goes on, and of what.
  struct slot {
    logical_time tag;
    std::uint32_t reaction;
    friend auto operator<=>(const slot&, const slot&) = default;
  };

  struct instance {
    std::uint64_t number; // in the order of yielding
    void* token;
    // Up to there each microstep has one, as far as somebody has looked.
    logical_time row_end;
  };

  logical_time free_tag(logical_time wanted, std::uint32_t reaction);

  std::multimap<slot, instance> instances_;
  std::uint64_t pushed_ = 0;
};

} // namespace caf::rosia::engine
