// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/topology.hpp"
#include "runtime/shared_loop_time_table.hpp"

#include <vector>

namespace caf::rosia::detail {

/// The graph of an application with the state that its nodes share during the
/// run: a link for each connection, and a time table for each loop. Cannot be
/// moved, because these refer to it.
class wired_graph {
public:
  explicit wired_graph(engine::topology topology);

  wired_graph(const wired_graph&) = delete;

  wired_graph& operator=(const wired_graph&) = delete;

  const engine::topology& topology() const noexcept {
    return topology_;
  }

  const engine::topology::wiring& wiring() const noexcept {
    return wiring_;
  }

  /// Returns the time tables by loop.
  const std::vector<shared_loop_time_table*>& loop_time_tables()
    const noexcept {
    return loop_time_tables_;
  }

private:
  engine::topology topology_;
  std::vector<shared_loop_time_table*> loop_time_tables_; // owned by the wiring
  engine::topology::wiring wiring_;
};

} // namespace caf::rosia::detail
