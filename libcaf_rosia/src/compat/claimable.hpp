// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"

namespace caf::rosia::detail {

/// Schedules an actor, which then checks what it can do.
class waker {
public:
  virtual ~waker() = default;

  /// Schedules the actor if necessary. From any thread.
  virtual void signal() = 0;
};

/// An actor that any thread may claim, and then schedule or run. Tests:
/// test/distributed/network_runner_test.cpp.
class claimable : public waker {
public:
  /// Like `signal`, if the caller schedules or runs the actor. From any thread.
  /// @returns whether the caller must do so. If so, it owns the actor's token,
  ///          and a reference for the scheduler.
  virtual bool claim() = 0;

  /// Runs the actor once, on this thread. @pre The caller claimed it.
  /// @param unit must outlive the actor's activity.
  virtual void run_claimed(worker& unit) = 0;

  /// Passes the actor to CAF's scheduler. @pre The caller claimed it.
  virtual void schedule_claimed() = 0;
};

} // namespace caf::rosia::detail
