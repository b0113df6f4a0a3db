// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

namespace simulated_workers {

/// The fixed costs of simulated workers, in nanoseconds.
struct costs {
  /// Executing a tag of a node, besides its work.
  std::int64_t event = 300;
  /// Running an executor once.
  std::int64_t activation = 1'000;
  /// Waking a worker that is idle: the time of the caller, and the time until
  /// the worker runs.
  std::int64_t wake = 2'000;
  std::int64_t latency = 10'000;
};

} // namespace simulated_workers
