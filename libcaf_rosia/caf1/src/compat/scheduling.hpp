// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/detail/default_thread_count.hpp>
#include <caf/local_actor.hpp>
#include <caf/proxy_registry.hpp>
#include <caf/scheduler.hpp>
#include <caf/thread_owner.hpp>

#include <cstddef>

namespace caf::rosia::detail {

/// Passes a job and a reference to it to CAF's scheduler.
inline void schedule(caf::resumable& x, caf::actor_system& sys) {
  sys.scheduler().schedule(&x);
}

/// Returns how many threads CAF's scheduler has.
inline std::size_t count_workers(caf::actor_system& sys) {
  return caf::get_or(sys.config(), "caf.scheduler.max-threads",
                     caf::detail::default_thread_count());
}

/// For a thread that runs actors, and is not one of CAF's scheduler. Actors
/// that are woken there run in the scheduler. Tests:
/// test/distributed/network_runner_test.cpp.
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

/// Calls a function as the code of a separate thread, inside of CAF's hooks.
template <class Fun>
void run_as_thread(caf::actor_system& sys, Fun fun) {
  sys.thread_started(caf::thread_owner::system);
  fun();
  sys.thread_terminates();
}

/// Returns the worker with which detached actors are launched.
inline worker* launcher_of(caf::actor_system& sys) {
  return &sys.scheduler();
}

/// Does what the thread of a detached actor does at its end, for an actor that
/// has no thread.
inline void end_without_thread(caf::local_actor& x) {
  x.unregister_from_system();
}

/// Sets the registry that makes handles of remote actors that this thread
/// reads. May be null.
/// @param unit the worker that runs on this thread.
inline void set_proxies(worker&, caf::proxy_registry* x) {
  caf::proxy_registry::current(x);
}

} // namespace caf::rosia::detail
