// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/restoring.hpp"

#include "rosia_trace/max_waits.hpp"
#include "rosia_trace/modes.hpp"
#include "rosia_trace/scheduling.hpp"
#include "rosia_trace/spacing_check.hpp"
#include "rosia_trace/traffic.hpp"
#include "rosia_trace/watchdogs.hpp"

namespace rosia_trace {

void restoring::begin(logical_time tag) {
  run_.rules.require(rule::format, !run_.resumed, [] {
    return "the run continues from a second checkpoint";
  });
  run_.rules.require(rule::format, is_tag(tag) && tag >= origin, [&] {
    return "the run continues from " + to_string(tag)
           + "; expected a tag from 0s on";
  });
  run_.resumed = tag;
}

void restoring::node(index node, const event& x) {
  require_restorable(node, x);
  auto& self = run_.nodes[node];
  auto name = [&] { return run_.name_of(node); };
  run_.rules.require(rule::format, !self.restored, [&] {
    return name() + " is restored a second time";
  });
  run_.rules.require(
    rule::tag_order, is_tag(x.tag) && x.tag >= origin && x.tag <= *run_.resumed,
    [&] {
      return name() + " had executed " + to_string(x.tag)
             + "; expected a tag up to that of the checkpoint, "
             + to_string(*run_.resumed);
    });
  self.restored = true;
  self.had_left = x.has(member::left) && x.left;
  self.now = x.tag;
  self.executed = self.has_event = true;
  self.execute_line = run_.line;
  if (!self.had_left)
    scheduling{run_}.expect_declared(node, *run_.resumed + time_delay{0, 1});
}

void restoring::message(index node, const event& x) {
  require_restorable(node, x);
  auto connection = run_.declared.find_connection_from(
    x.from, run_.declared.find_input(node, x.port));
  auto name = [&] {
    return "the message on " + run_.declared.connection_name(connection);
  };
  const auto& declared = run_.declared.connections()[connection];
  run_.rules.require(rule::format, !declared.physical, [&] {
    return name() + " is in no checkpoint: the connection is physical";
  });
  auto& state = run_.connections[connection];
  // Values sent at the same tag arrive a microstep apart.
  auto latest = *run_.resumed + declared.delay;
  run_.rules.require(
    rule::arrival_tags,
    x.arrival > *run_.resumed && x.arrival.ns <= latest.ns
      && x.arrival > state.last_arrival,
    [&] {
      auto result
        = name() + " was sent up to the checkpoint at "
          + to_string(*run_.resumed) + ", and arrives at "
          + to_string(x.arrival) + "; expected beyond the checkpoint, up to "
          + to_string(latest);
      return state.sent_line == 0
               ? result
               : result + ", and after the previous one ("
                   + at_line(state.sent_line) + ')';
    });
  state.last_arrival = x.arrival;
  state.sent_line = run_.line;
  if (x.arrival == forever)
    return;
  if (declared.has_wait())
    max_waits{run_}.send(connection, x);
  else
    push_pending(
      run_.nodes[node].queue, {x.arrival, run_.line, connection, digest_of(x)});
}

void restoring::pending_event(index node, const event& x) {
  require_restorable(node, x);
  auto id = run_.declared.find_action(node, x.action);
  if (is_watchdog(run_, id))
    return watchdogs{run_}.restore_expiry(node, id, x);
  auto mode = run_.declared.actions()[id].mode;
  if (!mode)
    scheduling{run_}.require_by_code(id);
  modes{run_}.require_in_mode(node, mode, [&] {
    return run_.name_of(node) + " had scheduled "
           + run_.declared.action_name(id);
  });
  if (is_mode(run_, id))
    run_.nodes[node].wanted = {id, x.due};
  run_.rules.require(
    rule::actions, is_tag(x.due) && x.due > *run_.resumed, [&] {
      return run_.name_of(node) + " had scheduled "
             + run_.declared.action_name(id) + " for " + to_string(x.due)
             + "; expected a tag beyond the checkpoint at "
             + to_string(*run_.resumed);
    });
  run_.nodes[node].scheduled.emplace(
    x.due, scheduled_event{id, digest_of(x), run_.line});
  spacing_check{run_}.restore(id, x.due);
}

void restoring::watchdog(index node, const event& x) {
  require_restorable(node, x);
  watchdogs{run_}.restore(node, x);
}

void restoring::mode(index node, const event& x) {
  require_restorable(node, x);
  if (x.kind == event_kind::visited)
    modes{run_}.restore(node, x);
  else
    modes{run_}.restore_suspended(node, x);
}

void restoring::require_restorable(index node, const event& x) {
  run_.rules.require(
    rule::format, run_.resumed && !run_.nodes[node].started, [&] {
      auto result = run_.name_of(node) + " has " + quoted(to_string(x.kind));
      return run_.resumed
               ? result + " after its start"
               : result + ", but the run continues from no checkpoint";
    });
}

} // namespace rosia_trace
