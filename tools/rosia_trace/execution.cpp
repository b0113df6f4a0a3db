// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/execution.hpp"

#include "rosia_trace/max_waits.hpp"
#include "rosia_trace/modes.hpp"
#include "rosia_trace/scheduling.hpp"
#include "rosia_trace/spacing_check.hpp"
#include "rosia_trace/traffic.hpp"
#include "rosia_trace/watchdogs.hpp"

#include <algorithm>

namespace rosia_trace {

// -- entering and leaving a tag -----------------------------------------------

void execution::start(index node) {
  auto& self = run_.nodes[node];
  run_.rules.require(rule::format, !self.started, [&] {
    return run_.name_of(node) + " starts a second time";
  });
  run_.rules.require(rule::format, self.restored || !run_.resumed, [&] {
    return run_.name_of(node) + " starts without what the checkpoint has of it";
  });
  self.started = true;
  if (self.had_left)
    return;
  if (self.restored)
    return modes{run_}.require_active(node);
  modes{run_}.start(node);
  scheduling{run_}.expect_declared(node, origin);
}

/// Checks a reaction that runs after `start()`, before the node executes a tag.
void execution::startup(index node, index reaction, const event& x) {
  auto& self = run_.nodes[node];
  auto& state = run_.reactions[reaction];
  auto name = [&] {
    return "the startup " + run_.declared.reaction_name(reaction) + " of node "
           + run_.declared.node_name(node);
  };
  run_.rules.require(rule::reactions, x.tag == origin && !self.executed, [&] {
    return name() + " runs at " + to_string(x.tag)
           + "; expected at 0s, before the node executes any tag";
  });
  run_.rules.require(rule::reactions, !state.has_instance, [&] {
    return name() + " runs a second time";
  });
  run_.rules.require(
    rule::reactions, !self.reacted || *self.reacted < reaction, [&] {
      return name() + " runs after "
             + run_.declared.reaction_name(*self.reacted)
             + ", which was declared later";
    });
  self.reacted = self.running = reaction;
  self.resumed = false;
  state.has_instance = true;
}

void execution::require_startups(index node) {
  const auto& declared = run_.declared.nodes()[node];
  for (auto i = declared.first_reaction; i < declared.last_reaction; ++i)
    run_.rules.require(
      rule::reactions,
      !run_.declared.reactions()[i].is_startup
        || run_.reactions[i].has_instance,
      [&] {
        return run_.name_of(node) + " continues without having run its startup "
               + run_.declared.reaction_name(i);
      });
}

void execution::execute(index node, const event& x) {
  auto& self = run_.nodes[node];
  auto name = [&] { return run_.name_of(node); };
  leave_tag(node);
  run_.rules.require(rule::tag_order, is_tag(x.tag) && x.tag >= origin, [&] {
    return name() + " executes " + to_string(x.tag)
           + "; expected a tag from 0s on";
  });
  if (self.executed)
    run_.rules.require(rule::tag_order, x.tag > self.now, [&] {
      return name() + " executes " + to_string(x.tag) + " after "
             + to_string(self.now) + " (" + at_line(self.execute_line)
             + "); expected a later tag";
    });
  if (self.last)
    run_.rules.require(rule::last_tag, false, [&] {
      return name() + " executes " + to_string(x.tag) + " after the last tag ("
             + at_line(self.execute_line) + ')';
    });
  if (run_.resumed && self.execution == 0)
    run_.rules.require(rule::tag_order, x.tag > *run_.resumed, [&] {
      return name() + " executes " + to_string(x.tag)
             + "; expected a tag beyond the checkpoint at "
             + to_string(*run_.resumed);
    });
  if (x.is_last()) {
    require_last(node, x.tag);
    begin_tag(node, x.tag);
    collect_last(node);
    return;
  }
  run_.rules.require(rule::stat, x.tag < x.stat, [&] {
    return name() + " executes " + to_string(x.tag) + " with STAT "
           + to_string(x.stat) + "; expected a STAT above the tag";
  });
  if (self.barrier != forever)
    run_.rules.require(rule::agreement, x.tag <= self.barrier, [&] {
      auto limit
        = self.final_taken && self.barrier == *self.final_taken
            ? "; the final tag that it took is "
            : "; it had answered the question for a final tag with ";
      return name() + " executes " + to_string(x.tag) + limit
             + to_string(self.barrier);
    });
  if (self.own_barrier != forever)
    run_.rules.require(rule::agreement, x.tag <= self.own_barrier, [&] {
      return name() + " executes " + to_string(x.tag)
             + "; it had requested an end at " + to_string(self.own_barrier)
             + ", on which nothing is decided";
    });
  begin_tag(node, x.tag);
  if (x.stat > self.stat) {
    self.stat = x.stat;
    self.stat_line = run_.line;
  }
  collect_due(node, x.tag);
}

void execution::begin_tag(index node, logical_time tag) {
  auto& self = run_.nodes[node];
  // Outputs of start() at 0s belong to this tag as well.
  if (self.executed || tag != self.now)
    self.written.clear();
  self.now = tag;
  self.executed = true;
  self.execute_line = run_.line;
  self.execution = ++run_.executions;
  self.awaited = 0;
  self.has_event = self.has_input = self.has_physical = false;
  self.active = self.start_resumed = false;
  self.reacted.reset();
}

void execution::require_last(index node, logical_time tag) {
  const auto& self = run_.nodes[node];
  auto name = [&] { return run_.name_of(node); };
  run_.rules.require(
    rule::last_tag,
    self.final_taken && tag == next_microstep(*self.final_taken), [&] {
      return name() + " executes the last tag at " + to_string(tag)
             + (self.final_taken
                  ? "; the final tag is " + to_string(*self.final_taken)
                  : "; it took no final tag");
    });
  const auto& declared = run_.declared.nodes()[node];
  for (auto i = declared.first_input; i < declared.last_input; ++i)
    for (auto c : run_.declared.inputs()[i].connections) {
      const auto& connection = run_.declared.connections()[c];
      const auto& sender = run_.nodes[connection.sender];
      run_.rules.require(
        rule::last_tag,
        !connection.is_instant() || sender.ended != ending::none
          || sender.had_left
          || run_.declared.in_one_instant_loop(connection.sender, node),
        [&] {
          return name() + " executes the last tag though node "
                 + run_.declared.node_name(connection.sender)
                 + ", which sends to it without delay, has not ended";
        });
    }
}

void execution::collect_last(index node) {
  auto& self = run_.nodes[node];
  auto final = *self.final_taken;
  scheduling{run_}.require_none_passed(node, final + time_delay{0, 1});
  self.last = true;
  // Events that were due now have no effect. A spacing may withdraw later ones.
  self.scheduled.erase(self.now);
  self.expired.erase(self.now);
  self.tardy.erase(self.now);
  self.due = 0;
  while (!self.queue.empty()) {
    auto next = pop_pending(self.queue);
    run_.rules.require(rule::nothing_lost, next.arrival > final, [&] {
      return run_.name_of(node) + " executes the last tag, but the message on "
             + run_.declared.connection_name(next.connection) + " ("
             + at_line(next.line) + ") arrives before, at "
             + to_string(next.arrival) + ", and was never set";
    });
    if (next.last)
      set_due(next);
  }
  // No mode is entered there.
  self.wanted.reset();
  const auto& declared = run_.declared.nodes()[node];
  for (auto i = declared.first_reaction; i < declared.last_reaction; ++i)
    if (run_.declared.reactions()[i].at_shutdown
        && modes{run_}.runs_at_shutdown(node, i)) {
      await(node, i);
      self.has_event = true;
    }
}

void execution::set_due(const pending_message& x) {
  auto& self = run_.nodes[run_.declared.connections()[x.connection].receiver];
  auto& connection = run_.connections[x.connection];
  connection.due_in = self.execution;
  connection.due = x.value;
  connection.due_line = x.line;
  ++self.due;
}

void execution::collect_due(index node, logical_time tag) {
  auto& self = run_.nodes[node];
  scheduling{run_}.require_none_passed(node, tag);
  self.due = 0;
  while (!self.queue.empty() && self.queue.front().arrival <= tag) {
    auto next = pop_pending(self.queue);
    run_.rules.require(rule::nothing_lost, next.arrival == tag, [&] {
      return run_.name_of(node) + " executes " + to_string(tag)
             + ", but the message on "
             + run_.declared.connection_name(next.connection) + " ("
             + at_line(next.line) + ") arrives before, at "
             + to_string(next.arrival) + ", and was never set";
    });
    set_due(next);
  }
}

void execution::go_on(index node, const event& x) {
  auto reaction = run_.declared.find_reaction(node, x.before);
  run_.require_tag(rule::reactions, node, x);
  run_.rules.require(
    rule::reactions, run_.declared.nodes()[node].in_instant_loop, [&] {
      return run_.here(node) + " continues before "
             + run_.declared.reaction_name(reaction)
             + ", but is in no loop without delay";
    });
}

void execution::take_instant(index node) {
  auto& self = run_.nodes[node];
  if (!run_.declared.nodes()[node].in_instant_loop)
    return;
  while (!self.queue.empty() && self.queue.front().arrival <= self.now)
    if (auto next = pop_pending(self.queue); next.last || !self.last)
      set_due(next);
}

void execution::require_unread(index node, index input) {
  const auto& declared = run_.declared.nodes()[node];
  for (auto i = declared.first_reaction; i < declared.last_reaction; ++i)
    run_.rules.require(
      rule::inputs,
      run_.reactions[i].ran_in != run_.nodes[node].execution
        || !run_.declared.may_read(i, input),
      [&] {
        return run_.here(node) + " sets " + run_.declared.input_name(input)
               + " after the reaction " + run_.declared.reaction_name(i)
               + ", which may read it; expected before";
      });
}

void execution::require_read_set(index node, index reaction) {
  const auto& declared = run_.declared.nodes()[node];
  for (auto i = declared.first_input; i < declared.last_input; ++i)
    if (run_.declared.may_read(reaction, i))
      for (auto c : run_.declared.inputs()[i].connections)
        run_.rules.require(
          rule::inputs,
          run_.connections[c].due_in != run_.nodes[node].execution, [&] {
            return run_.here(node) + " runs "
                   + run_.declared.reaction_name(reaction)
                   + " before it set the message on "
                   + run_.declared.connection_name(c) + " ("
                   + at_line(run_.connections[c].due_line)
                   + "), which arrives there";
          });
}

void execution::leave_tag(index node) {
  const auto& self = run_.nodes[node];
  if (self.failed)
    return;
  if (self.started && !self.executed)
    require_startups(node);
  if (self.executed) {
    take_instant(node);
    require_inputs_set(node);
    require_actions_present(node);
    run_.rules.require(rule::reactions, self.awaited == 0, [&] {
      const auto& declared = run_.declared.nodes()[node];
      auto missing = declared.first_reaction;
      while (run_.reactions[missing].awaited_in != self.execution
             || run_.reactions[missing].ran_in == self.execution)
        ++missing;
      return run_.here(node) + " (" + at_line(self.execute_line)
             + ") ends without the reaction "
             + run_.declared.reaction_name(missing)
             + ", which has a trigger present";
    });
    run_.rules.require(rule::reactions, self.has_event, [&] {
      return run_.here(node) + " (" + at_line(self.execute_line)
             + ") had nothing to do: nothing resumed, no input, no action";
    });
  }
  require_writes_complete(node);
}

void execution::require_inputs_set(index node) {
  const auto& self = run_.nodes[node];
  run_.rules.require(rule::inputs, self.due == 0, [&] {
    const auto& declared = run_.declared.nodes()[node];
    for (auto i = declared.first_input; i < declared.last_input; ++i)
      for (auto c : run_.declared.inputs()[i].connections)
        if (const auto& at = run_.connections[c]; at.due_in == self.execution)
          return run_.here(node) + " (" + at_line(self.execute_line)
                 + ") did not set the message on "
                 + run_.declared.connection_name(c) + " ("
                 + at_line(at.due_line) + "), which arrives there";
    return run_.here(node) + " did not set all messages that arrive there";
  });
}

void execution::require_actions_present(index node) {
  auto& self = run_.nodes[node];
  watchdogs{run_}.require_present(node);
  max_waits{run_}.require_present(node);
  if (self.scheduled.empty())
    return;
  auto& due = self.scheduled.begin()->first;
  auto& next = self.scheduled.begin()->second;
  run_.rules.require(rule::actions, due > self.now, [&] {
    return run_.here(node) + " (" + at_line(self.execute_line)
           + ") does not have the action "
           + run_.declared.action_name(next.action)
           + " present, which was scheduled for it (" + at_line(next.line)
           + ")";
  });
}

void execution::require_writes_complete(index node) {
  for (auto output : run_.nodes[node].written) {
    const auto& connections = run_.declared.outputs()[output].connections;
    auto missing = connections.end();
    if (run_.outputs[output].reached < connections.size())
      missing
        = std::find_if(connections.begin(), connections.end(), [&](index c) {
            return is_missing(output, c);
          });
    run_.rules.require(rule::one_write, missing == connections.end(), [&] {
      return "what node " + run_.declared.node_name(node) + " wrote at "
             + to_string(*run_.outputs[output].written_at) + " did not go to "
             + run_.declared.connection_name(*missing);
    });
  }
}

/// Returns whether the last written value should have been sent to
/// `connection`, but was not.
bool execution::is_missing(index output, index connection) const {
  const auto& declared = run_.declared.connections()[connection];
  const auto& state = run_.connections[connection];
  auto written_at = run_.outputs[output].written_at;
  if (run_.nodes[declared.sender].last && !declared.is_instant())
    return false;
  // A value that arrives at `forever` does not count.
  return state.sent_at != written_at
         && (declared.physical
             || expected_arrival(declared, state, *written_at) != forever);
}

// -- at a tag -----------------------------------------------------------------

void execution::resume(index node, const event& x) {
  auto& self = run_.nodes[node];
  run_.require_tag(rule::reactions, node, x);
  run_.rules.require(
    rule::reactions, !self.has_input && !self.reacted.has_value(), [&] {
      return run_.here(node) + " resumes " + quoted(x.reaction)
             + " after it set an input or ran a reaction; expected before";
    });
  auto declared = run_.declared.has_reaction(node, x.reaction);
  auto is_start = x.reaction == "start";
  if (!declared && !is_start)
    run_.declared.find_reaction(node, x.reaction);
  if (is_start && !self.start_resumed && x.tag > origin) {
    self.start_resumed = true;
  } else {
    reaction_state none;
    auto& state
      = declared ? run_.reactions[run_.declared.find_reaction(node, x.reaction)]
                 : none;
    run_.rules.require(rule::reactions, state.has_instance, [&] {
      return run_.here(node) + " resumes " + quoted(x.reaction)
             + ", which could not have yielded before";
    });
    run_.rules.require(
      rule::reactions, state.resumed_in != self.execution, [&] {
        return run_.here(node) + " resumes " + quoted(x.reaction)
               + " a second time; its instances are resumed a microstep apart";
      });
    state.resumed_in = self.execution;
  }
  self.running.reset();
  if (declared) {
    self.running = run_.declared.find_reaction(node, x.reaction);
    modes{run_}.require_in_mode(
      node, run_.declared.reactions()[*self.running].mode,
      [&] { return run_.here(node) + " resumes " + quoted(x.reaction); });
  }
  self.has_event = self.active = self.resumed = true;
}

void execution::input(index node, const event& x) {
  auto& self = run_.nodes[node];
  auto port = run_.declared.find_input(node, x.port);
  run_.require_tag(rule::no_late_message, node, x);
  auto in_loop = run_.declared.nodes()[node].in_instant_loop;
  run_.rules.require(rule::inputs, !self.reacted.has_value() || in_loop, [&] {
    return run_.here(node) + " sets " + run_.declared.input_name(port)
           + " after a reaction ran; expected before";
  });
  if (in_loop) {
    take_instant(node);
    require_unread(node, port);
  }
  if (x.has(member::from)) {
    auto c = run_.declared.find_connection_from(x.from, port);
    auto& declared = run_.declared.connections()[c];
    if (declared.physical)
      set_physical(node, c, x);
    else if (declared.has_wait())
      set_waiting(node, c, x);
    else
      set_logical(node, c, x);
    set_present(node, port);
    require_declared_order(node, port, c);
  } else {
    run_.rules.require(
      rule::inputs, run_.declared.inputs()[port].physical, [&] {
        return run_.here(node) + " has a value from outside at "
               + run_.declared.input_name(port)
               + ", which is not a physical action";
      });
    take_physical(node);
    spacing_check{run_}.input(node, port, x.tag);
    set_present(node, port);
  }
  self.has_event = self.has_input = true;
}

void execution::set_logical(index node, index connection, const event& x) {
  auto& self = run_.nodes[node];
  auto& state = run_.connections[connection];
  auto name = [&] { return run_.declared.connection_name(connection); };
  run_.rules.require(rule::inputs, state.due_in == self.execution, [&] {
    auto result = run_.here(node) + " sets a message on " + name()
                  + " that was not sent to arrive there";
    auto oldest = oldest_pending(self.queue, connection);
    return oldest
             ? result + "; the oldest that is pending (" + at_line(oldest->line)
                 + ") arrives at " + to_string(oldest->arrival)
             : result + "; none is pending";
  });
  auto value = digest_of(x);
  run_.rules.require(rule::inputs, state.due == value, [&] {
    return run_.here(node) + " sets a message on " + name() + " with digest "
           + to_string(value) + "; sent (" + at_line(state.due_line) + ") was "
           + to_string(state.due);
  });
  state.due_in = 0;
  --self.due;
}

void execution::set_physical(index node, index connection, const event& x) {
  take_physical(node);
  // The value is that of the recorded run. It may be taken before it is sent.
  if (run_.replay)
    return;
  auto& state = run_.connections[connection];
  auto value = digest_of(x);
  // Skips dropped values: the accepted values keep their order.
  auto& i = state.taken;
  while (i < state.physical.size() && state.physical[i] != value)
    ++i;
  run_.rules.require(rule::inputs, i < state.physical.size(), [&] {
    return run_.here(node) + " takes a value with digest " + to_string(value)
           + " on " + run_.declared.connection_name(connection)
           + ", but no such one is on its way";
  });
  ++i;
  if (i > 1024 && i > state.physical.size() / 2) {
    state.physical.erase(
      state.physical.begin(),
      state.physical.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
  }
}

void execution::set_waiting(index node, index connection, const event& x) {
  if (max_waits{run_}.set(node, connection, x))
    take_physical(node);
}

void execution::take_physical(index node) {
  auto& self = run_.nodes[node];
  run_.rules.require(rule::inputs, !self.has_physical, [&] {
    return run_.here(node)
           + " takes a second physical value; each has a tag of its own";
  });
  self.has_physical = true;
}

/// Checks that several values at one tag are in the order of their connections.
void execution::require_declared_order(
  index node, index input, index connection) {
  auto& last = run_.inputs[input].set_by;
  // A tardy value precedes one of the same connection that is in time.
  auto is_later = [&] {
    return *last < connection
           || (*last == connection
               && run_.declared.connections()[connection].has_wait());
  };
  run_.rules.require(rule::inputs, !last || is_later(), [&] {
    return run_.here(node) + " sets the value on "
           + run_.declared.connection_name(connection) + " after that on "
           + run_.declared.connection_name(*last)
           + ", which was declared later";
  });
  last = connection;
}

void execution::set_present(index node, index input) {
  auto& self = run_.nodes[node];
  auto& state = run_.inputs[input];
  if (state.set_in == self.execution)
    return;
  state.set_in = self.execution;
  state.set_by.reset();
  for (auto reaction : run_.declared.inputs()[input].reactions)
    if (modes{run_}.runs(node, reaction))
      await(node, reaction);
}

void execution::await(index node, index reaction) {
  auto& self = run_.nodes[node];
  auto& state = run_.reactions[reaction];
  if (state.awaited_in == self.execution)
    return;
  state.awaited_in = self.execution;
  ++self.awaited;
}

void execution::action(index node, const event& x) {
  auto& self = run_.nodes[node];
  auto id = run_.declared.find_action(node, x.action);
  run_.require_tag(rule::actions, node, x);
  run_.rules.require(rule::actions, !self.reacted.has_value(), [&] {
    return run_.here(node) + " has " + run_.declared.action_name(id)
           + " present after a reaction ran; expected before";
  });
  if (is_watchdog(run_, id)) {
    watchdogs{run_}.present(node, id, x);
    return set_present_action(node, id);
  }
  auto next = self.scheduled.begin();
  auto is_due = next != self.scheduled.end() && next->first == x.tag;
  run_.rules.require(rule::actions, is_due, [&] {
    return run_.here(node) + " has " + run_.declared.action_name(id)
           + " present, but nothing that was scheduled for this tag is left";
  });
  auto& expected = next->second;
  auto value = digest_of(x);
  const auto& declared = run_.declared.actions()[id];
  auto ticks = declared.ticks;
  auto has_own_value = !ticks && !declared.is_mode;
  run_.rules.require(
    rule::actions,
    expected.action == id && (!has_own_value || expected.value == value), [&] {
      return run_.here(node) + " has " + run_.declared.action_name(id)
             + " present with digest " + to_string(value)
             + "; the next that was scheduled (" + at_line(expected.line)
             + ") is " + run_.declared.action_name(expected.action) + " with "
             + to_string(expected.value);
    });
  self.scheduled.erase(next);
  if (declared.is_mode)
    modes{run_}.present(node, id);
  if (ticks && !declared.mode)
    scheduling{run_}.expect_tick(node, id, x.tag + time_delay{0, 1});
  else if (ticks && declared.period > 0)
    if (auto due = logical_time{x.tag.ns, 0} + time_delay{declared.period, 0};
        due != forever)
      self.scheduled.emplace(due, scheduled_event{id, {}, run_.line});
  set_present_action(node, id);
}

void execution::set_present_action(index node, index action) {
  auto& self = run_.nodes[node];
  for (auto reaction : run_.declared.actions()[action].reactions)
    if (modes{run_}.runs(node, reaction))
      await(node, reaction);
  self.has_event = self.has_input = true;
}

void execution::reaction(index node, const event& x) {
  auto& self = run_.nodes[node];
  auto id = run_.declared.find_reaction(node, x.reaction);
  if (run_.declared.reactions()[id].is_startup)
    return startup(node, id, x);
  auto& state = run_.reactions[id];
  run_.require_tag(rule::reactions, node, x);
  if (run_.declared.nodes()[node].in_instant_loop) {
    take_instant(node);
    require_read_set(node, id);
  } else {
    require_inputs_set(node);
  }
  require_actions_present(node);
  run_.rules.require(rule::reactions, state.ran_in != self.execution, [&] {
    return run_.here(node) + " runs " + quoted(x.reaction) + " a second time";
  });
  if (!self.last)
    modes{run_}.require_in_mode(node, run_.declared.reactions()[id].mode, [&] {
      return run_.here(node) + " runs " + quoted(x.reaction);
    });
  run_.rules.require(rule::reactions, state.awaited_in == self.execution, [&] {
    return run_.here(node) + " runs " + quoted(x.reaction)
           + ", but none of its triggers is present";
  });
  run_.rules.require(rule::reactions, !self.reacted || *self.reacted < id, [&] {
    return run_.here(node) + " runs " + quoted(x.reaction) + " after "
           + run_.declared.reaction_name(*self.reacted)
           + ", which was declared later";
  });
  self.reacted = self.running = id;
  self.resumed = false;
  self.active = true;
  state.ran_in = self.execution;
  state.has_instance = true;
  --self.awaited;
}

} // namespace rosia_trace
