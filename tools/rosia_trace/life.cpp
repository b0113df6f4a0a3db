// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/life.hpp"

#include "rosia_trace/max_waits.hpp"
#include "rosia_trace/watchdogs.hpp"

#include <algorithm>
#include <array>

namespace rosia_trace {

namespace {

/// The supported format version.
constexpr std::int64_t known_format = 3;

/// The reasons for dropping a physical value.
constexpr std::array<std::string_view, 5> reasons{
  "queue full", "past the final tag", "refused", "replaced", "spacing",
};

/// The beginning of the name of a watchdog's handler in an error.
constexpr std::string_view handler_prefix = "handler of ";

/// Returns whether the event is part of the node's execution, not of its
/// shutdown or its callers.
bool is_work(event_kind kind) {
  switch (kind) {
    case event_kind::execute:
    case event_kind::resume:
    case event_kind::input:
    case event_kind::schedule:
    case event_kind::withdraw:
    case event_kind::action:
    case event_kind::mode:
    case event_kind::reaction:
    case event_kind::missed:
    case event_kind::watchdog:
    case event_kind::expire:
    case event_kind::tardy:
    case event_kind::send:
    case event_kind::request:
      return true;
    default:
      return false;
  }
}

ending parse_ending(std::string_view text) {
  if (text == "done")
    return ending::done;
  if (text == "final")
    return ending::final;
  if (text == "aborted")
    return ending::aborted;
  throw broken_rule{
    rule::format, "no node ends " + quoted(text)
                    + R"(; expected "done", "final" or "aborted")"};
}

} // namespace

// -- the application ----------------------------------------------------------

void life::require_place(const event& x) {
  auto is_application = x.kind == event_kind::application;
  run_.rules.require(rule::format, is_application != begun_, [&] {
    return is_application
             ? "a second \"application\" event"
             : "the event " + quoted(to_string(x.kind))
                 + " comes before \"application\"";
  });
  begun_ = true;
  auto is_known = x.format == known_format;
  run_.rules.require(rule::readable, !is_application || is_known, [&] {
    return "the trace has format " + std::to_string(x.format)
           + "; this tool knows format " + std::to_string(known_format);
  });
  run_.rules.require(rule::format, !over_, [&] {
    return "the event " + quoted(to_string(x.kind)) + " comes after \"end\"";
  });
  auto declares
    = x.kind == event_kind::node || x.kind == event_kind::connection;
  run_.rules.require(rule::format, !declares || !run_.declared.sealed(), [&] {
    return "a " + std::string{to_string(x.kind)}
           + " is declared after the application started";
  });
}

void life::forgo_start() {
  for (index i = 0; i < run_.nodes.size(); ++i)
    require_unstarted(i);
  run_.unstarted = true;
}

void life::require_unstarted(index node) {
  run_.rules.require(rule::format, !run_.nodes[node].started, [&] {
    return "the application ended before it had started, but node "
           + run_.declared.node_name(node) + " started";
  });
}

void life::require_all_ended() {
  for (index i = 0; i < run_.nodes.size(); ++i) {
    const auto& node = run_.nodes[i];
    // Its process had not started the node, and may have no trace.
    if (run_.unstarted && node.ended == ending::none && !node.exited)
      continue;
    auto name = [&] { return run_.name_of(i); };
    auto may_lack_start = node.ended == ending::aborted;
    run_.rules.require(rule::format, node.started || may_lack_start, [&] {
      return "the application ends, but " + name() + " never started";
    });
    run_.rules.require(rule::cleanup, node.ended != ending::none, [&] {
      return "the application ends, but " + name() + " did not shut down";
    });
    run_.rules.require(rule::cleanup, node.exited, [&] {
      return "the application ends, but " + name() + " did not exit";
    });
  }
  if (error_line_ == 0)
    return;
  run_.rules.require(rule::termination, run_.aborted, [&] {
    return "the application is not aborted in spite of the error in "
           + at_line(error_line_);
  });
}

std::string life::describe_unfinished() const {
  constexpr std::size_t shown = 5;
  std::size_t alive = 0;
  std::string names;
  const auto& declared = run_.declared.nodes();
  for (index i = 0; i < declared.size(); ++i) {
    if (i < run_.nodes.size() && run_.nodes[i].exited)
      continue;
    if (++alive > shown)
      continue;
    names += names.empty() ? " (" : ", ";
    names += run_.declared.node_name(i);
  }
  if (alive > shown)
    names += ", ...";
  if (!names.empty())
    names += ')';
  return std::to_string(alive) + " of " + std::to_string(declared.size())
         + " nodes had not exited" + names;
}

// -- the nodes ----------------------------------------------------------------

void life::require_alive(index node, const event& x) {
  const auto& self = run_.nodes[node];
  auto happens
    = [&] { return run_.name_of(node) + " has " + quoted(to_string(x.kind)); };
  auto is_end = x.kind == event_kind::shutdown || x.kind == event_kind::exit;
  // A run that resumes first repeats the requests of its code. The values of a
  // replay that arrive before the start are tardy if the file says so.
  auto may_act
    = self.started || (self.restored && x.kind == event_kind::request)
      || (run_.replay && x.kind == event_kind::tardy);
  run_.rules.require(rule::format, may_act || !is_work(x.kind), [&] {
    return happens() + " before its start";
  });
  run_.rules.require(
    rule::format, x.kind != event_kind::start || !run_.unstarted, [&] {
      return happens() + ", but the application ended before it had started";
    });
  run_.rules.require(
    rule::cleanup,
    self.ended == ending::none
      || (!is_work(x.kind) && x.kind != event_kind::start),
    [&] { return happens() + " after its shutdown"; });
  // A value may be refused after the exit, because the caller refuses it. A
  // second end is checked by `cleanup`.
  run_.rules.require(
    rule::format, !self.exited || is_end || x.kind == event_kind::drop,
    [&] { return happens() + " after its exit"; });
}

void life::drop(index node, const event& x) {
  run_.declared.find_input(node, x.port);
  for (auto reason : reasons)
    if (x.reason == reason)
      return;
  throw broken_rule{
    rule::format, "no value is dropped because of " + quoted(x.reason)};
}

void life::error(index node, const event& x) {
  if (x.has(member::reaction) && x.reaction != "start"
      && x.reaction != "shutdown" && !x.reaction.empty()) {
    if (x.reaction.starts_with(handler_prefix))
      run_.declared.find_action(node, x.reaction.substr(handler_prefix.size()));
    else
      run_.declared.find_reaction(node, x.reaction);
  }
  auto& self = run_.nodes[node];
  self.failed = true;
  run_.any_error = true;
  // An error in shutdown() is only logged.
  if (self.ended == ending::none && error_line_ == 0)
    error_line_ = run_.line;
}

ending life::require_ending(index node, const event& x) {
  const auto& self = run_.nodes[node];
  auto name = [&] { return run_.name_of(node); };
  run_.rules.require(rule::cleanup, self.ended == ending::none, [&] {
    return name() + " shuts down a second time";
  });
  run_.rules.require(rule::cleanup, x.tag == self.now, [&] {
    return name() + " shuts down with tag " + to_string(x.tag)
           + "; expected that of its last execution, " + to_string(self.now);
  });
  auto outcome = parse_ending(x.ending);
  // An abort may precede the start; shutdown() is still called.
  run_.rules.require(
    rule::format, self.started || outcome == ending::aborted,
    [&] { return name() + " has \"shutdown\" before its start"; });
  return outcome;
}

void life::shutdown(index node, ending outcome) {
  auto& self = run_.nodes[node];
  if (outcome != ending::aborted)
    require_none_scheduled(node, outcome);
  if (outcome == ending::aborted) {
    require_aborted(node);
  } else if (outcome == ending::done) {
    require_none_pending(node);
    require_done(node);
  } else {
    auto last = *self.final_taken;
    run_.rules.require(
      rule::nothing_lost,
      self.queue.empty() || self.queue.front().arrival > last, [&] {
        return describe_lost(node, self.queue.front())
               + ", not after the final tag " + to_string(last);
      });
  }
  self.ended = outcome;
  self.ended_line = run_.line;
  self.queue = {};
  self.scheduled = {};
}

void life::done(index node, const event& x) {
  auto& self = run_.nodes[node];
  run_.rules.require(rule::last_tag, !self.done && x.tag == self.now, [&] {
    return run_.name_of(node) + " is done at " + to_string(x.tag)
           + (self.done ? " a second time"
                        : "; its last tag is " + to_string(self.now));
  });
  require_none_pending(node);
  require_none_scheduled(node, ending::done);
  require_done(node);
  self.done = true;
  // It executes nothing before it knows the final tag.
  self.barrier = std::min(self.barrier, self.now);
}

std::string life::describe_lost(index node, const pending_message& x) const {
  return run_.name_of(node) + " ends without having set the message on "
         + run_.declared.connection_name(x.connection) + " (" + at_line(x.line)
         + "), which arrives at " + to_string(x.arrival);
}

void life::require_none_pending(index node) {
  const auto& self = run_.nodes[node];
  run_.rules.require(rule::nothing_lost, self.queue.empty(), [&] {
    return describe_lost(node, self.queue.front());
  });
}

void life::require_none_scheduled(index node, ending outcome) {
  const auto& self = run_.nodes[node];
  auto until = outcome == ending::done ? forever : *self.final_taken;
  watchdogs{run_}.require_none_left(node, until);
  max_waits{run_}.require_none_left(node, until);
  if (self.scheduled.empty())
    return;
  auto next = self.scheduled.begin();
  run_.rules.require(rule::nothing_lost, next->first > until, [&] {
    return run_.name_of(node) + " shuts down without what it scheduled for "
           + to_string(next->first) + " (" + at_line(next->second.line) + ")";
  });
}

void life::require_done(index node) {
  const auto& declared = run_.declared.nodes()[node];
  auto name = [&] { return run_.name_of(node); };
  run_.rules.require(rule::natural_end, !declared.external, [&] {
    return name() + " is done though it has a physical action";
  });
  watchdogs{run_}.require_none_runs(node);
  for (auto i = declared.first_input; i < declared.last_input; ++i) {
    for (auto c : run_.declared.inputs()[i].connections) {
      const auto& connection = run_.declared.connections()[c];
      auto sender = connection.sender;
      auto in_loop = !connection.physical
                     && run_.declared.nodes()[sender].loop == declared.loop;
      // Its outputs close between its shutdown and its exit. In a run that
      // resumes, it may have left before.
      auto closed = run_.nodes[sender].ended != ending::none
                    || run_.nodes[sender].had_left || run_.nodes[sender].done;
      run_.rules.require(rule::natural_end, in_loop || closed, [&] {
        return name() + " is done though node "
               + run_.declared.node_name(sender) + ", connected to "
               + run_.declared.input_name(i) + ", has not ended";
      });
    }
  }
}

void life::require_aborted(index node) {
  run_.rules.require(rule::termination, run_.aborted || run_.any_error, [&] {
    return run_.name_of(node)
           + " is aborted, though nothing aborted the application";
  });
}

void life::exit(index node) {
  auto& self = run_.nodes[node];
  auto name = [&] { return run_.name_of(node); };
  run_.rules.require(rule::cleanup, !self.exited, [&] {
    return name() + " exits a second time";
  });
  run_.rules.require(rule::cleanup, self.ended != ending::none, [&] {
    return name() + " exits without a shutdown";
  });
  self.exited = true;
}

} // namespace rosia_trace
