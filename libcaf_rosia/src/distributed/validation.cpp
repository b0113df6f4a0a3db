// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/validation.hpp"

#include "base/text.hpp"
#include "config/process_options.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <initializer_list>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

using engine::process_id;

constexpr int highest_status = 255;

/// Maximum length of the name of a host, a process or a node.
constexpr std::size_t longest_name = 64 * 1024;

/// Limit of clocks in nanoseconds, so that sums cannot overflow.
constexpr auto furthest_clock = std::numeric_limits<std::int64_t>::max() / 4;

/// Bounds of a start, relative to now. The coordinator sets it to a moment
/// ahead. It may be in the past if this process was stopped.
constexpr std::chrono::nanoseconds latest_start = std::chrono::seconds{10};
constexpr std::chrono::nanoseconds earliest_start = std::chrono::hours{1};

template <class... Ts>
std::string wrong(fmt::format_string<Ts...> text, Ts&&... xs) {
  return fmt::format(text, std::forward<Ts>(xs)...);
}

/// Returns the first problem that is not empty.
std::string first_of(std::initializer_list<std::string> problems) {
  for (auto& x : problems)
    if (!x.empty())
      return x;
  return {};
}

// -- permissions --------------------------------------------------------------

std::string from_coordinator(
  std::string_view message, const correspondence& way) {
  if (way.from != 0)
    return wrong("{} may only be sent by the coordinator", message);
  return {};
}

std::string to_coordinator(
  std::string_view message, const correspondence& way) {
  if (way.to != 0)
    return wrong("{} may only be sent to the coordinator", message);
  return {};
}

// -- fields -------------------------------------------------------------------

/// Checks that the process runs the node.
std::string node_of(std::string_view field, std::uint32_t node,
                    process_id process, const correspondence& way) {
  if (way.nodes == nullptr)
    return wrong("{} is {}, but the nodes are not known yet", field, node);
  if (node >= way.nodes->size())
    return wrong(
      "{} is {}, but there are {} nodes", field, node, way.nodes->size());
  if (way.nodes->home(node) != process)
    return wrong("{} is {}, a node of another process", field, node);
  return {};
}

/// Checks that the number is that of the sender.
std::string own_number(std::string_view field, process_id x,
                       const correspondence& way) {
  if (x != way.from)
    return wrong("{} is {}, but the sender is process {}", field, x, way.from);
  return {};
}

std::string number(std::string_view field, process_id x,
                   const correspondence& way) {
  if (x >= way.processes)
    return wrong(
      "{} is {}, but there are {} processes", field, x, way.processes);
  return {};
}

std::string status(std::string_view field, std::int32_t x) {
  if (x < 0 || x > highest_status)
    return wrong("{} is {}, which is no status from 0 to 255", field, x);
  return {};
}

/// Checks that events are possible at the tag, or that it is `never`.
std::string tag(std::string_view field, logical_time x) {
  if (x != never && (x < logical_time{} || x.ns == forever.ns))
    return wrong(
      "{} is {} ns, microstep {}, which is no tag", field, x.ns, x.microstep);
  return {};
}

template <class T>
std::string enumerator(std::string_view field, T x, T last) {
  if (x > last)
    return wrong("{} is {}, an unknown value", field, static_cast<int>(x));
  return {};
}

std::string clock_reading(std::string_view field, std::int64_t x) {
  if (x < -furthest_clock || x > furthest_clock)
    return wrong("{} is {}, which is no time", field, x);
  return {};
}

/// Checks a requested tag, which may be `forever`.
std::string proposal(std::string_view field, logical_time x) {
  return x == forever ? std::string{} : tag(field, x);
}

/// Checks that a text for users has one line.
std::string line(std::string_view field, const std::string& x) {
  auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == 127; };
  if (x.size() > longest_name || std::any_of(x.begin(), x.end(), is_control))
    return wrong("{} is not one line of text", field);
  return {};
}

// -- joining ------------------------------------------------------------------

