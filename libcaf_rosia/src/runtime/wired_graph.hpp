// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"
#include "engine/topology.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/shared_loop_time_table.hpp"

#include <optional>
#include <vector>

namespace caf::rosia::detail {

/// The graph of an application with the state that its nodes share during the
/// run: a link for each connection, and a time table for each loop. Cannot be
/// moved, because these refer to it. Tests: test/application.
class wired_graph {
public:
  /// @param known the description of the graph, if there is one already.
  wired_graph(engine::topology topology,
              std::optional<graph_description> known);

  wired_graph(const wired_graph&) = delete;

  wired_graph& operator=(const wired_graph&) = delete;

  const engine::topology& topology() const noexcept {
    return topology_;
  }

  const engine::topology::wiring& wiring() const noexcept {
    return wiring_;
  }

  /// Returns the description of the graph, without groups. Makes it if it is
  /// the first call.
  /// @param nodes those of the graph.
  const graph_description& description(const node_directory& nodes);

  /// Returns the time tables by loop.
  const std::vector<shared_loop_time_table*>& loop_time_tables()
    const noexcept {
    return loop_time_tables_;
  }

private:
  engine::topology topology_;
  std::optional<graph_description> description_;
  std::vector<shared_loop_time_table*> loop_time_tables_; // owned by the wiring
  engine::topology::wiring wiring_;
};

} // namespace caf::rosia::detail
