// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "benchmark/graphs/graph_spec.hpp"

#include <vector>

namespace bench {

/// The name of the rows of generated graphs.
inline constexpr const char* graph_row = "graph";

/// Returns PHOLD and layers of 64 to 65,536 nodes.
std::vector<graph_spec> graphs_by_size();

/// Replaces all benchmarks by those of the given graphs.
void run_only(const std::vector<graph_spec>& graphs);

} // namespace bench
