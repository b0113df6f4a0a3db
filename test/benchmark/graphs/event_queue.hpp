// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "benchmark/graphs/graph.hpp"

namespace bench {

/// Runs a graph with a sequential event queue: one binary heap, one thread, and
/// nothing of the library. Its time is the limit to compare with.
graph_result run_with_event_queue(const graph_plan& graph);

} // namespace bench
