// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "simulated_workers/costs.hpp"
#include "simulated_workers/worker_clocks.hpp"

#include <caf/fwd.hpp>

#include <cstddef>

namespace simulated_workers {

/// Sets a scheduler with simulated workers. The clocks must outlive the actor
/// system.
void load_simulated_scheduler(
  caf::actor_system_config& cfg, std::size_t workers, worker_clocks& clocks,
  const costs& prices);

} // namespace simulated_workers
