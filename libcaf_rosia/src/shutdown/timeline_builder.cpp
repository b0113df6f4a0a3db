// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/timeline_builder.hpp"

#include <utility>

namespace caf::rosia::detail {

void timeline_builder::enter(const shutdown_phase& phase) {
  phase_ = &phase;
  add(phase.name, "phase", phase.began_at,
      phase.over ? std::optional{phase.over_at} : std::nullopt, phase.late);
}

timeline_entry& timeline_builder::add(
  const std::string& name, std::string kind, clock::time_point begin,
  std::optional<clock::time_point> end, bool aborted) {
  return timeline_.emplace_back(timeline_entry{
    name,
    std::move(kind),
    phase_->name,
    begin - begun_at_,
    end.value_or(now_) - begun_at_,
    end.has_value(),
    aborted,
    0,
    {}});
}

} // namespace caf::rosia::detail
