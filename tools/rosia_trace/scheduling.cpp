// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/scheduling.hpp"

#include "rosia_trace/modes.hpp"
#include "rosia_trace/spacing_check.hpp"
#include "rosia_trace/watchdogs.hpp"

namespace rosia_trace {

namespace {

/// Returns whether the times of a tick follow from its declaration: it has no
/// mode, or that of the start.
bool is_expected(const run& run, index node, index tick) {
  auto mode = run.declared.actions()[tick].mode;
  const auto& self = run.nodes[node];
  return !mode || (mode == self.mode && !self.restored);
}

} // namespace

void scheduling::expect_tick(index node, index action, logical_time tag) {
  const auto& declared = run_.declared.actions()[action];
  logical_time next{declared.offset, 0};
  if (next < tag) {
    if (declared.period == 0)
      return;
    // In unsigned numbers, which hold one more period than a tag.
    auto distance = static_cast<std::uint64_t>(tag.ns - declared.offset);
    auto period = static_cast<std::uint64_t>(declared.period);
    auto whole = distance - distance % period;
    if (whole < distance || tag.microstep > 0)
      whole += period;
    auto ns = static_cast<std::uint64_t>(declared.offset) + whole;
    if (ns > static_cast<std::uint64_t>(forever.ns))
      return;
    next.ns = static_cast<std::int64_t>(ns);
  }
  run_.nodes[node].scheduled.emplace(
    next, scheduled_event{action, {}, run_.line});
}

void scheduling::expect_declared(index node, logical_time tag) {
  const auto& declared = run_.declared.nodes()[node];
  auto& self = run_.nodes[node];
  for (auto i = declared.first_action; i < declared.last_action; ++i)
    if (i == self.mode && !self.restored)
      self.scheduled.emplace(tag, scheduled_event{i, {}, run_.line});
    else if (run_.declared.actions()[i].ticks && is_expected(run_, node, i))
      expect_tick(node, i, tag);
}

void scheduling::require_by_code(index action) {
  auto ticks = run_.declared.actions()[action].ticks;
  run_.rules.require(rule::actions, !ticks && !is_watchdog(run_, action), [&] {
    return (ticks ? "the tick " : "the watchdog ")
           + run_.declared.action_name(action)
           + " is scheduled by code, or by a checkpoint";
  });
}

void scheduling::schedule(index node, const event& x) {
  auto& self = run_.nodes[node];
  auto id = run_.declared.find_action(node, x.action);
  auto name = [&] {
    return run_.name_of(node) + " schedules " + run_.declared.action_name(id);
  };
  require_by_code(id);
  run_.rules.require(rule::actions, x.tag == self.now, [&] {
    return name() + " with tag " + to_string(x.tag) + "; it is at "
           + to_string(self.now);
  });
  run_.rules.require(rule::actions, !self.executed || self.active, [&] {
    return name() + " at " + to_string(x.tag)
           + ", where nothing ran or resumed before";
  });
  run_.rules.require(rule::actions, is_tag(x.due) && x.due > x.tag, [&] {
    return name() + " at " + to_string(x.tag) + " for " + to_string(x.due)
           + "; expected a later tag";
  });
  modes{run_}.require_in_mode(node, run_.declared.actions()[id].mode, [&] {
    return name();
  });
  if (is_mode(run_, id))
    modes{run_}.request(node, id, x.due);
  spacing_check{run_}.schedule(node, id, x.due);
  self.scheduled.emplace(x.due, scheduled_event{id, digest_of(x), run_.line});
}

void scheduling::withdraw(index node, const event& x) {
  auto id = run_.declared.find_action(node, x.action);
  if (is_mode(run_, id))
    modes{run_}.withdraw(node, id, x);
  else
    spacing_check{run_}.withdraw(node, x);
}

void scheduling::require_none_passed(index node, logical_time tag) {
  auto& scheduled = run_.nodes[node].scheduled;
  if (scheduled.empty())
    return;
  auto next = scheduled.begin();
  run_.rules.require(rule::nothing_lost, next->first >= tag, [&] {
    return run_.name_of(node) + " executes " + to_string(tag)
           + ", but what it scheduled for " + to_string(next->first) + " ("
           + at_line(next->second.line) + ") was never present";
  });
}

} // namespace rosia_trace
