// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/logical_time.hpp"
#include "rosia_trace/rule.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trace_test {

using rosia_trace::forever;
using rosia_trace::logical_time;
using rosia_trace::never;
using rosia_trace::origin;

// -- lines, by the format -----------------------------------------------------

/// Returns a tag or a delay as JSON.
std::string json(logical_time x);

std::string digest(std::uint64_t x);

std::string application(std::string_view more = "");

/// Declares a node; `str` returns the line.
class node_line {
public:
  /// @param process empty if there is only one.
  explicit node_line(std::string_view name, std::string_view process = {});

  node_line& input(std::string_view name, bool physical = false,
                   std::string_view type = "int");

  node_line& output(std::string_view name, std::string_view type = "int");

  node_line& reaction(std::string_view name,
                      const std::vector<std::string>& triggers);

  /// Adds a reaction that declares the outputs that it writes, and those that
  /// it writes later.
  node_line& declaring(std::string_view name, std::string_view trigger,
                       std::string_view writes, std::string_view writes_later);

  /// Adds one that an action triggers.
  node_line& declaring_on(std::string_view name, std::string_view action,
                          std::string_view writes);

  node_line& startup(std::string_view name);

  node_line& action(std::string_view name);

  /// Adds an action with a spacing.
  node_line& spaced(std::string_view action, std::int64_t spacing,
                    std::string_view policy);

  /// Adds a physical action with a spacing.
  node_line& spaced_input(std::string_view name, std::int64_t spacing);

  /// Adds a reaction to the last tag.
  node_line& at_shutdown(std::string_view name);

  /// Adds a watchdog with a timeout in nanoseconds.
  node_line& watchdog(std::string_view name, std::int64_t timeout);

  /// Adds a tick; with the period 0, it is present once.
  node_line& tick(std::string_view name, std::int64_t offset,
                  std::int64_t period);

  /// Adds a mode, or a tick or an action of one.
  node_line& mode(std::string_view name);
  node_line& tick_of(std::string_view mode, std::string_view name,
                     std::int64_t offset, std::int64_t period);
  node_line& action_of(std::string_view mode, std::string_view name);

  /// Makes the last reaction one of a mode.
  node_line& of_mode(std::string_view mode);

  /// Gives the last reaction a deadline in nanoseconds, or a state that has it.
  node_line& deadline(std::int64_t ns);
  node_line& deadline(std::string_view state);

  /// Adds a reaction that is triggered by an action.
  node_line& reaction_on(std::string_view name, std::string_view action);

  std::string str() const;

private:
  std::string name_, process_, inputs_, outputs_, reactions_, actions_;
};

std::string connection(std::string_view from, std::string_view to,
                       logical_time delay = origin, bool physical = false);

/// Returns a line about a connection with a maximal wait in nanoseconds.
std::string waiting_connection(
  std::string_view from, std::string_view to, std::int64_t wait);

std::string start(std::string_view node);

std::string execute(std::string_view node, logical_time tag, logical_time stat);

std::string execute_last(std::string_view node, logical_time tag);

/// Returns a line about a node that continues a tag, in a loop without delay.
std::string go_on(std::string_view node, logical_time tag,
                  std::string_view before);

/// Returns a line about a node that waits for the final tag.
std::string done(std::string_view node, logical_time tag);

std::string resume(std::string_view node, logical_time tag,
                   std::string_view reaction = "start");

/// @param from `node.port`; empty for a value of a physical action.
std::string input(
  std::string_view node, logical_time tag, std::string_view port,
  std::string_view from, std::uint64_t value);

std::string schedule(
  std::string_view node, logical_time tag, std::string_view action,
  logical_time due, std::uint64_t value);

std::string withdraw(std::string_view node, logical_time tag,
                     std::string_view action, logical_time due);

std::string action(std::string_view node, logical_time tag,
                   std::string_view action, std::uint64_t value);

std::string reaction(std::string_view node, logical_time tag,
                     std::string_view reaction);

/// Returns a line about code that starts or stops a watchdog. A negative expiry
/// means that it is stopped.
std::string watchdog(std::string_view node, logical_time tag,
                     std::string_view action, std::int64_t expiry);

/// Returns a line about a node that enters a mode.
std::string mode(std::string_view node, logical_time tag,
                 std::string_view action, bool history);

/// Returns a line about a mode that was active before a checkpoint.
std::string visited(std::string_view node, std::string_view action,
                    bool is_active);

/// Returns a line about an event of a mode that was left.
std::string suspended(std::string_view node, std::string_view action,
                      logical_time delay, std::uint64_t value);

std::string expire(std::string_view node, std::string_view action,
                   logical_time due, std::int64_t elapsed);

std::string running(std::string_view node, std::string_view action,
                    std::int64_t expiry);

/// Returns a line about a tardy value. It was dropped if `due` is `forever`.
std::string tardy(
  std::string_view node, std::string_view port, std::string_view from,
  logical_time arrival, logical_time due);

std::string missed(std::string_view node, logical_time tag,
                   std::string_view reaction, std::int64_t deadline);

std::string ran(std::string_view node, logical_time tag,
                std::string_view reaction, std::int64_t began,
                std::int64_t ended);

