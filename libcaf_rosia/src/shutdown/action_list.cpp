// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/action_list.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace caf::rosia::detail {

std::uint64_t action_list::add(
  const shutdown_phase& phase, const std::string& name,
  std::function<void(const shutdown_reason&)>&& code) {
  if (phase.began)
    throw std::logic_error(
      "task '" + name + "' is added too late: phase '" + phase.name
      + "' has begun already");
  actions_.push_back({++last_id_, &phase, name, std::move(code)});
  return last_id_;
}

std::list<phase_action> action_list::remove(std::uint64_t id) {
  std::list<phase_action> result;
  auto i = std::find_if(actions_.begin(), actions_.end(), [&](auto& action) {
    return action.id == id;
  });
  if (i != actions_.end() && !i->phase->began)
    result.splice(result.end(), actions_, i);
  return result;
}

std::vector<phase_action*> action_list::begin(const shutdown_phase& phase) {
  std::vector<phase_action*> result;
  for (auto& action : actions_)
    if (action.phase == &phase) {
      action.run.begin();
      result.push_back(&action);
    }
  return result;
}

bool action_list::are_over(const shutdown_phase& phase) const {
  return std::all_of(actions_.begin(), actions_.end(), [&](auto& action) {
    return action.phase != &phase || action.run.is_over();
  });
}

void action_list::add_to(report_builder& builder, bool aborted) const {
  using state = part_report::state;
  for (auto& action : actions_) {
    auto& run = action.run;
    if (run.state != state::ended && (run.state != state::running || !aborted))
      builder
        .add(action.name, part_report::kind::action, run.state, *action.phase,
             run.since)
        .error
        = run.error;
  }
}

void action_list::add_to(timeline_builder& builder) const {
  for (auto& action : actions_)
    if (action.phase == &builder.phase())
      builder.add(
        action.name, "action", action.run.began_at, action.run.over_at(),
        action.run.state == part_report::state::failed);
}

} // namespace caf::rosia::detail
