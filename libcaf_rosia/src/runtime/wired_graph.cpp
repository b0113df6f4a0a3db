// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/wired_graph.hpp"

#include <memory>
#include <utility>

namespace caf::rosia::detail {

wired_graph::wired_graph(engine::topology topology,
                         std::optional<graph_description> known)
  : topology_(std::move(topology)), description_(std::move(known)),
    wiring_(
      topology_.make_wiring([this](auto members, auto& edges, auto& clocked) {
        auto table = std::make_unique<shared_loop_time_table>(
          std::move(members), edges, clocked);
        loop_time_tables_.push_back(table.get());
        return table;
      })) {
  // nop
}

const graph_description& wired_graph::description(const node_directory& nodes) {
  if (!description_)
    description_ = nodes.describe(topology_);
  return *description_;
}

} // namespace caf::rosia::detail