std::string description(std::string_view field,
                        const graph_description::node& x) {
  using enum graph_description::trigger_kind;
  for (auto& y : x.reactions) {
    if (auto problem
        = enumerator(fmt::format("{}: the kind of a reaction", field), y.kind,
                     graph_description::reaction_kind::startup);
        !problem.empty())
      return problem;
    for (auto [kind, index] : y.triggers) {
      if (auto problem = enumerator(
            fmt::format("{}: the kind of a trigger", field), kind, at_shutdown);
          !problem.empty())
        return problem;
      if (kind == at_shutdown)
        continue;
      auto size = kind == input ? x.inputs.size() : x.actions.size();
      if (index >= size)
        return wrong("{}: a reaction is triggered by {} {} of {}", field,
                     kind == input ? "input" : "action", index, size);
    }
    auto all_exist = [](auto& indices, auto& ports) {
      return std::all_of(indices.begin(), indices.end(), [&](auto index) {
        return index < ports.size();
      });
    };
    if (!all_exist(y.reads, x.inputs) || !all_exist(y.writes, x.outputs)
        || !all_exist(y.writes_later, x.outputs))
      return wrong("{}: a reaction declares a port that does not exist", field);
  }
  auto has_mode = [&](auto& y) {
    return y.mode == graph_description::no_mode
           || (y.mode < x.actions.size() && x.actions[y.mode].is_mode);
  };
  if (!std::all_of(x.reactions.begin(), x.reactions.end(), has_mode)
      || !std::all_of(x.actions.begin(), x.actions.end(), has_mode))
    return wrong("{}: a member has a mode that does not exist", field);
  if (x.name.size() > longest_name)
    return wrong("{}: a name has {} bytes", field, x.name.size());
  auto all_plain = [](auto& members) {
    return std::all_of(members.begin(), members.end(), [](auto& y) {
      return is_plain_text(y.name);
    });
  };
  if (!is_plain_text(x.name) || !all_plain(x.inputs) || !all_plain(x.outputs)
      || !all_plain(x.reactions) || !all_plain(x.actions)
      || !all_plain(x.parameters))
    return wrong("{}: a name is not UTF-8, or has control characters", field);
  return {};
}

/// Checks that the numbers of entries are unique, and less than `size`.
template <class T>
std::string numbered(
  std::string_view field, const std::vector<std::pair<std::uint32_t, T>>& xs,
  std::size_t size) {
  std::vector<bool> seen(size);
  for (auto& x : xs) {
    if (x.first >= size)
      return wrong(
        "{} names line {}, but the graph has {} lines", field, x.first, size);
    if (seen[x.first])
      return wrong("{} names line {} twice", field, x.first);
    seen[x.first] = true;
  }
  return {};
}

// -- reports ------------------------------------------------------------------

std::string node_state(std::string_view field, const node_report& x) {
  return first_of(
    {enumerator(fmt::format("{}.stage", field), x.stage, node_stage::lost),
     enumerator(
       fmt::format("{}.held_back_by", field), x.held_back_by, blocker::end)});
}

} // namespace

std::string impossible(const std::string& problem) {
  return "sent an invalid message: " + problem;
}

// -- joining ------------------------------------------------------------------

std::string problem_of(const join_request& x, std::size_t processes) {
  if (x.process >= processes)
    return wrong("join_request.process is {}, but there are {} processes",
                 x.process, processes);
  for (auto& [id, node] : x.nodes)
    if (auto problem = description("join_request.nodes", node);
        !problem.empty())
      return problem;
  // The graph has a line for each node and each connection.
  auto size = x.graph.size();
  return first_of(
    {line("join_request.address", x.address.host),
     line("join_request.placement", x.placement),
     numbered("join_request.nodes", x.nodes, size)});
}

std::string problem_of(const greeting_reply& x) {
  std::set<std::string_view> names;
  for (auto& process : x.processes) {
    if (process.empty())
      return "greeting_reply.processes has an empty name";
    if (auto problem = line("greeting_reply.processes", process);
        !problem.empty())
      return problem;
    if (!names.insert(process).second)
      return wrong("greeting_reply.processes has '{}' twice", process);
  }
  if (x.processes.size() > most_processes + 1)
    return wrong("greeting_reply.processes has {} names, more than {}",
                 x.processes.size(), most_processes + 1);
  return first_of(
    {line("greeting_reply.placement", x.placement),
     clock_reading("greeting_reply.steady", x.steady),
     clock_reading("greeting_reply.date", x.date)});
}

