// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "benchmark/graphs/graph.hpp"

#include "caf/rosia/options.hpp"

#include <caf/fwd.hpp>

namespace bench {

/// Runs a graph as an application. The time is that of `run()`.
/// @throws std::runtime_error if the application does not end with 0.
graph_result run_as_application(
  const graph_plan& graph, caf::actor_system& system,
  const caf::rosia::options& opts);

} // namespace bench