std::string send(
  std::string_view node, logical_time tag, std::string_view port,
  std::string_view to, logical_time arrival, std::uint64_t value);

std::string send_physical(
  std::string_view node, logical_time tag, std::string_view port,
  std::string_view to, std::uint64_t value);

std::string promise(std::string_view node, std::string_view port,
                    std::string_view to, logical_time tag);

std::string drop(std::string_view node, std::string_view port,
                 std::string_view reason);

std::string request(std::string_view node, logical_time tag,
                    logical_time proposal, int status = 0);

std::string request_outside(logical_time proposal, int status = 0);

std::string asked(std::string_view node, logical_time proposal);

std::string answer(std::string_view node, logical_time tag);

std::string final_tag(logical_time tag);

std::string final_taken(std::string_view node, logical_time tag);

std::string error(std::string_view node, std::string_view reaction,
                  logical_time tag, std::string_view text);

std::string aborted();

/// Returns the line of an abort before the start.
std::string unstarted();

std::string shutdown(std::string_view node, logical_time tag,
                     std::string_view ending);

std::string exit(std::string_view node);

std::string end(int status = 0);

/// Returns the line with another value of `elapsed`.
std::string at(std::string line, std::int64_t elapsed);

/// @param first the first node of the group; empty if the node leaves it.
std::string group(std::string_view node, std::string_view first);

std::string resumed(logical_time tag);

std::string restored(std::string_view node, logical_time tag,
                     bool left = false);

std::string in_transit(
  std::string_view node, std::string_view port, std::string_view from,
  logical_time arrival, std::uint64_t value);

std::string pending(std::string_view node, std::string_view action,
                    logical_time due, std::uint64_t value);

// -- traces -------------------------------------------------------------------

/// A trace that can be changed line by line.
struct trace {
  std::vector<std::string> lines;

  trace() = default;

  trace(std::initializer_list<std::string> init) : lines{init} {
    // nop
  }

  std::string text() const;

  /// Returns the number, from 1, of the `nth` line (from 1) with all of
  /// `parts`. The test fails if there is none.
  std::size_t find(std::initializer_list<std::string_view> parts,
                   std::size_t nth = 1) const;

  /// Returns the trace without one line. Lines are counted from 1.
  trace without(std::size_t line) const;

  trace with(std::size_t line, std::string_view before,
             std::string_view after) const;

  /// Returns the trace with `text` as line number `line`.
  trace inserted(std::size_t line, std::string text) const;

  trace swapped(std::size_t line, std::size_t other) const;

  /// Returns the trace with line `from` moved to `to`.
  trace moved(std::size_t from, std::size_t to) const;
};

/// Fails the test unless all rules hold.
void require_good(const trace& x);

/// Fails the test unless `broken` is the first broken rule, in line number
/// `line`, and the message has all of `parts`.
void require_broken(const trace& x, rosia_trace::rule broken, std::size_t line,
                    std::initializer_list<std::string> parts = {});

// -- valid traces, by hand ----------------------------------------------------

/// Returns a trace in which `source` yields between 0, 5 and 10 ns and sends
/// each time. `relay` forwards the values without a delay, to `sink` with 3 ns.
/// `sink` has two inputs and three reactions. All nodes end by themselves.
trace natural_end();

/// Returns a trace of this graph in which `sink` requests at 3 ns to end at 7
/// ns.
trace requested_end();

/// Returns a trace of this graph in which `relay` fails at 5 ns.
trace aborted_end();

/// Returns a trace in which `left` and `right` send a value around a loop
/// closed by a microstep, three times. The loop ends by itself.
trace loop_end();

/// Returns a trace in which `b` schedules two events for one tag, and at that
/// tag a third event.
trace scheduled_events();

/// Returns a trace in which `a` sends to `b` at 5, and at the last tag. `b`
/// forwards what it receives to `c`, with 2 ns. All end by themselves.
trace last_tag();

/// Returns a trace of a node with two watchdogs, which its code starts and
/// stops. The first expires twice, the second once, at the same instant.
trace expiring_watchdogs(std::string_view application_members = "");

/// Returns a trace of a node with two modes. At 5 ns it leaves the first one,
/// with an event 4 ns away, and at 8 ns it returns to it.
trace switched_modes();

/// Returns a trace in which `a` sends for 1, 3 and 9 ns to `b`, which waits for
/// at most 2 ns. The first value is tardy, and the last one is dropped.
trace tardy_values();

/// Returns a trace of a node with two reactions that have deadlines, the second
/// in a state. At 5, the first misses its deadline, and at 7 the second.
trace missed_deadlines(std::string_view application_members = "");

/// Returns a trace in which `sensor` has a physical action and sends its
/// samples to `log` over a physical connection, which ends at a physical
/// action. A signal ends it at once.
trace physical_run();

/// Returns a trace in which `a` schedules events for 3 and 6 ns and sends each
/// time. `b` gets the values 5 ns later. A checkpoint is taken at 4 ns, and the
/// process is killed after 8 ns.
trace saved_run();

/// Returns a trace of this graph that resumes from the checkpoint, and ends by
/// itself.
trace continued_run();

/// Returns both traces joined.
trace whole_run();

} // namespace trace_test
