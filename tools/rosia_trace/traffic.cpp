// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/traffic.hpp"

#include "rosia_trace/max_waits.hpp"

#include <algorithm>

namespace rosia_trace {

namespace {

/// Orders a heap by arrival. Messages with equal arrival are in the order of
/// sending.
struct later {
  bool operator()(const pending_message& x, const pending_message& y) const {
    return x.arrival != y.arrival ? x.arrival > y.arrival : x.line > y.line;
  }
};

} // namespace

logical_time expected_arrival(const declared_connection& declared,
                              const connection_state& state, logical_time tag) {
  return std::max(tag + declared.delay, next_microstep(state.last_arrival));
}

void push_pending(std::vector<pending_message>& queue, pending_message x) {
  queue.push_back(x);
  std::push_heap(queue.begin(), queue.end(), later{});
}

pending_message pop_pending(std::vector<pending_message>& queue) {
  std::pop_heap(queue.begin(), queue.end(), later{});
  auto result = queue.back();
  queue.pop_back();
  return result;
}

std::optional<pending_message> oldest_pending(
  const std::vector<pending_message>& queue, index connection) {
  std::optional<pending_message> result;
  for (const auto& x : queue)
    if (x.connection == connection && (!result || x.arrival < result->arrival))
      result = x;
  return result;
}

// -- sending ------------------------------------------------------------------

void traffic::send(index node, const event& x) {
  auto& self = run_.nodes[node];
  auto output = run_.declared.find_output(node, x.port);
  auto connection = run_.declared.find_connection_to(output, x.to);
  const auto& declared = run_.declared.connections()[connection];
  run_.rules.require(rule::reactions, x.tag == self.now, [&] {
    return run_.name_of(node) + " sends from "
           + run_.declared.output_name(output) + " with tag " + to_string(x.tag)
           + "; it is at " + to_string(self.now);
  });
  run_.rules.require(rule::reactions, !self.executed || self.active, [&] {
    return run_.name_of(node) + " sends from "
           + run_.declared.output_name(output) + " at " + to_string(x.tag)
           + ", where nothing ran or resumed before";
  });
  run_.rules.require(
    rule::format, declared.physical != x.has(member::arrival), [&] {
      return run_.declared.connection_name(connection)
             + (declared.physical ? " is physical; expected no arrival tag"
                                  : " is logical; expected an arrival tag");
    });
  require_declared(node, output);
  write(node, output, connection, x);
  require_instant(node, connection);
  if (!declared.physical)
    send_logical(connection, x);
  else if (!run_.replay && run_.nodes[declared.receiver].ended == ending::none)
    run_.connections[connection].physical.push_back(digest_of(x));
}

/// Checks that nothing leaves the last tag with a delay [10.6.5].
void traffic::require_instant(index node, index connection) {
  if (!run_.nodes[node].last)
    return;
  const auto& declared = run_.declared.connections()[connection];
  run_.rules.require(rule::last_tag, declared.is_instant(), [&] {
    return run_.name_of(node) + " sends on "
           + run_.declared.connection_name(connection)
           + " at the last tag, though it has a delay or is physical";
  });
}

/// Checks that a reaction that declares its ports declares this one.
void traffic::require_declared(index node, index output) {
  const auto& self = run_.nodes[node];
  if (!self.running)
    return;
  const auto& code = run_.declared.reactions()[*self.running];
  auto contains = [&](const std::vector<index>& xs) {
    return std::find(xs.begin(), xs.end(), output) != xs.end();
  };
  run_.rules.require(
    rule::reactions,
    !code.declares || contains(code.writes)
      || (self.resumed && contains(code.writes_later)),
    [&] {
      return "the reaction " + run_.declared.reaction_name(*self.running)
             + " of node " + run_.declared.node_name(node) + " writes "
             + run_.declared.output_name(output) + " at " + to_string(self.now)
             + ", which it does not declare";
    });
}

void traffic::write(index node, index output, index connection,
                    const event& x) {
  auto& port = run_.outputs[output];
  auto& state = run_.connections[connection];
  run_.rules.require(rule::one_write, state.sent_at != x.tag, [&] {
    return run_.name_of(node) + " sends on "
           + run_.declared.connection_name(connection) + " at "
           + to_string(x.tag) + " a second time";
  });
  state.sent_at = x.tag;
  if (port.written_at != x.tag) {
    port.written_at = x.tag;
    port.reached = 0;
    run_.nodes[node].written.push_back(output);
  }
  ++port.reached;
}

void traffic::send_logical(index connection, const event& x) {
  require_arrival(connection, x);
  require_receivable(connection, x);
  auto& state = run_.connections[connection];
  auto& receiver = run_.nodes[run_.declared.connections()[connection].receiver];
  state.last_arrival = x.arrival;
  state.sent_line = run_.line;
  // A message that arrives at `forever` does not count.
  if (receiver.ended != ending::none || x.arrival == forever)
    return;
  if (run_.declared.connections()[connection].has_wait())
    max_waits{run_}.send(connection, x);
  else
    push_pending(
      receiver.queue,
      {x.arrival, run_.line, connection, digest_of(x), sent_last(connection)});
}

bool traffic::sent_last(index connection) const {
  return run_.nodes[run_.declared.connections()[connection].sender].last;
}

void traffic::require_arrival(index connection, const event& x) {
  const auto& state = run_.connections[connection];
  auto name = [&] { return run_.declared.connection_name(connection); };
  const auto& declared = run_.declared.connections()[connection];
  auto delay = declared.delay;
  auto expected = expected_arrival(declared, state, x.tag);
  run_.rules.require(rule::arrival_tags, x.arrival == expected, [&] {
    auto result
      = "the message on " + name() + " sent at " + to_string(x.tag)
        + " arrives at " + to_string(x.arrival) + "; expected "
        + to_string(expected) + ": delay " + to_string(delay);
    return state.sent_line == 0
             ? result
             : result + ", previous arrival " + to_string(state.last_arrival)
                 + " (" + at_line(state.sent_line) + ')';
  });
  // Promises were made before the final tag was known [10.6.2].
  if (state.promised_line == 0 || sent_last(connection))
    return;
  run_.rules.require(rule::promises, x.arrival >= state.promised, [&] {
    return "the message on " + name() + " arrives at " + to_string(x.arrival)
           + ", though nothing was to arrive before "
           + to_string(state.promised) + " (promised in "
           + at_line(state.promised_line) + ')';
  });
}

void traffic::require_receivable(index connection, const event& x) {
  if (run_.declared.connections()[connection].has_wait())
    return; // it may be tardy
  auto id = run_.declared.connections()[connection].receiver;
  const auto& receiver = run_.nodes[id];
  auto name = [&] { return run_.name_of(id); };
  auto message = [&] {
    return "the message on " + run_.declared.connection_name(connection)
           + " arrives at " + to_string(x.arrival);
  };
  const auto& declared = run_.declared.connections()[connection];
  auto is_together
    = declared.is_instant()
      && run_.declared.in_one_instant_loop(declared.sender, id);
  if (sent_last(connection)) {
    auto waits
      = receiver.ended == ending::aborted
        || (receiver.ended == ending::none && (!receiver.last || is_together));
    run_.rules.require(rule::last_tag, waits, [&] {
      return message() + ", but " + name()
             + " executed this last tag, or shut down";
    });
    return;
  }
  // Messages that were due at the last tag have no effect there.
  if (receiver.executed && !(receiver.last && x.arrival > *receiver.final_taken)
      && !(is_together && x.arrival == receiver.now)) {
    run_.rules.require(rule::no_late_message, x.arrival > receiver.now, [&] {
      return message() + ", but " + name() + " already executed "
             + to_string(receiver.now) + " (" + at_line(receiver.execute_line)
             + ')';
    });
    run_.rules.require(rule::stat, x.arrival >= receiver.stat, [&] {
      return message() + ", but " + name() + " had STAT "
             + to_string(receiver.stat) + " (" + at_line(receiver.stat_line)
             + "): nothing could arrive below that";
    });
  }
  if (receiver.ended == ending::none || receiver.ended == ending::aborted
      || x.arrival == forever)
    return;
  run_.rules.require(
    rule::nothing_lost,
    receiver.ended == ending::final && x.arrival > receiver.final_taken, [&] {
      return message() + ", but " + name() + " has shut down"
             + (receiver.ended == ending::done
                  ? " because nothing more could arrive"
                  : " having executed up to the final tag "
                      + to_string(*receiver.final_taken));
    });
}

// -- promises -----------------------------------------------------------------

void traffic::promise(index node, const event& x) {
  auto output = run_.declared.find_output(node, x.port);
  auto connection = run_.declared.find_connection_to(output, x.to);
  auto name = [&] { return run_.declared.connection_name(connection); };
  run_.rules.require(
    rule::format, !run_.declared.connections()[connection].physical, [&] {
      return name() + " is physical; expected a promise on a logical one";
    });
  auto& state = run_.connections[connection];
  if (state.promised_line != 0)
    run_.rules.require(rule::promises, x.tag >= state.promised, [&] {
      return "the promise on " + name() + " is " + to_string(x.tag)
             + ", below the earlier " + to_string(state.promised) + " ("
             + at_line(state.promised_line) + ')';
    });
  state.promised = x.tag;
  state.promised_line = run_.line;
}

} // namespace rosia_trace
