// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/log_ring.hpp"
#include "runtime/node_counters.hpp"

#include <memory>

namespace caf::rosia::detail {

class drill;

/// Observers of a run, which are attached before it; null if there are none.
/// Tests: test/application.
struct run_observers {
  /// Observes and disturbs the application.
  std::shared_ptr<detail::drill> drill;

  /// Counts the activity of the nodes.
  std::shared_ptr<run_counters> counters;

  /// Keeps the last lines of the log for the live page. Shared with the page in
  /// the coordinator's process.
  std::shared_ptr<log_ring> page_log;
};

} // namespace caf::rosia::detail
