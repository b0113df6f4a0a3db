// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"

#include <mutex>

namespace caf::rosia::engine {

struct stamped_value;

/// Receives all values that nodes stamp.
class stamp_log {
public:
  virtual ~stamp_log();

  /// Returns a mutex that is locked from a node's reading of elapsed time until
  /// `add` has returned. A thread that locks it and reads elapsed time thus
  /// knows all earlier stamps.
  std::mutex& mutex() noexcept {
    return mutex_;
  }

  /// Receives a value with its tag.
  /// @pre The mutex is locked.
  virtual void add(node_id node, const stamped_value& x) = 0;

private:
  std::mutex mutex_;
};

} // namespace caf::rosia::engine
