// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/report.hpp"

#include "base/duration.hpp"
#include "base/enum_name.hpp"
#include "base/json.hpp"
#include "base/link_target.hpp"
#include "base/new_files.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <tuple>

#include <spdlog/fmt/fmt.h>

namespace caf::rosia {

namespace {

using detail::existing_files;
using detail::new_files;
using detail::plural;

/// Identifies the format for readers of the JSON text.
constexpr std::string_view json_format = "rosia-report-1";

/// Returns whether a file's content begins like the result of `to_json`.
bool is_report(std::string_view x) {
  return x.starts_with('{') && x.find(json_format) != std::string_view::npos;
}

/// Rounds down to three digits, which are enough for a person.
std::string duration_text(std::chrono::nanoseconds x) {
  auto ns = std::max<std::int64_t>(x.count(), 0);
  std::int64_t unit = 1;
  while (ns / unit >= 1000)
    unit *= 10;
  return detail::time_text(std::chrono::nanoseconds{ns / unit * unit});
}

std::string code_text(const node_report& x) {
  if (x.code == "start" || x.code == "shutdown")
    return x.code + "()";
  if (x.code.starts_with("handler of "))
    return x.code;
  return "reaction '" + x.code + "'";
}

/// Describes a watchdog that runs, or has expired; empty for another one.
std::string watchdog_text(const watchdog_report& x) {
  if (!x.runs && x.expiries == 0)
    return {};
  auto result = "watchdog '" + x.name + "'";
  if (x.runs)
    result += x.expiry == std::chrono::nanoseconds::max()
                ? " never expires"
                : " expires at " + detail::time_text(x.expiry);
  if (x.expiries == 0)
    return result;
  return result
         + fmt::format(
           "{} expired {}", x.runs ? ", and" : "",
           x.expiries == 1 ? "once" : fmt::format("{} times", x.expiries));
}

std::string stage_text(const node_report& x) {
  switch (x.stage) {
    case node_stage::asked:
      // The coordinator may not know the answer yet, or no longer need it.
      return x.held_back_by == blocker::agreement
               ? "asked for the final tag"
               : "asked for the final tag, has not answered";
    case node_stage::answered:
      return "answered";
    case node_stage::executing:
      return "executes up to the final tag";
    case node_stage::failed:
      return "failed";
    case node_stage::aborted:
      return "is being aborted";
    case node_stage::lost:
      return "lost with its process";
    default:
      return to_string(x.stage);
  }
}

/// Describes the application's stage, as the rest of a sentence.
std::string stage_text(application_stage x) {
  switch (x) {
    case application_stage::not_started:
      return "has not started";
    case application_stage::running:
      return "is running";
    case application_stage::asking:
      return "is asking its nodes for the final tag";
    case application_stage::executing:
      return "is executing up to the final tag";
    case application_stage::aborted:
      return "is being aborted";
    default:
      return "is over";
  }
}

std::string blocker_text(const node_report& x) {
  auto at_port
    = x.port.empty() ? std::string{} : fmt::format(" at '{}'", x.port);
  auto for_sender = fmt::format("waits{} for '{}'", at_port, x.waits_for);
  auto bound = to_string(x.bound);
  switch (x.held_back_by) {
    case blocker::unknown:
      if (x.running)
        return "";
      return x.group.empty()
               ? std::string{"busy, or no worker is free to run it"}
               : fmt::format(
                 "executed with the group of '{}', which is busy, or "
                 "no worker is free to run it",
                 x.group);
    case blocker::none:
      return "ready to continue";
    case blocker::start:
      return "its start() has not run yet";
    case blocker::failure:
      return "";
    case blocker::input:
      return for_sender + ", which may still send a value of tag " + bound;
    case blocker::loop:
      return for_sender + ", which may still cause a value of tag " + bound;
    case blocker::agreement:
      return "answered with tag " + bound + ", waits for the final tag";
    case blocker::clock:
      return "waits for physical time to pass " + bound;
    case blocker::receiver:
      return for_sender + ", which has max_in_flight messages left to execute";
    case blocker::outside:
      return "nothing to do until a physical action gets a value";
    case blocker::last_tag:
      return fmt::format("waits at the last tag for '{}'", x.waits_for);
    case blocker::end:
      return "has nothing left to do, waits for the final tag";
    default:
      return for_sender + ", which may still send physically";
  }
}

/// Returns the rank of a node in a text. Nodes that other nodes wait for have
/// the lowest ranks, and are named first.
int urgency(const node_report& x) {
  if (x.running || x.stage == node_stage::failed
      || x.stage == node_stage::vanished || x.stage == node_stage::lost)
    return 0;
  if (x.stage == node_stage::asked)
    return 1;
  switch (x.held_back_by) {
    case blocker::input:
    case blocker::loop:
    case blocker::sender:
    case blocker::last_tag:
      return 3;
    case blocker::agreement:
    case blocker::outside:
    case blocker::end:
      return 4;
    default:
      return 2;
  }
}

using detail::json_writer;
using detail::put;

void put(json_writer& to, logical_time x) {
  if (x == never || x == forever) {
    to.Null();
    return;
  }
  to.StartArray();
  to.Int64(x.ns);
  to.Uint(x.microstep);
  to.EndArray();
}

void put(json_writer& to, const char* key, logical_time x) {
  to.Key(key);
  put(to, x);
}

/// Writes a member with counts by name, unless there are none.
void put_counts(json_writer& to, const char* key,
                const std::vector<std::pair<std::string, std::uint64_t>>& x) {
  if (x.empty())
    return;
  to.Key(key);
  to.StartObject();
  for (auto& [name, count] : x) {
    detail::put_key(to, name);
    to.Uint64(count);
  }
  to.EndObject();
}

void put(json_writer& to, const node_report& x) {
  to.StartObject();
  put(to, "name", x.name);
  if (!x.process.empty())
    put(to, "process", x.process);
  if (!x.group.empty())
    put(to, "group", x.group);
  put(to, "stage", to_string(x.stage));
  put(to, "has_left", x.has_left);
  to.Key("code");
  if (x.code.empty()) {
    to.Null();
  } else {
    to.StartObject();
    put(to, "name", x.code);
    put(to, "tag", x.code_tag);
    put(to, "running", x.running);
    put(to, "running_for_ns", x.running_for.count());
    to.EndObject();
  }
  if (!x.parameters.empty()) {
    to.Key("parameters");
    to.StartObject();
    for (auto& parameter : x.parameters) {
      detail::put_key(to, parameter.name);
      put(to, parameter.value);
    }
    to.EndObject();
  }
  put_counts(to, "missed_deadlines", x.missed_deadlines);
  put_counts(to, "dropped_by_spacing", x.dropped_by_spacing);
  put_counts(to, "tardy_values", x.tardy_values);
  if (!x.watchdogs.empty()) {
    to.Key("watchdogs");
    to.StartObject();
    for (auto& dog : x.watchdogs) {
      detail::put_key(to, dog.name);
      to.StartObject();
      to.Key("expiry_ns");
      if (dog.runs)
        to.Int64(dog.expiry.count());
      else
        to.Null();
      put(to, "expiries", dog.expiries);
      to.EndObject();
    }
    to.EndObject();
  }
  if (!x.modes.empty()) {
    to.Key("modes");
    to.StartObject();
    for (auto& mode : x.modes) {
      detail::put_key(to, mode.name);
      to.StartObject();
      put(to, "active", mode.is_active);
      put(to, "entries", mode.entries);
      to.EndObject();
    }
    to.EndObject();
  }
  put(to, "inbox", x.inbox);
  put(to, "complete", x.complete);
  if (x.complete) {
    put(to, "logical", x.logical);
    put(to, "stat", x.stat);
    put(to, "next", x.next);
    put(to, "outside", x.outside);
    put(to, "yielded", x.yielded);
    put(to, "scheduled", x.scheduled);
    if (!x.modes.empty())
      put(to, "suspended", x.suspended);
    to.Key("queues");
    to.StartObject();
    for (auto& [port, size] : x.queues) {
      detail::put_key(to, port);
      put(to, size);
    }
    to.EndObject();
    to.Key("held_back");
    to.StartObject();
    put(to, "by", to_string(x.held_back_by));
    if (!x.port.empty())
      put(to, "port", x.port);
    if (!x.waits_for.empty())
      put(to, "waits_for", x.waits_for);
    put(to, "bound", x.bound);
    to.EndObject();
  }
  put(to, "text", to_string(x));
  to.EndObject();
}

void put(json_writer& to, const process_report& x) {
  to.StartObject();
  put(to, "name", x.name);
  to.Key("problem");
  if (x.problem.empty())
    to.Null();
  else
    put(to, x.problem);
  put(to, "messages", x.messages);
  put(to, "frames", x.frames);
  put(to, "control_frames", x.control_frames);
  to.EndObject();
}

} // namespace

// -- names --------------------------------------------------------------------

std::string to_string(application_stage x) {
  constexpr const char* names[]
    = {"not started", "running", "asking", "executing", "aborted", "over"};
  return detail::name_of(x, names);
}

std::string to_string(node_stage x) {
  constexpr const char* names[]
    = {"not started", "running", "asked", "answered", "executing",
       "failed",      "aborted", "left",  "vanished", "lost"};
  return detail::name_of(x, names);
}

std::string to_string(blocker x) {
  constexpr const char* names[]
    = {"unknown", "none",      "start", "failure",  "input",
       "loop",    "agreement", "clock", "receiver", "outside",
       "sender",  "last_tag",  "end"};
  return detail::name_of(x, names);
}

// -- text ---------------------------------------------------------------------

std::string to_string(const node_report& x) {
  std::string result;
  auto add = [&result](std::string_view part) {
    if (part.empty())
      return;
    if (!result.empty())
      result += "; ";
    result += part;
  };
  if (x.running)
    add(fmt::format("{} at tag {} is still running after {}", code_text(x),
                    to_string(x.code_tag), duration_text(x.running_for)));
  if (x.stage != node_stage::running)
    add(stage_text(x));
  auto add_watchdogs = [&] {
    for (auto& dog : x.watchdogs)
      add(watchdog_text(dog));
  };
  auto add_mode = [&] {
    for (auto& mode : x.modes)
      if (mode.is_active)
        add("in mode '" + mode.name + "'");
  };
  if (x.stage == node_stage::not_started || x.stage == node_stage::left) {
    add_mode();
    add_watchdogs();
    return result;
  }
  if (x.stage != node_stage::vanished && x.stage != node_stage::lost)
    add(blocker_text(x));
  add_mode();
  for (auto& parameter : x.parameters)
    if (parameter.value != parameter.initial)
      add(fmt::format("{} is {}", parameter.name, parameter.value));
  for (auto& [reaction, count] : x.missed_deadlines)
    if (count > 0)
      add(fmt::format("reaction '{}' missed {}", reaction,
                      plural(count, "deadline", "deadlines")));
  for (auto& [action, count] : x.dropped_by_spacing)
    if (count > 0)
      add(fmt::format("the spacing of '{}' dropped {}", action,
                      plural(count, "value", "values")));
  for (auto& [input, count] : x.tardy_values)
    if (count > 0)
      add(fmt::format(
        "{} at '{}'", plural(count, "tardy value", "tardy values"), input));
  add_watchdogs();
  if (x.complete) {
    if (x.next != forever)
      add("next tag " + to_string(x.next));
    add(fmt::format(
      "STAT {}, logical time {}", to_string(x.stat), to_string(x.logical)));
    std::string queued;
    for (auto& [port, size] : x.queues)
      queued += fmt::format(
        "{}'{}' {}", queued.empty() ? "queued at " : ", ", port, size);
    add(queued);
    if (x.outside > 0)
      add(plural(x.outside, "value", "values") + " from outside");
    if (x.yielded > 0)
      add(plural(x.yielded, "reaction has", "reactions have") + " yielded");
    if (x.scheduled > 0)
      add(plural(x.scheduled, "event", "events") + " scheduled");
    if (x.suspended > 0)
      add(plural(x.suspended, "event", "events") + " suspended");
  }
  if (x.inbox > 0)
    add(plural(x.inbox, "message", "messages") + " in its inbox");
  if (!x.running && !x.code.empty())
    add(fmt::format(
      "last ran {} at tag {}", code_text(x), to_string(x.code_tag)));
  return result;
}

std::string to_string(const process_report& x) {
  if (!x.problem.empty())
    return x.problem;
  return fmt::format(
    "sent {} of its nodes to other processes in {}, and {} without any",
    plural(x.messages, "message", "messages"),
    plural(x.frames, "frame", "frames"),
    plural(x.control_frames, "frame", "frames"));
}

namespace {

/// Returns all nodes except those that left, in the order of `urgency`.
std::vector<const node_report*> left_over(const application_report& x) {
  std::vector<const node_report*> result;
  for (auto& node : x.nodes)
    if (node.stage != node_stage::left)
      result.push_back(&node);
  std::stable_sort(result.begin(), result.end(), [](auto* a, auto* b) {
    return std::tuple{urgency(*a), b->running_for}
           < std::tuple{urgency(*b), a->running_for};
  });
  return result;
}

std::string line_of(const node_report& x) {
  auto where
    = x.process.empty() ? "" : fmt::format(" in process '{}'", x.process);
  return fmt::format("'{}'{}: {}", x.name, where, to_string(x));
}

std::string heading(const application_report& x, std::size_t left_over) {
  auto result = fmt::format(
    "{} after the start: the application {}", duration_text(x.elapsed),
    stage_text(x.stage));
  if (!x.reason.empty())
    result += fmt::format(" ({})", x.reason);
  if (x.final != forever)
    result += ", final tag " + to_string(x.final);
  result += "; " + plural(x.nodes.size(), "node", "nodes");
  if (auto left = x.nodes.size() - left_over; left > 0)
    result += fmt::format(", {} of them left already", left);
  return result;
}

std::string line_of(const process_report& x) {
  return fmt::format("process '{}': {}", x.name, to_string(x));
}

/// Moves the nodes that caused an abort to the front. These are the failed and
/// the lost nodes. If there are none, they are the first nodes of equal
/// urgency.
/// @returns the number of these nodes.
std::size_t find_culprits(std::vector<const node_report*>& nodes) {
  if (nodes.empty())
    return 0;
  auto others = std::stable_partition(nodes.begin(), nodes.end(), [](auto* x) {
    return x->stage == node_stage::failed || x->stage == node_stage::vanished
           || x->stage == node_stage::lost;
  });
  if (others == nodes.begin())
    others = std::find_if(nodes.begin(), nodes.end(), [&](auto* x) {
      return urgency(*x) != urgency(*nodes.front());
    });
  return static_cast<std::size_t>(others - nodes.begin());
}

} // namespace

std::string detail::first_blocker(const application_report& x) {
  auto nodes = left_over(x);
  return nodes.empty() ? std::string{} : "node " + line_of(*nodes.front());
}

std::string detail::backlog_text(const application_report& x) {
  auto nodes = left_over(x);
  auto waits = [](auto* node) { return urgency(*node) > 2; };
  if (auto i = std::find_if(nodes.begin(), nodes.end(), waits);
      i != nodes.begin())
    nodes.erase(i, nodes.end());
  if (nodes.empty())
    return {};
  auto reached = [](auto* node) {
    return node->complete ? node->logical : node->code_tag;
  };
  auto& last
    = **std::min_element(nodes.begin(), nodes.end(), [&](auto* a, auto* b) {
        return reached(a) < reached(b);
      });
  auto queued = last.inbox;
  for (auto& [port, size] : last.queues)
    queued += size;
  auto result
    = fmt::format("'{}' is at {}", last.name, to_string(reached(&last)));
  if (queued > 0)
    result += fmt::format(", {} queued", queued);
  return result;
}

std::string detail::short_text(
  const application_report& x, std::size_t max_nodes) {
  auto nodes = left_over(x);
  auto result = heading(x, nodes.size());
  auto shown = std::min(find_culprits(nodes), max_nodes);
  for (std::size_t i = 0; i < shown; ++i)
    result += "\n  " + line_of(*nodes[i]);
  if (auto others = nodes.size() - shown; others > 0)
    result += fmt::format(
      "\n  {} not shown (--rosia.verbose_end shows the nodes, "
      "--rosia.report=FILE keeps them all)",
      plural(others, "other node is", "other nodes are"));
  for (auto& process : x.processes)
    if (!process.problem.empty())
      result += "\n  " + line_of(process);
  return result;
}

std::string to_string(const application_report& x, std::size_t max_nodes) {
  auto nodes = left_over(x);
  auto result = heading(x, nodes.size());
  for (std::size_t i = 0; i < std::min(nodes.size(), max_nodes); ++i)
    result += "\n  " + line_of(*nodes[i]);
  if (nodes.size() > max_nodes)
    result += fmt::format(
      "\n  and {}", plural(nodes.size() - max_nodes, "node", "nodes"));
  for (auto& process : x.processes)
    result += "\n  " + line_of(process);
  return result;
}

// -- JSON ---------------------------------------------------------------------

std::string to_json(const application_report& x) {
  rapidjson::StringBuffer buffer;
  json_writer to{buffer};
  to.SetIndent(' ', 1);
  to.SetFormatOptions(rapidjson::kFormatSingleLineArray);
  to.StartObject();
  put(to, "format", json_format);
  put(to, "stage", to_string(x.stage));
  put(to, "elapsed_ns", x.elapsed.count());
  put(to, "final", x.final);
  put(to, "status", x.status);
  put(to, "reason", x.reason);
  auto put_part = [&to](auto& part) { put(to, part); };
  detail::put_list(to, "nodes", x.nodes, put_part);
  if (!x.processes.empty())
    detail::put_list(to, "processes", x.processes, put_part);
  to.EndObject();
  std::string result{buffer.GetString(), buffer.GetSize()};
  return result += '\n';
}

// -- files --------------------------------------------------------------------

void write_report(const std::string& file, const application_report& x) {
  new_files files{existing_files::replace_unlocked};
  files.add(file, to_json(x));
  files.commit();
}

void detail::check_report_file(const std::string& file) {
  // A configuration file in the working directory, left there by another user,
  // may have set the option.
  auto target = link_target(file);
  for (auto& path : {target, new_files::unfinished_name(target)})
    if (!may_replace(path, is_report))
      throw std::system_error(
        EEXIST, std::generic_category(),
        "cannot write the report '" + path
          + "' (rosia.report): there is a file of that name that is no report; "
            "remove it, or name another file");
  try {
    // The file is removed at once.
    new_files{existing_files::replace_unlocked}.add(file, {});
  } catch (const std::system_error& e) {
    throw std::system_error(
      e.code(),
      "the report '" + file
        + "' could not be written (rosia.report: a file in a "
          "directory that exists and may be written to)");
  }
}

} // namespace caf::rosia
