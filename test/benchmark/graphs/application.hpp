// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "benchmark/graphs/graph.hpp"

#include "caf/rosia/fwd.hpp"
#include "caf/rosia/logical_time.hpp"
#include "caf/rosia/options.hpp"

#include <caf/fwd.hpp>

#include <cstdint>

namespace bench {

/// Performs the work of nodes in place of the processor.
class work_simulator {
public:
  virtual ~work_simulator() = default;

  /// Performs the work of a tag. Called by the node, on any thread.
  virtual void perform(caf::rosia::node& self, std::uint32_t id,
                       caf::rosia::logical_time tag, std::int64_t work)
    = 0;
};

/// Runs a graph as an application. The time is that of `run()`.
/// @param simulator null if the processor performs the work.
/// @throws std::runtime_error if the application does not end with 0.
graph_result run_as_application(
  const graph_plan& graph, caf::actor_system& system,
  const caf::rosia::options& opts, work_simulator* simulator = nullptr);

} // namespace bench
