// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"
#include "engine/topology.hpp"
#include "runtime/grouping.hpp"
#include "runtime/node_directory.hpp"

namespace caf::rosia::detail {

/// Describes a graph for a drawing.
/// @param groups the grouping of nodes. Groups that are chosen during the run
///   are omitted.
graph_description describe_graph(
  const node_directory& nodes, const engine::topology& graph,
  const grouping& groups);

} // namespace caf::rosia::detail
