// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <vector>

namespace caf::rosia::detail {

class executor;

/// Finds executors that are near an executor in the graph, and exchange nodes
/// as it does. If there are many, only those near a random member are found.
/// Used with the token of `self`. Tests: test/application/groups_test.cpp.
class neighbourhood {
public:
  /// Returns executors whose nodes are connected with members, directly or over
  /// light nodes. The nearest are first.
  static std::vector<executor*> neighbours(executor& self);

  /// Returns executors of nodes that are connected in the same way with a
  /// neighbour of a member. Only nodes that are near in the neighbour's order
  /// are considered.
  static std::vector<executor*> siblings(executor& self);
};

} // namespace caf::rosia::detail
