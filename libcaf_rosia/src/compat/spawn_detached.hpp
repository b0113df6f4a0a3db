// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/scheduling.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/infer_handle.hpp>
#include <caf/local_actor.hpp>
#include <caf/make_actor.hpp>

#include <system_error>
#include <utility>

namespace caf::rosia::detail {

/// Spawns an actor on a separate thread. If there is no thread, CAF alone would
/// later wait forever for the actor.
/// @throws std::system_error if there is no thread. The actor is then
///         destroyed.
template <class T, class... Ts>
caf::infer_handle_from_class_t<T> spawn_detached(
  caf::actor_system& sys, Ts&&... xs) {
  caf::actor_config cfg{launcher_of(sys)};
  cfg.flags |= caf::abstract_actor::is_detached_flag;
  auto result = caf::make_actor<T>(
    sys.next_actor_id(), sys.node(), &sys, cfg, std::forward<Ts>(xs)...);
  caf::local_actor& self
    = *static_cast<T*>(caf::actor_cast<caf::abstract_actor*>(result));
  try {
    self.launch(launcher_of(sys), false, false);
  } catch (const std::system_error&) {
    end_without_thread(self);
    throw;
  }
  return result;
}

} // namespace caf::rosia::detail
