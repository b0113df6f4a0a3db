// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"

#include <cstdint>

namespace caf::rosia::detail {

class executor;

/// The executors that the executor on this thread woke. This thread claims
/// them, and runs some of them: most messages thus bypass the scheduler, and
/// their content is still in the cache. Tests:
/// test/application/execution_test.cpp, test/application/groups_test.cpp.
class woken_executors {
public:
  /// Schedules a wake-up of `x` for when the executor on this thread finishes.
  /// By then, locks are free and messages are complete.
  static void wake_later(executor& x);

  /// Wakes the executors of `wake_later`. The caller must still have its own
  /// token, because a woken executor may end the application.
  static void wake_all();

  /// Runs an executor after the current one. @pre This thread claimed it.
  static void run_next(executor& x);

  /// Runs woken executors, and those that they wake, within bounds.
  /// @param turn see `executor::activate_once`.
  static void run_all(worker* unit, std::int64_t turn);

  /// Calls each claimed light executor of this thread once. Executors that
  /// these calls wake are claimed by this thread as well.
  static void run_light(worker* unit);

  /// Passes the claimed executors of this thread to the scheduler, so that
  /// other workers run them.
  static void schedule_all();
};

} // namespace caf::rosia::detail
