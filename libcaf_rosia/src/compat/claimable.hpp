// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"

namespace caf::rosia::detail {

/// Makes sure that an actor runs, and looks again at what it can do.
class waker {
public:
  virtual ~waker() = default;

  /// From any thread.
  virtual void signal() = 0;
};

/// An actor that any thread may schedule, or run by itself, once it has claimed
/// it.
class claimable : public waker {
public:
  /// Like `signal`, if the caller schedules or runs it. From any thread.
  /// @returns whether the caller has to: it then owns the actor's token, and a
  ///          reference for the scheduler.
  virtual bool claim() = 0;

  /// Runs the actor once, on this thread. @pre The caller has claimed it.
  /// @param unit outlives the actor's activity.
  virtual void run_claimed(worker& unit) = 0;

  /// Gives the actor to CAF's scheduler. @pre The caller has claimed it.
  virtual void schedule_claimed() = 0;
};

} // namespace caf::rosia::detail
