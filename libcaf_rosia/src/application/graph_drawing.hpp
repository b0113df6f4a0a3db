// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"
#include "engine/topology.hpp"
#include "runtime/grouping.hpp"
#include "runtime/node_directory.hpp"

namespace caf::rosia::detail {

/// Adds the groups of the nodes to a description of their graph. Omits groups
/// that are chosen during the run.
graph_description add_groups(
  graph_description to, const node_directory& nodes,
  const engine::topology& graph, const grouping& groups);

} // namespace caf::rosia::detail
