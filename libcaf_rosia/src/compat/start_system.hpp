// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_system.hpp>
#include <caf/logger.hpp>

#include <optional>
#include <thread>

namespace caf::rosia::detail {

/// Constructs an actor system. An exception terminates the process before
/// anything is destroyed, because CAF may crash or block when it destroys
/// threads that are running.
inline void start_system(std::optional<caf::actor_system>& sys,
                         caf::actor_system_config& cfg) {
  // An exception that no function of a thread handles does not unwind its
  // stack.
  std::thread{[&] { sys.emplace(cfg); }}.join();
  CAF_SET_LOGGER_SYS(&*sys);
}

} // namespace caf::rosia::detail
