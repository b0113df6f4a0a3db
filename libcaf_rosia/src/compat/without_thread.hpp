// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/infer_handle.hpp>
#include <caf/local_actor.hpp>
#include <caf/make_actor.hpp>

#include <exception>
#include <string>
#include <system_error>
#include <utility>

// For systems that cannot create another thread.

namespace caf::rosia::detail {

/// Renders an error, with advice if the reason is a missing thread.
std::string text_of(const std::system_error& x);

/// Ends the process with status 1 and a message if a module of CAF cannot
/// create its threads, because a partly constructed actor system cannot be
/// destroyed. Call it when the list of modules is complete.
/// @param program the beginning of the message.
void guard_modules(caf::actor_system_config& cfg, const std::string& program);

/// Guards the construction of an actor system: if a thread cannot be created,
/// CAF 1 terminates.
class start_guard {
public:
#if CAF_MAJOR_VERSION >= 1
  start_guard();

  start_guard(const start_guard&) = delete;

  start_guard& operator=(const start_guard&) = delete;

  ~start_guard();

private:
  std::terminate_handler before_;
#endif
};

/// Returns the worker with which detached actors are launched.
inline worker* launcher_of(caf::actor_system& sys) {
#if CAF_MAJOR_VERSION >= 1
  return &sys.scheduler();
#else
  return sys.dummy_execution_unit();
#endif
}

/// Starts an actor on a separate thread. If there is no thread, it throws; CAF
/// alone would later wait forever for the actor.
void launch_detached(caf::actor_system& sys, caf::local_actor& self);

/// Spawns an actor on a separate thread.
/// @throws std::system_error if there is no thread. The actor is then
///         destroyed.
template <class T, class... Ts>
caf::infer_handle_from_class_t<T> spawn_detached(
  caf::actor_system& sys, Ts&&... xs) {
  caf::actor_config cfg{launcher_of(sys)};
  cfg.flags |= caf::abstract_actor::is_detached_flag;
  auto result = caf::make_actor<T>(
    sys.next_actor_id(), sys.node(), &sys, cfg, std::forward<Ts>(xs)...);
  launch_detached(
    sys, *static_cast<T*>(caf::actor_cast<caf::abstract_actor*>(result)));
  return result;
}

} // namespace caf::rosia::detail
