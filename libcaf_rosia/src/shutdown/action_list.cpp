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
      "function '" + name + "' is added too late: phase '" + phase.name
      + "' began already");
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

void action_list::enter(const shutdown_phase& phase) {
  for (auto& action : actions_)
    if (action.phase == &phase)
      action.run.wait();
}

phase_action* action_list::begin_next(const shutdown_phase& phase) {
  auto may_begin = [&phase](const phase_action& action) {
    return action.phase == &phase
           && action.run.state == part_report::state::waiting;
  };
  phase_action* result = nullptr;
  if (!phase.options.one_by_one) {
    auto i = std::find_if(actions_.begin(), actions_.end(), may_begin);
    result = i == actions_.end() ? nullptr : &*i;
  } else if (running(phase) == nullptr) {
    auto i = std::find_if(actions_.rbegin(), actions_.rend(), may_begin);
    result = i == actions_.rend() ? nullptr : &*i;
  }
  if (result != nullptr)
    result->run.begin();
  return result;
}

void action_list::leave(const shutdown_phase& phase, bool aborted) {
  for (auto& action : actions_)
    if (action.phase == &phase
        && action.run.state == part_report::state::waiting)
      action.run.end(
        aborted
          ? "it was not called, because of an abort"
          : "it was not called, because the functions before it took too long");
}

bool action_list::are_over(const shutdown_phase& phase) const {
  return std::all_of(actions_.begin(), actions_.end(), [&](auto& action) {
    return action.phase != &phase || action.run.is_over();
  });
}

bool action_list::have_failed(const shutdown_phase& phase) const {
  return std::any_of(actions_.begin(), actions_.end(), [&](auto& action) {
    return action.phase == &phase
           && action.run.state == part_report::state::failed;
  });
}

const phase_action* action_list::running(const shutdown_phase& phase) const {
  auto i = std::find_if(actions_.begin(), actions_.end(), [&](auto& action) {
    return action.phase == &phase
           && action.run.state == part_report::state::ending;
  });
  return i == actions_.end() ? nullptr : &*i;
}

void action_list::add_to(report_builder& builder, bool aborted) const {
  using state = part_report::state;
  for (auto& action : actions_) {
    auto& run = action.run;
    if (run.state == state::ended || (run.state == state::running && aborted))
      continue;
    auto& entry = builder.add(
      action.name, part_report::kind::action, run.state, *action.phase,
      run.since);
    entry.error = run.error;
    if (auto* first = running(*action.phase);
        first != nullptr && run.state == state::waiting)
      entry.waits_for = first->name;
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
