// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "plan.hpp"

#include <vector>

namespace engine_test {

/// A value that a node stamped: of a physical action or connection.
struct stamp {
  enum class kind : std::uint8_t { connection, input };

  node_id node = 0;
  logical_time tag;
  kind type = kind::input;
  std::uint32_t index = 0; // of the connection or input
  std::uint64_t value = 0;
};

/// Runs an application sequentially: always the globally earliest tag next, and
/// within a tag one reaction after the other, each after those that it depends
/// on. Physical values have the tags in `stamps`.
/// @param until the last tag, and the final one if `has_last`: reactions to the
///   last tag follow.
/// @returns the history of each node up to and including `until`.
std::vector<history> run_oracle(
  const plan& planned, logical_time until, const std::vector<stamp>& stamps,
  bool has_last = false);

} // namespace engine_test