std::string problem_of(const join_reply& x, const correspondence& way) {
  if (auto problem = from_coordinator("join_reply", way); !problem.empty())
    return problem;
  if (!x.problem.empty())
    return {}; // the other fields are not used
  if (x.addresses.size() != way.processes)
    return wrong("join_reply.addresses has {} entries for {} processes",
                 x.addresses.size(), way.processes);
  for (auto& address : x.addresses)
    if (auto problem = line("join_reply.addresses", address.host);
        !problem.empty())
      return problem;
  for (auto& node : x.nodes)
    if (auto problem = description("join_reply.nodes", node); !problem.empty())
      return problem;
  if (x.max_in_flight == 0)
    return "join_reply.max_in_flight is 0";
  if (x.grace_period < 0 || x.grace_period > furthest_clock)
    return wrong("join_reply.grace_period is {} ns", x.grace_period);
  if (x.checkpoint_every < 0)
    return wrong("join_reply.checkpoint_every is {} ns", x.checkpoint_every);
  if (x.start.number < 1)
    return wrong("join_reply.start.number is {}", x.start.number);
  return first_of(
    {tag("join_reply.stop_after", x.stop_after),
     line("join_reply.start.resumed_run", x.start.resumed_run),
     tag("join_reply.start.resumed_at", x.start.resumed_at)});
}

std::string problem_of(const ready_request& x, const correspondence& way) {
  return first_of({to_coordinator("ready_request", way),
                   own_number("ready_request.process", x.process, way)});
}

std::string problem_of(const start_reply& x, std::int64_t now) {
  if (!x.problem.empty())
    return {}; // the other fields are not used
  if (x.at > now + latest_start.count() || x.at < now - earliest_start.count())
    return wrong("start_reply.at is {} ns by a clock that shows {}", x.at, now);
  return {};
}

std::string problem_of(const hello& x, const correspondence& way) {
  if (x.process == way.to)
    return wrong("hello.process is {}, this process itself", x.process);
  return number("hello.process", x.process, way);
}

// -- running ------------------------------------------------------------------

std::string problem_of(std::uint32_t node, const end_proposal& x,
                       const correspondence& way) {
  return first_of(
    {from_coordinator("end_proposal", way),
     node_of("end_proposal.node", node, way.to, way),
     proposal("end_proposal.proposal", x.proposal)});
}

std::string problem_of(std::uint32_t node, const final_tag_message& x,
                       const correspondence& way) {
  return first_of(
    {from_coordinator("final_tag_message", way),
     node_of("final_tag_message.node", node, way.to, way),
     tag("final_tag_message.final", x.final),
     proposal("final_tag_message.requested", x.requested)});
}

std::string problem_of(const abort_process&, const correspondence& way) {
  return from_coordinator("abort_process", way);
}

std::string problem_of(const end_notice& x, const correspondence& way) {
  return first_of(
    {from_coordinator("end_notice", way), line("end_notice.text", x.text)});
}

std::string problem_of(const end_request& x, const correspondence& way) {
  return first_of(
    {to_coordinator("end_request", way),
     node_of("end_request.node", x.node, way.from, way),
     proposal("end_request.proposal", x.proposal),
     status("end_request.status", x.status)});
}

std::string problem_of(const end_answer& x, const correspondence& way) {
  return first_of(
    {to_coordinator("end_answer", way),
     node_of("end_answer.node", x.node, way.from, way),
     tag("end_answer.tag", x.tag)});
}

std::string problem_of(const done_message& x, const correspondence& way) {
  return first_of(
    {to_coordinator("done_message", way),
     node_of("done_message.node", x.node, way.from, way),
     tag("done_message.last", x.last)});
}

std::string problem_of(const exit_message& x, const correspondence& way) {
  return first_of(
    {to_coordinator("exit_message", way),
     node_of("exit_message.node", x.node, way.from, way),
     enumerator("exit_message.ending", x.ending, engine::ending::aborted),
     proposal("exit_message.last", x.last)});
}

std::string problem_of(const node_abort_request& x, const correspondence& way) {
  return first_of(
    {to_coordinator("node_abort_request", way),
     node_of("node_abort_request.node", x.node, way.from, way),
     status("node_abort_request.status", x.status)});
}

std::string problem_of(const request_from_outside& x,
                       const correspondence& way) {
  if (x.signal < 0 || x.signal >= NSIG)
    return wrong(
      "request_from_outside.signal is {}, which is no signal", x.signal);
  return first_of(
    {to_coordinator("request_from_outside", way),
     own_number("request_from_outside.process", x.process, way),
     proposal("request_from_outside.proposal", x.proposal)});
}

