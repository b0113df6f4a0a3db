// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"

#include <caf/actor_system.hpp>
#include <caf/execution_unit.hpp>
#include <caf/local_actor.hpp>
#include <caf/proxy_registry.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <cstddef>

namespace caf::rosia::detail {

/// Passes a job and a reference to it to CAF's scheduler.
inline void schedule(caf::resumable& x, caf::actor_system& sys) {
  sys.scheduler().enqueue(&x);
}

/// Returns how many threads CAF's scheduler has.
inline std::size_t count_workers(caf::actor_system& sys) {
  return sys.scheduler().num_workers();
}

/// For a thread that runs actors, and is not one of CAF's scheduler. Actors
/// that are woken there run in the scheduler. Tests:
/// test/distributed/network_runner_test.cpp.
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

/// Calls a function as the code of a separate thread, inside of CAF's hooks.
template <class Fun>
void run_as_thread(caf::actor_system& sys, Fun fun) {
  sys.thread_started();
  fun();
  sys.thread_terminates();
}

/// Returns the worker with which detached actors are launched.
inline worker* launcher_of(caf::actor_system& sys) {
  return sys.dummy_execution_unit();
}

/// Does what the thread of a detached actor does at its end, for an actor that
/// has no thread.
inline void end_without_thread(caf::local_actor& x) {
  caf::intrusive_ptr_release(x.ctrl());
  x.home_system().dec_detached_threads();
}

/// Sets the registry that makes handles of remote actors that this thread
/// reads. May be null.
/// @param unit the worker that runs on this thread.
inline void set_proxies(worker& unit, caf::proxy_registry* x) {
  unit.proxy_registry_ptr(x);
}

} // namespace caf::rosia::detail
