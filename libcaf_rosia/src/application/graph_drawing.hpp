// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"
#include "engine/topology.hpp"
#include "runtime/grouping.hpp"
#include "runtime/node_directory.hpp"

namespace caf::rosia::detail {

/// What those who draw a graph need of it.
/// @param groups those that are chosen while the nodes run are left out.
graph_description describe_graph(
  const node_directory& nodes, const engine::topology& graph,
  const grouping& groups);

} // namespace caf::rosia::detail