std::string problem_of(const abort_application& x, const correspondence& way) {
  return first_of({to_coordinator("abort_application", way),
                   status("abort_application.status", x.status)});
}

std::string problem_of(const checkpoint_command& x, const correspondence& way) {
  return first_of(
    {from_coordinator("checkpoint_command", way),
     enumerator(
       "checkpoint_command.type", x.type, checkpoint_command::kind::failed),
     tag("checkpoint_command.tag", x.tag)});
}

std::string problem_of(const checkpoint_reply& x, const correspondence& way) {
  return first_of(
    {to_coordinator("checkpoint_reply", way),
     own_number("checkpoint_reply.process", x.process, way),
     enumerator(
       "checkpoint_reply.type", x.type, checkpoint_reply::kind::marked),
     tag("checkpoint_reply.tag", x.tag),
     tag("checkpoint_reply.reached", x.reached),
     line("checkpoint_reply.problem", x.problem)});
}

std::string problem_of(const connection_lost& x, const correspondence& way) {
  return first_of(
    {to_coordinator("connection_lost", way),
     own_number("connection_lost.process", x.process, way),
     number("connection_lost.other", x.other, way)});
}

std::string problem_of(const transport_error& x, const correspondence& way) {
  return first_of(
    {to_coordinator("transport_error", way),
     own_number("transport_error.process", x.process, way),
     number("transport_error.other", x.other, way)});
}

std::string problem_of(const progress_request&, const correspondence& way) {
  return from_coordinator("progress_request", way);
}

std::string problem_of(const progress_reply& x, const correspondence& way) {
  return first_of({to_coordinator("progress_reply", way),
                   own_number("progress_reply.process", x.process, way)});
}

std::string problem_of(const over_message& x, const correspondence& way) {
  return first_of(
    {from_coordinator("over_message", way),
     status("over_message.status", x.status),
     proposal("over_message.final", x.final)});
}

// -- reports ------------------------------------------------------------------

std::string problem_of(const process_report_request&,
                       const correspondence& way) {
  return from_coordinator("process_report_request", way);
}

std::string problem_of(const process_report_reply& x,
                       const correspondence& way) {
  for (auto& [id, node] : x.nodes)
    if (auto problem
        = first_of({node_of("process_report_reply.nodes", id, way.from, way),
                    node_state("process_report_reply.nodes", node)});
        !problem.empty())
      return problem;
  for (auto& [id, counts] : x.counts) {
    if (auto problem
        = node_of("process_report_reply.counts", id, way.from, way);
        !problem.empty())
      return problem;
    if (counts.lags.size() != node_counters::lag_bounds.size() + 1)
      return wrong("process_report_reply.counts.lags has {} entries, not {}",
                   counts.lags.size(), node_counters::lag_bounds.size() + 1);
    if (auto outputs = way.nodes->describe(id).outputs.size();
        counts.written.size() != outputs)
      return wrong(
        "process_report_reply.counts.written has {} entries for {} "
        "outputs",
        counts.written.size(), outputs);
  }
  if (x.log.size() > log_ring::capacity)
    return wrong("process_report_reply.log has {} lines, more than {}",
                 x.log.size(), log_ring::capacity);
  for (auto& line : x.log)
    if (line.text.size() > log_ring::longest_line
        || line.logger.size() > log_ring::longest_line)
      return wrong(
        "process_report_reply.log has a line of {} bytes, more than "
        "{}",
        std::max(line.text.size(), line.logger.size()), log_ring::longest_line);
  return {};
}

std::string problem_of(const application_report_request&,
                       const correspondence& way) {
  return to_coordinator("application_report_request", way);
}

std::string problem_of(const application_report& x, const correspondence& way) {
  if (auto problem = from_coordinator("report", way); !problem.empty())
    return problem;
  // Without nodes, it says that there is nothing to report.
  if (!x.nodes.empty()) {
    if (way.nodes != nullptr && x.nodes.size() != way.nodes->size())
      return wrong("report.nodes has {} entries for {} nodes", x.nodes.size(),
                   way.nodes->size());
    if (x.processes.size() != way.processes)
      return wrong("report.processes has {} entries for {} processes",
                   x.processes.size(), way.processes);
  }
  for (auto& node : x.nodes)
    if (auto problem = node_state("report.nodes", node); !problem.empty())
      return problem;
  return enumerator("report.stage", x.stage, application_stage::over);
}

} // namespace caf::rosia::detail
