// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/loop_time_table.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace caf::rosia::engine {

/// A division of a loop into parts that exchange messages with as much delay as
/// possible: until then each of them can execute without the rest. Members
/// are numbered in the order of the graph.
///
/// Tests: test/engine/loop_division_test.cpp.
class loop_division {
public:
  // -- member types -----------------------------------------------------------

  using member = loop_time_table::member;

  using edge = loop_time_table::edge;

  // -- constructors -----------------------------------------------------------

  /// Divides a loop into at most `parts` parts of similar size. Members whose
  /// messages to each other take the least time are in one part; otherwise a
  /// part has members that follow each other.
  /// @returns none if all members would have to be in one part.
  static std::optional<loop_division> find(
    std::size_t members, std::span<const edge> edges, std::size_t parts);

  // -- properties -------------------------------------------------------------

  /// Returns how many parts there are: at least two.
  std::size_t parts() const noexcept {
    return parts_;
  }

  /// Returns the part of a member.
  member part_of(member x) const noexcept {
    return part_of_[x];
  }

  /// Returns the delay that connections between two parts have at least.
  delay lookahead() const noexcept {
    return lookahead_;
  }

  /// Returns the least delays of paths between parts, through any members: for
  /// each receiver, of paths from each part. From a part to itself, a path
  /// leads through the rest.
  std::vector<delay> distances(std::span<const edge> edges) const;

private:
  std::size_t parts_ = 0;
  std::vector<member> part_of_;
  delay lookahead_;
};

} // namespace caf::rosia::engine
