// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"

#include <mutex>

namespace caf::rosia::engine {

struct stamped_value;

/// Learns of all values that nodes give tags to.
class stamp_log {
public:
  virtual ~stamp_log();

  /// Held from when a node reads elapsed time until `add` has returned: who
  /// holds it, and reads elapsed time, knows of all stamps before that.
  std::mutex& mutex() noexcept {
    return mutex_;
  }

  /// A value has got its tag. @pre The mutex is held.
  virtual void add(node_id node, const stamped_value& x) = 0;

private:
  std::mutex mutex_;
};

} // namespace caf::rosia::engine
