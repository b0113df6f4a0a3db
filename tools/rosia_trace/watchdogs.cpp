// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/watchdogs.hpp"

#include <string>

namespace rosia_trace {

bool is_watchdog(const run& state, index action) {
  return state.declared.actions()[action].timeout >= 0;
}

index watchdogs::find(index node, const event& x) {
  auto id = run_.declared.find_action(node, x.action);
  run_.rules.require(rule::watchdogs, is_watchdog(run_, id), [&] {
    return name(node, id) + " is declared without a timeout";
  });
  return id;
}

std::string watchdogs::name(index node, index action) const {
  return run_.name_of(node) + ": watchdog " + run_.declared.action_name(action);
}

void watchdogs::set(index node, const event& x) {
  auto id = find(node, x);
  const auto& self = run_.nodes[node];
  auto& state = run_.watchdogs[id];
  auto starts = x.has(member::expiry);
  auto change
    = [&] { return name(node, id) + (starts ? " is started" : " is stopped"); };
  run_.rules.require(rule::watchdogs, x.tag == self.now, [&] {
    return change() + " at " + to_string(x.tag) + "; the node is at "
           + to_string(self.now);
  });
  run_.rules.require(rule::watchdogs, !self.executed || self.active, [&] {
    return change() + " at " + to_string(x.tag)
           + ", where nothing ran or resumed before";
  });
  if (!starts) {
    state.expiry.reset();
    return;
  }
  auto least = logical_time{x.tag.ns, 0}
               + time_delay{run_.declared.actions()[id].timeout, 0};
  run_.rules.require(rule::watchdogs, x.expiry >= least.ns, [&] {
    return change() + " at " + to_string(x.tag) + " and expires at "
           + std::to_string(x.expiry) + " ns; expected at "
           + std::to_string(least.ns) + " ns or later";
  });
  state.expiry = x.expiry;
  state.line = run_.line;
}

void watchdogs::expire(index node, const event& x) {
  auto id = find(node, x);
  auto& self = run_.nodes[node];
  auto& state = run_.watchdogs[id];
  run_.rules.require(rule::watchdogs, !run_.replay, [&] {
    return name(node, id) + " expires in a replay";
  });
  run_.rules.require(rule::watchdogs, state.expiry.has_value(), [&] {
    return name(node, id) + " expires, but does not run";
  });
  auto expiry = *state.expiry;
  run_.rules.require(rule::watchdogs, x.elapsed >= expiry, [&] {
    return name(node, id) + " expires " + std::to_string(x.elapsed)
           + " ns after the start; it was started (" + at_line(state.line)
           + ") to expire at " + std::to_string(expiry) + " ns";
  });
  run_.rules.require(
    rule::watchdogs,
    is_tag(x.due) && x.due >= logical_time{expiry, 0} && x.due > self.now, [&] {
      return name(node, id) + " expires for " + to_string(x.due)
             + "; expected a tag from " + std::to_string(expiry)
             + " ns on, after " + to_string(self.now);
    });
  auto last = self.expired.empty() ? never : self.expired.rbegin()->first;
  run_.rules.require(rule::watchdogs, x.due > last, [&] {
    return name(node, id) + " expires for " + to_string(x.due)
           + "; expected a tag after the last one, " + to_string(last);
  });
  self.expired.emplace(x.due, scheduled_event{id, {}, run_.line});
  state.expiry.reset();
}

void watchdogs::restore(index node, const event& x) {
  auto& state = run_.watchdogs[find(node, x)];
  state.expiry = x.expiry;
  state.line = run_.line;
}

void watchdogs::restore_expiry(index node, index action, const event& x) {
  run_.rules.require(
    rule::watchdogs, is_tag(x.due) && x.due > *run_.resumed, [&] {
      return name(node, action) + " had expired for " + to_string(x.due)
             + "; expected a tag beyond the checkpoint at "
             + to_string(*run_.resumed);
    });
  run_.nodes[node].expired.emplace(
    x.due, scheduled_event{action, {}, run_.line});
}

void watchdogs::present(index node, index action, const event& x) {
  auto& self = run_.nodes[node];
  auto found = self.expired.find(x.tag);
  auto has_expired
    = found != self.expired.end() && found->second.action == action;
  if (has_expired)
    self.expired.erase(found);
  if (!run_.replay || has_expired) {
    run_.rules.require(rule::watchdogs, has_expired, [&] {
      return name(node, action) + " is present at " + to_string(x.tag)
             + ", but has not expired for it";
    });
    return;
  }
  // When it has expired is not known: code may have started it again since.
  auto& state = run_.watchdogs[action];
  run_.rules.require(rule::watchdogs, state.line > 0, [&] {
    return name(node, action) + " is present at " + to_string(x.tag)
           + ", but was never started";
  });
  if (state.expiry && logical_time{*state.expiry, 0} <= x.tag)
    state.expiry.reset();
}

void watchdogs::require_present(index node) {
  require_none_left(node, run_.nodes[node].now);
}

void watchdogs::require_none_left(index node, logical_time last) {
  auto& expired = run_.nodes[node].expired;
  if (expired.empty())
    return;
  run_.rules.require(rule::watchdogs, expired.begin()->first > last, [&] {
    auto& [due, next] = *expired.begin();
    return name(node, next.action) + " is not present at " + to_string(due)
           + ", for which it expired (" + at_line(next.line) + ")";
  });
}

void watchdogs::require_none_runs(index node) {
  const auto& declared = run_.declared.nodes()[node];
  for (auto i = declared.first_action; i < declared.last_action; ++i)
    if (is_watchdog(run_, i))
      run_.rules.require(rule::watchdogs, !run_.watchdogs[i].expiry, [&] {
        return name(node, i) + " runs (" + at_line(run_.watchdogs[i].line)
               + "), but the node is done";
      });
}

} // namespace rosia_trace
