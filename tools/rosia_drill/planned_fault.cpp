// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/planned_fault.hpp"

namespace rosia_drill {

bool planned_fault::is_left_to_node() const {
  using enum injection_point_kind;
  auto& when = spec->when;
  return place() == fault_place::node
         && (when.kind == launch || when.kind == start
             || (when.kind == logical && when.node == spec->target));
}

std::vector<planned_fault> plan_faults(
  const std::vector<fault>& faults, std::mt19937_64& random) {
  std::vector<planned_fault> result;
  for (auto& x : faults) {
    auto& planned = result.emplace_back();
    planned.spec = &x;
    planned.number = std::to_string(result.size());
    planned.where = x.when.where.pick(random());
    if (x.kind == fault_kind::storm)
      planned.gusts = forecast(x.storm, random());
    planned.happened = x.kind == fault_kind::never;
    planned.begun = planned.happened || planned.is_left_to_node();
  }
  return result;
}

} // namespace rosia_drill
