// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/recorder.hpp"

#include "base/duration.hpp"
#include "base/suggestion.hpp"
#include "base/text.hpp"
#include "caf/rosia/graph_error.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/version.hpp"
#include "config/option_table.hpp"
#include "config/process_options.hpp"
#include "nodes/node_access.hpp"
#include "run_file/disk_wait.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

/// The options that are stored in a run file: those that affect the results or
/// the speed of a run.
constexpr std::array<std::string_view, 8> recorded_options{
  "realtime", "stop_after", "timeout",      "max_in_flight",
  "groups",   "replay",     "record.ports", "set"};

/// Returns the names and values of these options.
std::vector<std::pair<std::string, std::string>> describe(const options& x) {
  std::vector<std::pair<std::string, std::string>> result;
  for (auto& entry : option_table())
    if (std::find(recorded_options.begin(), recorded_options.end(), entry.name)
        != recorded_options.end())
      result.emplace_back(entry.name, entry.render(x));
  return result;
}

/// Marks the recorded ports.
/// @param patterns a list, separated by commas.
/// @throws graph_error if a pattern matches no port.
void mark_recorded(const std::string& patterns, graph_description& to) {
  if (patterns.empty())
    return;
  std::vector<std::pair<std::string, graph_description::port*>> ports;
  for (auto& node : to.nodes)
    for (auto* of_node : {&node.inputs, &node.outputs})
      for (auto& port : *of_node)
        ports.emplace_back(node.name + '.' + port.name, &port);
  for (auto& pattern : split_list(patterns)) {
    auto found = false;
    for (auto& [path, port] : ports)
      if (matches(pattern, path))
        found = port->recorded = true;
    if (found)
      continue;
    std::vector<std::string> names;
    for (auto& [path, port] : ports)
      names.push_back(path);
    throw graph_error("rosia.record.ports: there is no port '" + pattern + "'"
                      + suggestion(pattern, names));
  }
}

/// @throws graph_error if a value that must be recorded cannot be saved.
void require_savable(const node_directory& nodes, const engine::topology& graph,
                     const graph_description& description) {
  auto check = [&](const std::string& name, const std::string& kind,
                   const engine::payload_type& type) {
    if (type.save == nullptr || type.load == nullptr)
      throw graph_error(
        "rosia.record.file: the values of " + kind + " '" + name
        + "' cannot be saved: give their type an inspect() "
          "function for CAF and a default constructor");
  };
  for (auto id : nodes.local()) {
    auto& node = *nodes.find(id);
    auto& name = node.name();
    std::vector<bool> physical(node_access::inputs(node).size());
    for (auto number : graph.incoming(id))
      if (auto& x = graph.connections()[number]; x.physical)
        physical[x.input] = true;
    auto& inputs = description.nodes[id].inputs;
    for (auto* port : node_access::inputs(node))
      if (port->is_physical() || physical[port->index()]
          || inputs[port->index()].recorded)
        check(name + '.' + port->name(),
              port->is_physical() ? "physical action" : "input",
              member_access::payload(*port));
  }
}

/// Returns the nanoseconds since 1970.
std::int64_t unix_time() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
           std::chrono::system_clock::now().time_since_epoch())
    .count();
}

/// Returns the description of the graph with marks at the recorded ports.
graph_description recorded_graph(
  const node_directory& nodes, const engine::topology& graph,
  graph_description description, const std::string& patterns) {
  mark_recorded(patterns, description);
  require_savable(nodes, graph, description);
  return description;
}

/// Writes the description of a run, and waits until it is on the disk.
/// @returns its rows. @throws std::runtime_error if it cannot be written.
run_file::run_rows write_description(
  run_file::writer& file, const options& opts, const node_directory& nodes,
  const graph_description& description, const std::string& uuid) {
  run_file::run_record record;
  record.uuid = uuid;
  record.version = version;
  record.started = unix_time();
  record.options = describe(opts);
  if (nodes.distributed()) {
    record.process = nodes.processes()[nodes.self()];
    for (auto& x : nodes.processes())
      record.processes += (record.processes.empty() ? "" : ",") + x;
  }
  run_file::run_rows result;
  std::promise<std::string> written;
  file.post_durable(
    [&](run_file::database& to) {
      run_file::make_recording_tables(to);
      result = run_file::write_run(to, record, description);
    },
    [&](const std::string& problem) { written.set_value(problem); });
  if (auto problem = written.get_future().get(); !problem.empty())
    throw std::runtime_error(problem);
  return result;
}

} // namespace

// -- constructors, destructors ------------------------------------------------

