// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/logical_time.hpp"

#include <cstdint>
#include <mutex>

namespace caf::rosia::engine {

struct passed_deadline;
struct stamped_value;
struct tardy_value;

/// Receives the external events of nodes: stamped values, tardy values, and
/// passed deadlines. Tests: test/recording.
class stamp_log {
public:
  virtual ~stamp_log();

  /// Returns a mutex that is locked from a node's reading of elapsed time until
  /// `add` has returned. A thread that locks it and reads elapsed time thus
  /// knows all earlier stamps.
  std::mutex& mutex() noexcept {
    return mutex_;
  }

  /// Receives a value with its tag: when it is stamped, or, of a node that has
  /// actions with a spacing, when it is present [10.5.3].
  /// @pre The mutex is locked.
  virtual void add(node_id node, const stamped_value& x) = 0;

  /// Notes that the node may add values of `first` and later tags that were
  /// stamped before: of actions with a spacing, and expiries of watchdogs; or
  /// tardy values that were meant for these tags.
  /// @pre The mutex is locked.
  virtual void await(node_id node, logical_time first) = 0;

  /// Receives a deadline that has passed, and the index of its reaction. Locks
  /// the mutex.
  virtual void add(node_id node, std::uint32_t reaction,
                   const passed_deadline& x)
    = 0;

  /// Receives a tardy value of the node's connection of this index. Locks the
  /// mutex.
  virtual void add(node_id node, std::uint32_t connection, const tardy_value& x)
    = 0;

  /// Notes that a node with deadlines executes `tag`: those that have passed
  /// before it were added. Locks the mutex.
  virtual void reach(node_id node, logical_time tag) = 0;

private:
  std::mutex mutex_;
};

} // namespace caf::rosia::engine
