// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
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
    return only_.token == nullptr && (!several_ || several_->instances.empty());
  }

  std::size_t size() const noexcept {
    return only_.token != nullptr ? 1
           : several_             ? several_->instances.size()
                                  : 0;
  }

  /// The earliest tag; `forever` if there is none.
  logical_time next_tag() const noexcept {
    if (only_.token != nullptr)
      return only_.when.tag;
    return empty() ? forever : several_->instances.begin()->first.tag;
  }

  /// The reaction of the next instance. @pre `!empty()`
  std::uint32_t next_reaction() const noexcept {
    return only_.token != nullptr
             ? only_.when.reaction
             : several_->instances.begin()->first.reaction;
  }

  /// Tells whether somebody is resumed at `tag`. @pre Nobody is earlier.
  bool is_due(logical_time tag) const noexcept {
    return only_.token != nullptr
             ? only_.when.tag == tag
             : several_ && next_tag() == tag;
  }

  /// Tells whether one is resumed at `tag`, and is the only one at all. May be
  /// false although it is.
  bool is_only(logical_time tag) const noexcept {
    return only_.token != nullptr && only_.when.tag == tag;
  }

  /// Removes the only instance. @returns its token and its reaction; null for
  /// the token if there is none, or may be several.
  std::pair<void*, std::uint32_t> take_only() noexcept {
    return {std::exchange(only_.token, nullptr), only_.when.reaction};
  }

  /// Adds an instance, known by its token, which is resumed at `wanted`, or at
  /// the first microstep after it that no other instance of `reaction` has.
  void push(logical_time wanted, std::uint32_t reaction, void* token) {
    if (empty())
      only_ = {{wanted, reaction}, token};
    else
      push_besides(wanted, reaction, token);
  }

  /// Appends those that are resumed at `tag`, in the order in which they have
  /// yielded. @pre None is resumed earlier.
  void list(logical_time tag, std::vector<turn>& into) const;

  /// Removes the instance of `reaction` at `tag`. @returns its token.
  /// @pre There is one.
  void* pop(logical_time tag, std::uint32_t reaction);

  /// Removes all, and calls `discard` with their tokens.
  template <class Fun>
  void clear(Fun&& discard) {
    if (auto* token = std::exchange(only_.token, nullptr))
      discard(token);
    if (!several_)
      return;
    for (auto& [when, yielded] : several_->instances)
      discard(yielded.token);
    several_.reset();
  }

private:
  /// When an instance goes on, and of what.
  struct slot {
    [[no_unique_address]] logical_time tag; // has room for the next one
    std::uint32_t reaction;
    friend auto operator<=>(const slot&, const slot&) = default;
  };

  struct instance {
    std::uint64_t number; // in the order of yielding
    void* token;
    // Up to there each microstep has one, as far as somebody has looked.
    logical_time row_end;
  };

  /// The only instance: most nodes never have more.
  struct single {
    slot when;
    void* token = nullptr; // null if there is none, or there are several
  };

  void push_besides(logical_time wanted, std::uint32_t reaction, void* token);

  struct multiple {
    void push(logical_time wanted, std::uint32_t reaction, void* token);

    logical_time free_tag(logical_time wanted, std::uint32_t reaction);

    std::multimap<slot, instance> instances;
    std::uint64_t pushed = 0;
  };

  single only_;
  std::unique_ptr<multiple> several_;
};

} // namespace caf::rosia::engine
