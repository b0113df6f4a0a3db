// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/activity.hpp"

#include <cstdint>
#include <vector>

namespace caf::rosia::engine {

/// Counts the progress of nodes toward a final tag, as section 6 of the
/// semantics defines it [6.4]. Tests: test/engine/progress_count_test.cpp.
class progress_count {
public:
  /// Compares the activity of a node with that of the last call.
  void look(node_id node, const activity& now, logical_time final);

  /// Returns the number of calls of `look` that found progress.
  std::uint64_t value() const noexcept {
    return value_;
  }

private:
  std::vector<activity> last_; // by node
  std::uint64_t value_ = 0;
};

} // namespace caf::rosia::engine