recorder::recorder(
  run_file::writer& file, const options& opts, const node_directory& nodes,
  const engine::topology& graph, const graph_description& description,
  const timekeeper& time, const std::string& uuid)
  : file_(file), time_(time),
    description_(recorded_graph(nodes, graph, description, opts.record.ports)),
    rows_(write_description(file, opts, nodes, description_, uuid)),
    ports_(nodes, description_, rows_, memory_), events_(memory_),
    event_rows_(rows_, description_, graph, events_, steps_) {
  // nop
}

recorder::~recorder() {
  if (state_ == state::finished)
    return;
  if (state_ == state::waiting)
    file_.post_durable(
      [this](run_file::database& to) { run_file::erase_run(to, rows_.run); },
      [](const std::string&) {});
  stop();
  file_.flush(); // posted jobs refer to this object
}

void recorder::copy_from(run_file::event_reader from,
                         const node_directory& nodes) {
  std::set<std::string> local;
  for (auto id : nodes.local())
    local.insert(description_.nodes[id].name);
  event_rows_.copy_from(std::move(from), std::move(local));
}

void recorder::note_resumed(logical_time at) {
  file_.post(0, [run = rows_.run, at](run_file::database& to) {
    run_file::write_resumed(to, run, at);
  });
}

void recorder::begin() {
  state_ = state::recording;
  post();
}

std::string recorder::finish(
  run_file::end_record end, std::chrono::nanoseconds patience) {
  stop();
  // Shared, because this function may give up before the disk responds.
  struct outcome {
    std::string problem;
    std::promise<void> known;
  };
  auto last = std::make_shared<outcome>();
  auto has_begun = state_ == state::recording;
  // Pending events and values precede the end, in a separate transaction.
  auto taken = std::make_shared<transaction_counts>();
  if (has_begun)
    file_.post(
      0,
      [this, taken](auto& to) {
        write(to, *taken);
        while (event_rows_.is_copying())
          event_rows_.copy_some(to, taken->events);
      },
      [this, taken] { note_loss(*taken); });
  file_.post_durable(
    [this, has_begun, end = std::move(end)](run_file::database& to) {
      if (!has_begun) {
        // Not all processes may have begun it, and no tool could read the rest.
        run_file::erase_run(to, rows_.run);
        return;
      }
      write_reach(to);
      run_file::write_end(to, rows_, end);
    },
    [last](const std::string& problem) {
      last->problem = problem;
      last->known.set_value();
    });
  auto known = last->known.get_future();
  if (!run_file::wait_for_disk(known, steps_, patience)) {
    state_ = state::stuck;
    return "nothing was written for " + time_text(patience)
           + ": the disk does not respond, or another process holds the file";
  }
  state_ = state::finished;
  auto& problem = last->problem;
  std::string result;
  if (auto lost = events_.lost(); lost > 0)
    result += plural(lost, "external event", "external events");
  if (auto lost = ports_.lost(); lost > 0)
    result += (result.empty() ? "" : " and ") + plural(lost, "value", "values");
  if (!result.empty())
    result
      += " could not be recorded: "
         + (event_rows_.rejection().empty()
              ? std::string{"the disk was full or too slow"}
              : event_rows_.rejection());
  if (!problem.empty())
    result += (result.empty() ? "" : "; ") + ("its end is missing: " + problem);
  return result;
}

void recorder::post() {
  std::lock_guard guard{post_mutex_};
  if (stopped_)
    return;
  auto taken = std::make_shared<transaction_counts>();
  file_.post(
    0,
    [this, taken](auto& to) {
      post(); // executed in the next transaction
      write(to, *taken);
    },
    [this, taken] { note_loss(*taken); });
}

void recorder::stop() {
  std::lock_guard guard{post_mutex_};
  stopped_ = true;
}

// -- on the file's thread -----------------------------------------------------

void recorder::write(run_file::database& to, transaction_counts& taken) {
  taken.reached = reach_.ns;
  pending_events::batch news;
  auto known = events_.take(news, time_);
  taken.events = news.size();
  event_rows_.write(to, news);
  event_rows_.copy_some(to, taken.events);
  ports_.write(to, taken.values, steps_);
  // The recording is certain only up to the first event that was lost or is not
  // copied yet.
  if (events_.lost() == 0 && !event_rows_.is_copying())
    reach_.ns = known;
  write_reach(to);
}

void recorder::write_reach(run_file::database& to) {
  reach_.lost_events = events_.lost();
  reach_.lost_values = ports_.lost();
  run_file::write_reach(to, rows_.run, reach_);
}

void recorder::note_loss(const transaction_counts& taken) {
  events_.note_lost(taken.events);
  ports_.note_lost(taken.values);
  reach_.ns = std::min(reach_.ns, taken.reached);
}

} // namespace caf::rosia::detail
