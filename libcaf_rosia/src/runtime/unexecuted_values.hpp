// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace caf::rosia::detail {

class node_directory;

/// Counts the values that were not executed because their receivers left, by
/// receiver. At the end these are the values beyond the final tag. Any thread
/// may call it. Tests: test/application/end_to_end_test.cpp.
class unexecuted_values {
public:
  /// Called for every batch of messages, most of which lose nothing.
  void add(engine::node_id node, std::size_t values) {
    if (values > 0)
      count(node, values);
  }

  /// Describes the number and the nodes of these values; empty if there are
  /// none.
  std::string text(const node_directory& nodes) const;

private:
  void count(engine::node_id node, std::size_t values);

  mutable std::mutex mutex_; // protects the members below
  std::map<engine::node_id, std::size_t> values_;
};

} // namespace caf::rosia::detail
