// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// The instances of reactions that are suspended by a yield, ordered by the tag
/// at which they resume. A reaction has at most one instance at a tag, except
/// at `forever`, when none resumes [3.9]. Tests:
/// test/engine/event_queue_test.cpp.
class resumption_queue {
public:
  /// The number of an instance in the order of resuming, and its reaction.
  using turn = std::pair<std::uint64_t, std::uint32_t>;

  bool empty() const noexcept {
    return only_.token == nullptr && (!several_ || several_->instances.empty());
  }

  std::size_t size() const noexcept {
    return only_.token != nullptr ? 1
           : several_             ? several_->instances.size()
                                  : 0;
  }

  /// Returns the earliest tag; `forever` if there is none.
  logical_time next_tag() const noexcept {
    if (only_.token != nullptr)
      return only_.when.tag;
    return empty() ? forever : several_->instances.begin()->first.tag;
  }

  /// Returns the reaction of the next instance.
  /// @pre `!empty()`
  std::uint32_t next_reaction() const noexcept {
    return only_.token != nullptr
             ? only_.when.reaction
             : several_->instances.begin()->first.reaction;
  }

  /// An instance with the tag at which it resumes.
  struct instance_at {
    logical_time tag;
    std::uint32_t reaction;
    void* token;
  };

  /// Returns whether an instance resumes at `tag`.
  /// @pre No instance resumes earlier.
  bool is_due(logical_time tag) const noexcept {
    return only_.token != nullptr
             ? only_.when.tag == tag
             : several_ && next_tag() == tag;
  }

  /// Returns whether the only instance resumes at `tag`. May return false
  /// although this is so.
  bool is_only(logical_time tag) const noexcept {
    return only_.token != nullptr && only_.when.tag == tag;
  }

  /// Removes the only instance.
  /// @returns its token and its reaction; null for the token if there is none,
  ///   or may be several.
  std::pair<void*, std::uint32_t> take_only() noexcept {
    return {std::exchange(only_.token, nullptr), only_.when.reaction};
  }

  /// Adds an instance with its token. It resumes at `wanted`, or at the first
  /// later microstep without another instance of `reaction`.
  void push(logical_time wanted, std::uint32_t reaction, void* token) {
    if (empty())
      only_ = {{wanted, reaction}, token};
    else
      push_besides(wanted, reaction, token);
  }

  /// Appends the instances that resume at `tag`, in the order of their yields
  /// [3.3].
  /// @pre None resumes earlier.
  void list(logical_time tag, std::vector<turn>& into) const;

  /// Removes the instance of `reaction` at `tag`.
  /// @returns its token.
  /// @pre There is one.
  void* pop(logical_time tag, std::uint32_t reaction);

  /// Removes the instances of the reactions for which `takes` returns true.
  /// @returns them, ordered by their tags, and for one tag in the order of
  ///   their yields.
  template <class Fun>
  std::vector<instance_at> take(Fun&& takes) {
    std::vector<instance_at> result;
    if (only_.token != nullptr) {
      if (takes(only_.when.reaction))
        result.push_back({only_.when.tag, only_.when.reaction,
                          std::exchange(only_.token, nullptr)});
      return result;
    }
    if (!several_)
      return result;
    std::vector<std::pair<logical_time, std::uint64_t>> order;
    for (auto& [when, yielded] : several_->instances)
      if (takes(when.reaction))
        order.emplace_back(when.tag, yielded.number);
    std::sort(order.begin(), order.end());
    result.resize(order.size());
    std::erase_if(several_->instances, [&](auto& x) {
      if (!takes(x.first.reaction))
        return false;
      auto at = std::lower_bound(
        order.begin(), order.end(), std::pair{x.first.tag, x.second.number});
      result[static_cast<std::size_t>(at - order.begin())]
        = {x.first.tag, x.first.reaction, x.second.token};
      return true;
    });
    return result;
  }

  /// Removes all instances, and calls `discard` with their tokens.
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
  /// The tag at which an instance resumes, and its reaction.
  struct slot {
    [[no_unique_address]] logical_time tag; // the next member uses its padding
    std::uint32_t reaction;
    friend auto operator<=>(const slot&, const slot&) = default;
  };

  struct instance {
    std::uint64_t number; // in the order of the yields
    void* token;
    // The last of a row of microsteps that all have an instance, as far as
    // known.
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
