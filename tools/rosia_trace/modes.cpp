// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/modes.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace rosia_trace {

namespace {

/// Returns the distance of an event at `tag` from the tag `from`.
time_delay distance(logical_time from, logical_time tag) {
  return tag.ns > from.ns
           ? time_delay{tag.ns - from.ns, tag.microstep}
           : time_delay{0, tag.microstep - from.microstep};
}

} // namespace

bool is_mode(const run& state, index action) {
  return state.declared.actions()[action].is_mode;
}

std::string modes::name(index node, index mode) const {
  return run_.name_of(node) + ": mode " + run_.declared.action_name(mode);
}

// -- the start ----------------------------------------------------------------

void modes::start(index node) {
  auto& self = run_.nodes[node];
  const auto& declared = run_.declared.nodes()[node];
  for (auto i = declared.first_action; i < declared.last_action; ++i)
    if (is_mode(run_, i)) {
      self.mode = i;
      self.visited.insert(i);
      return;
    }
}

void modes::require_active(index node) {
  const auto& declared = run_.declared.nodes()[node];
  for (auto i = declared.first_action; i < declared.last_action; ++i)
    if (is_mode(run_, i))
      run_.rules.require(rule::modes, run_.nodes[node].mode.has_value(), [&] {
        return run_.name_of(node) + " starts without an active mode";
      });
}

void modes::restore(index node, const event& x) {
  auto& self = run_.nodes[node];
  auto id = run_.declared.find_action(node, x.action);
  run_.rules.require(rule::modes, is_mode(run_, id), [&] {
    return name(node, id) + " is declared as an action";
  });
  self.visited.insert(id);
  if (!x.has(member::active) || !x.active)
    return;
  run_.rules.require(rule::modes, !self.mode, [&] {
    return name(node, id) + " was active at the checkpoint, as was mode "
           + run_.declared.action_name(*self.mode);
  });
  self.mode = id;
}

void modes::restore_suspended(index node, const event& x) {
  auto& self = run_.nodes[node];
  auto id = run_.declared.find_action(node, x.action);
  auto mode = run_.declared.actions()[id].mode;
  run_.rules.require(
    rule::modes,
    mode && mode != self.mode && self.visited.contains(*mode)
      && (x.delay.ns > 0 || x.delay.microsteps > 0),
    [&] {
      return run_.name_of(node) + " has a suspended event " + "of "
             + run_.declared.action_name(id)
             + "; expected one of an inactive mode, with a distance";
    });
  self.suspended[*mode].push_back(
    {x.delay, scheduled_event{id, digest_of(x), run_.line}});
}

// -- switching ----------------------------------------------------------------

void modes::request(index node, index mode, logical_time due) {
  auto& self = run_.nodes[node];
  run_.rules.require(
    rule::modes, due == next_microstep(self.now) && !self.wanted, [&] {
      return name(node, mode) + " is entered for " + to_string(due)
             + (self.wanted
                  ? ", after another mode was"
                  : "; expected the microstep after " + to_string(self.now));
    });
  self.wanted = {mode, due};
}

void modes::withdraw(index node, index mode, const event& x) {
  auto& self = run_.nodes[node];
  run_.rules.require(
    rule::modes, x.tag == self.now && self.wanted == std::pair{mode, x.due},
    [&] {
      return name(node, mode) + " is not to be entered at " + to_string(x.due)
             + ", but that is withdrawn";
    });
  self.wanted.reset();
  auto [first, last] = self.scheduled.equal_range(x.due);
  self.scheduled.erase(std::find_if(first, last, [mode](auto& y) {
    return y.second.action == mode;
  }));
}

void modes::enter(index node, const event& x) {
  auto& self = run_.nodes[node];
  auto id = run_.declared.find_action(node, x.action);
  run_.rules.require(
    rule::modes,
    self.executed && self.now == x.tag && !self.has_event
      && !self.reacted.has_value(),
    [&] {
      return name(node, id) + " is entered at " + to_string(x.tag)
             + "; expected at the tag that the node executes, before all else";
    });
  run_.rules.require(rule::modes, self.wanted == std::pair{id, x.tag}, [&] {
    return name(node, id) + " is entered at " + to_string(x.tag)
           + ", where no code wants it to be";
  });
  run_.rules.require(rule::modes, !x.history || self.visited.contains(id), [&] {
    return name(node, id)
           + " is entered with its history, but was never active";
  });
  self.wanted.reset();
  self.switched_in = self.execution;
  if (x.history && self.mode == id)
    return;
  auto called = logical_time{x.tag.ns, x.tag.microstep - 1};
  suspend(node, called);
  if (x.history) {
    restore(node, id, called);
  } else {
    self.suspended.erase(id);
    restart_ticks(node, id, called);
  }
  self.mode = id;
  self.visited.insert(id);
}

void modes::suspend(index node, logical_time tag) {
  auto& self = run_.nodes[node];
  auto& to = self.suspended[*self.mode];
  std::erase_if(self.scheduled, [&](auto& x) {
    auto& [due, pending] = x;
    if (run_.declared.actions()[pending.action].mode != self.mode)
      return false;
    to.push_back({distance(tag, due), pending});
    return true;
  });
}

void modes::restore(index node, index mode, logical_time tag) {
  auto& self = run_.nodes[node];
  for (auto& x : self.suspended[mode])
    if (auto due = tag + x.distance; due != forever)
      self.scheduled.emplace(due, x.pending);
  self.suspended.erase(mode);
}

void modes::restart_ticks(index node, index mode, logical_time tag) {
  auto& self = run_.nodes[node];
  const auto& declared = run_.declared.nodes()[node];
  for (auto i = declared.first_action; i < declared.last_action; ++i) {
    const auto& action = run_.declared.actions()[i];
    if (!action.ticks || action.mode != mode)
      continue;
    auto due
      = action.offset == 0 ? self.now : tag + time_delay{action.offset, 0};
    if (due != forever)
      self.scheduled.emplace(due, scheduled_event{i, {}, run_.line});
  }
}

void modes::present(index node, index mode) {
  const auto& self = run_.nodes[node];
  run_.rules.require(
    rule::modes, self.now == origin || self.switched_in == self.execution, [&] {
      return name(node, mode) + " is present at " + to_string(self.now)
             + ", but the node does not switch to it";
    });
}

// -- reactions ----------------------------------------------------------------

bool modes::runs(index node, index reaction) const {
  auto mode = run_.declared.reactions()[reaction].mode;
  return !mode || run_.nodes[node].mode == mode;
}

bool modes::runs_at_shutdown(index node, index reaction) const {
  auto mode = run_.declared.reactions()[reaction].mode;
  return !mode || run_.nodes[node].visited.contains(*mode);
}

} // namespace rosia_trace
