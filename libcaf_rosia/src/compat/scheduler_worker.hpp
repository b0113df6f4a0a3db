// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"

#include <caf/actor_system.hpp>
#include <caf/config.hpp>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/scheduler.hpp>
#  include <caf/thread_owner.hpp>
#else
#  include <caf/execution_unit.hpp>
#  include <caf/scheduler/abstract_coordinator.hpp>
#endif

namespace caf::rosia::detail {

#if CAF_MAJOR_VERSION >= 1

class scheduler_worker {
public:
  explicit scheduler_worker(caf::actor_system& sys)
    : scheduler_(sys.scheduler()) {
    // nop
  }

  worker& get() noexcept {
    return scheduler_;
  }

private:
  caf::scheduler& scheduler_;
};

#else

/// For a thread that runs actors, and is not one of CAF's scheduler. Actors
/// that are woken there run in the scheduler.
class scheduler_worker : private caf::execution_unit {
public:
  explicit scheduler_worker(caf::actor_system& sys) : execution_unit(&sys) {
    // nop
  }

  worker& get() noexcept {
    return *this;
  }

private:
  void exec_later(caf::resumable* x) override {
    system().scheduler().enqueue(x);
  }
};

#endif

/// Calls a function as the code of a separate thread, inside of CAF's hooks.
template <class Fun>
void run_as_thread(caf::actor_system& sys, Fun fun) {
#if CAF_MAJOR_VERSION >= 1
  sys.thread_started(caf::thread_owner::system);
#else
  sys.thread_started();
#endif
  fun();
  sys.thread_terminates();
}

} // namespace caf::rosia::detail
