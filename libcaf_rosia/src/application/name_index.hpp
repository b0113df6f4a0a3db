// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// Finds nodes by their names. A hash table that contains only numbers, because
/// there may be very many nodes, and allocations for each name would fragment
/// the memory. Tests: test/application/graph_builder_test.cpp.
class name_index {
public:
  /// @param name_of returns the name of an inserted node.
  template <class NameOf>
  std::optional<engine::node_id> find(
    std::string_view name, const NameOf& name_of) const {
    if (slots_.empty())
      return std::nullopt;
    auto id = slots_[slot_of(name, name_of)];
    return id == none ? std::nullopt : std::optional{id};
  }

  /// Adds a node.
  /// @pre There is no other node with its name.
  template <class NameOf>
  void insert(engine::node_id id, const NameOf& name_of) {
    if (2 * size_ >= slots_.size())
      grow(name_of);
    slots_[slot_of(name_of(id), name_of)] = id;
    ++size_;
  }

private:
  static constexpr auto none = std::numeric_limits<engine::node_id>::max();

  static constexpr std::size_t least_slots = 16;

  /// Returns the slot that a node with this name has, or would have.
  template <class NameOf>
  std::size_t slot_of(std::string_view name, const NameOf& name_of) const {
    auto mask = slots_.size() - 1;
    auto i = std::hash<std::string_view>{}(name)&mask;
    while (slots_[i] != none && name_of(slots_[i]) != name)
      i = (i + 1) & mask;
    return i;
  }

  template <class NameOf>
  void grow(const NameOf& name_of) {
    auto size = slots_.empty() ? least_slots : 2 * slots_.size();
    auto before
      = std::exchange(slots_, std::vector<engine::node_id>(size, none));
    for (auto id : before)
      if (id != none)
        slots_[slot_of(name_of(id), name_of)] = id;
  }

  std::vector<engine::node_id> slots_; // its size is a power of two
  std::size_t size_ = 0;
};

} // namespace caf::rosia::detail
