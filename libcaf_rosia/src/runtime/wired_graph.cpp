// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/wired_graph.hpp"

#include <memory>
#include <utility>

namespace caf::rosia::detail {

wired_graph::wired_graph(engine::topology topology)
  : topology_(std::move(topology)),
    wiring_(
      topology_.make_wiring([this](auto members, auto& edges, auto& clocked) {
        auto table = std::make_unique<shared_loop_time_table>(
          std::move(members), edges, clocked);
        loop_time_tables_.push_back(table.get());
        return table;
      })) {
  // nop
}

} // namespace caf::rosia::detail
