// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/spacing_check.hpp"

#include <algorithm>

namespace rosia_trace {

namespace {

/// Returns the distance of events: a spacing of 0 is one microstep.
time_delay distance_of(const declared_spacing& x) {
  return x.distance == 0 ? time_delay{0, 1} : time_delay{x.distance, 0};
}

} // namespace

void spacing_check::restore(index action, logical_time due) {
  auto& state = run_.actions[action];
  state.previous = state.last;
  state.last = due;
}

void spacing_check::schedule(index node, index action, logical_time due) {
  add(run_.declared.actions()[action].spacing, run_.actions[action], due, [&] {
    return run_.name_of(node) + " schedules "
           + run_.declared.action_name(action);
  });
}

void spacing_check::withdraw(index node, const event& x) {
  auto& self = run_.nodes[node];
  auto action = run_.declared.find_action(node, x.action);
  auto& state = run_.actions[action];
  auto [first, last] = self.scheduled.equal_range(x.due);
  auto found = std::find_if(first, last, [action](auto& y) {
    return y.second.action == action;
  });
  auto name = [&] {
    return run_.name_of(node) + " withdraws the event of "
           + run_.declared.action_name(action) + " at " + to_string(x.due);
  };
  run_.rules.require(
    rule::actions, run_.declared.actions()[action].spacing.withdraws,
    [&] { return name() + "; its spacing withdraws none"; });
  run_.rules.require(
    rule::actions, x.tag == self.now && (!self.executed || self.active), [&] {
      return name() + " with tag " + to_string(x.tag)
             + ", where nothing ran or resumed before";
    });
  run_.rules.require(
    rule::actions, found != last && x.due > x.tag && x.due == state.last, [&] {
      return name() + "; that is not the last event, or it is not pending";
    });
  self.scheduled.erase(found);
  state.last = state.previous;
}

void spacing_check::input(index node, index input, logical_time tag) {
  add(run_.declared.inputs()[input].spacing, run_.inputs[input].spacing, tag,
      [&] {
        return run_.name_of(node) + " has a value at "
               + run_.declared.input_name(input);
      });
}

template <class Fun>
void spacing_check::add(const declared_spacing& declared, spacing_state& state,
                        logical_time tag, Fun&& name) {
  if (!declared.exists())
    return;
  auto distance = distance_of(declared);
  run_.rules.require(
    rule::actions, !state.last || tag >= *state.last + distance, [&] {
      return name() + " for " + to_string(tag) + ", after an event at "
             + to_string(*state.last) + "; its spacing is "
             + std::to_string(declared.distance) + " ns";
    });
  state.previous = state.last;
  state.last = tag;
}

} // namespace rosia_trace
