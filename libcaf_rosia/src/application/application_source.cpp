// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/application_source.hpp"

#include "base/duration.hpp"
#include "caf/rosia/application.hpp"
#include "runtime/blocking_chain.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

using detail::put;

constexpr double ns_per_second = 1e9;

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) / ns_per_second;
}

// -- the graph ----------------------------------------------------------------

void put(json_writer& to, const graph_description::node& x) {
  auto put_name = [&to](auto& y) { put(to, y.name); };
  to.StartObject();
  put(to, "name", x.name);
  put(to, "process", x.process);
  put_list(to, "inputs", x.inputs, put_name);
  put_list(to, "outputs", x.outputs, put_name);
  put_list(to, "reactions", x.reactions, put_name);
  to.EndObject();
}

void put(json_writer& to, const graph_description::connection& x) {
  to.StartObject();
  put(to, "source", x.source);
  put(to, "output", x.output);
  put(to, "target", x.target);
  put(to, "input", x.input);
  put(to, "delay",
      x.physical || x.distance.is_zero() ? "" : to_string(x.distance));
  put(to, "maxwait",
      x.has_max_wait() ? time_text(std::chrono::nanoseconds{x.max_wait}) : "");
  put(to, "physical", x.physical);
  put(to, "loop", x.in_loop);
  to.EndObject();
}

// -- the state ----------------------------------------------------------------

std::size_t queued(const node_report& x) {
  auto result = x.inbox + x.outside;
  for (auto& [port, size] : x.queues)
    result += size;
  return result;
}

/// Writes a list of counts. @param kind of what has the counts.
void put_named_counts(
  json_writer& to, const char* key, const char* kind,
  const std::vector<std::pair<std::string, std::uint64_t>>& xs) {
  put_list(to, key, xs, [&](auto& x) {
    to.StartObject();
    put(to, kind, x.first);
    put(to, "count", x.second);
    to.EndObject();
  });
}

void put(json_writer& to, const node_report& x, std::int64_t lag,
         const std::optional<node_counts>& counts) {
  to.StartObject();
  put(to, "name", x.name);
  put(to, "process", x.process);
  put(to, "stage", to_string(x.stage));
  put(to, "known", x.complete);
  put(to, "left", x.has_left);
  put(to, "group", x.group);
  put(to, "logical", x.complete ? to_string(x.logical) : "");
  put(to, "next", x.complete && x.next != forever ? to_string(x.next) : "");
  put(to, "stat", x.complete ? to_string(x.stat) : "");
  put(to, "lag", seconds(lag));
  put(to, "queued", queued(x));
  put(to, "code", x.code);
  put(to, "code_tag", to_string(x.code_tag));
  put(to, "running", x.running);
  put(to, "running_for", seconds(x.running_for.count()));
  put(to, "blocker", to_string(x.held_back_by));
  put(to, "waits_for", x.waits_for);
  put(to, "port", x.port);
  put(to, "bound", x.bound == never ? "" : to_string(x.bound));
  put_named_counts(to, "missed_deadlines", "reaction", x.missed_deadlines);
  put_named_counts(to, "dropped_by_spacing", "action", x.dropped_by_spacing);
  put_named_counts(to, "tardy_values", "input", x.tardy_values);
  put_list(to, "watchdogs", x.watchdogs, [&to](auto& y) {
    to.StartObject();
    put(to, "name", y.name);
    put(to, "expiry", y.runs ? time_text(y.expiry) : "");
    put(to, "count", y.expiries);
    to.EndObject();
  });
  put_list(to, "modes", x.modes, [&to](auto& y) {
    to.StartObject();
    put(to, "name", y.name);
    put(to, "active", y.is_active);
    put(to, "count", y.entries);
    to.EndObject();
  });
  if (counts) {
    put(to, "counted_at", seconds(counts->at));
    put(to, "reactions", counts->pieces);
    put(to, "busy", seconds(static_cast<std::int64_t>(counts->busy)));
    put(to, "lag_max", seconds(counts->lag_max));
    put_list(to, "written", counts->written);
  }
  to.EndObject();
}

const std::optional<node_counts>& counts_of(
  const application_view& x, std::size_t i) {
  static const std::optional<node_counts> nothing;
  return i < x.counts.size() ? x.counts[i] : nothing;
}

/// Returns the sums over all nodes.
node_counts total_of(const application_view& x) {
  node_counts result;
  result.lags.resize(node_counters::lag_bounds.size() + 1);
  for (auto& counts : x.counts) {
    if (!counts)
      continue;
    result.late += counts->late;
    result.lag_sum += counts->lag_sum;
    for (std::size_t i = 0; i < result.lags.size(); ++i)
      result.lags[i] += counts->lags[i];
  }
  return result;
}

std::int64_t lag_of_node(const application_view& x, const node_report& node) {
  return x.realtime ? lag_of(node, x.status.elapsed) : 0;
}

// -- metrics ------------------------------------------------------------------

constexpr std::array application_stages{
  application_stage::not_started, application_stage::running,
  application_stage::asking,      application_stage::executing,
  application_stage::aborted,     application_stage::over};

/// Returns the number of connections of each output of each node.
std::vector<std::vector<std::size_t>> fan_out(const graph_description& graph) {
  std::vector<std::vector<std::size_t>> result;
  for (auto& x : graph.nodes)
    result.emplace_back(x.outputs.size());
  for (auto& x : graph.connections)
    ++result[x.source][x.output];
  return result;
}

/// Adds the metrics of a node that are read without asking the node.
void add_counters(metric_writer& to, const metric_writer::labels& self,
                  const node_counts& x, const std::vector<std::size_t>& fan) {
  std::uint64_t messages = 0;
  for (std::size_t i = 0; i < fan.size() && i < x.written.size(); ++i)
    messages += x.written[i] * fan[i];
  auto add = [&](const char* name, const char* help, double value) {
    to.add_counter(name, help, self, value);
  };
  add("rosia_reactions_total", "Pieces of a node's code that returned.",
      static_cast<double>(x.pieces));
  add("rosia_busy_seconds_total", "The time that a node's code took.",
      seconds(static_cast<std::int64_t>(x.busy)));
  add("rosia_messages_total", "Messages that a node sent.",
      static_cast<double>(messages));
  add("rosia_late_tags_total",
      "Tags that ran further behind physical time than lag_warn allows.",
      static_cast<double>(x.late));
  add("rosia_dropped_values_total",
      "Values from outside, and of physical connections, that were dropped.",
      static_cast<double>(x.dropped));
}

void add_lags(metric_writer& to, const metric_writer::labels& self,
              const application_view& view) {
  auto total = total_of(view);
  metric_writer::histogram lags;
  for (auto bound : node_counters::lag_bounds)
    lags.bounds.push_back(seconds(bound));
  lags.counts = total.lags;
  lags.sum = seconds(static_cast<std::int64_t>(total.lag_sum));
  to.add_histogram(
    "rosia_lag_seconds",
    "How far tags began behind physical time; of fast nodes, a sample.", self,
    lags);
}

/// Adds a counter for each name. @param kind the label of the names.
void add_counters(
  metric_writer& to, const metric_writer::labels& self, const char* kind,
  const std::vector<std::pair<std::string, std::uint64_t>>& counts,
  const char* metric, const char* help) {
  for (auto& [name, count] : counts) {
    auto labels = self;
    labels.emplace_back(kind, name);
    to.add_counter(metric, help, labels, static_cast<double>(count));
  }
}

void add_node(metric_writer& to, const metric_writer::labels& self,
              const application_view& view, const node_report& node) {
  to.add_gauge(
    "rosia_queue_length",
    "Messages and values that a node has not executed yet.", self,
    static_cast<double>(queued(node)));
  to.add_gauge(
    "rosia_node_lag_seconds", "How far a node is behind physical time.", self,
    seconds(lag_of_node(view, node)));
  add_counters(
    to, self, "reaction", node.missed_deadlines, "rosia_missed_deadlines_total",
    "Deadlines that a reaction has missed.");
  add_counters(
    to, self, "action", node.dropped_by_spacing,
    "rosia_values_dropped_by_spacing_total",
    "Values from outside that the spacing of an action dropped.");
  add_counters(to, self, "input", node.tardy_values, "rosia_tardy_values_total",
               "Values that arrived after the maximal wait of an input.");
  for (auto& dog : node.watchdogs) {
    auto labels = self;
    labels.emplace_back("watchdog", dog.name);
    to.add_gauge("rosia_watchdog_runs", "Whether a watchdog runs: 1 or 0.",
                 labels, dog.runs ? 1 : 0);
    to.add_counter(
      "rosia_watchdog_expiries_total", "How often a watchdog expired.", labels,
      static_cast<double>(dog.expiries));
  }
  for (auto& mode : node.modes) {
    auto labels = self;
    labels.emplace_back("mode", mode.name);
    to.add_gauge("rosia_mode_active", "Whether a mode is active: 1 or 0.",
                 labels, mode.is_active ? 1 : 0);
    to.add_counter("rosia_mode_entries_total", "How often a mode was entered.",
                   labels, static_cast<double>(mode.entries));
  }
  to.add_gauge(
    "rosia_running_seconds",
    "How long the code that a node runs has not returned.", self,
    seconds(node.running_for.count()));
}

} // namespace

// -- constructors, destructors ------------------------------------------------

application_source::application_source(
  std::shared_ptr<application_link> link, std::shared_ptr<log_context> log)
  : link_(std::move(link)), log_(std::move(log)) {
  // nop
}

// -- overridden functions of watch_source -------------------------------------

void application_source::log_to(const std::shared_ptr<log_ring>& page) {
  log_->add_sink(page);
}

void application_source::put_graph(json_writer& to) {
  auto view = look();
  put(to, "kind", "application");
  graph_description none;
  auto& graph = view.graph ? *view.graph : none;
  put_list(to, "nodes", graph.nodes, [&to](auto& x) { put(to, x); });
  put_list(to, "connections", graph.connections, [&to](auto& x) {
    put(to, x);
  });
}

void application_source::put_state(json_writer& to) {
  auto view = look();
  auto& status = view.status;
  put(to, "kind", "application");
  put(to, "stage", to_string(status.stage));
  put(to, "graph", view.graph != nullptr);
  put(to, "realtime", view.realtime);
  put(to, "elapsed", seconds(status.elapsed.count()));
  put(to, "final", status.final == forever ? "" : to_string(status.final));
  put(to, "reason", status.reason);
  put(to, "status", status.status);
  put(to, "actors", view.actors);
  put_list(to, "explanation", explain(status, view.realtime));
  put_list(to, "processes", status.processes, [&to](auto& x) {
    to.StartObject();
    put(to, "name", x.name);
    put(to, "text", to_string(x));
    put(to, "problem", !x.problem.empty());
    to.EndObject();
  });
  put(to, "process", view.process);
  auto total = total_of(view);
  to.Key("late");
  if (view.lag_warn)
    to.Uint64(total.late);
  else
    to.Null();
  put_list(to, "lags", total.lags);
  put_list(to, "lag_bounds", node_counters::lag_bounds, [&to](auto x) {
    to.Double(seconds(x));
  });
  to.Key("nodes");
  to.StartArray();
  for (std::size_t i = 0; i < status.nodes.size(); ++i)
    put(to, status.nodes[i], lag_of_node(view, status.nodes[i]),
        counts_of(view, i));
  to.EndArray();
}

void application_source::add_metrics(
  metric_writer& to, const std::string& name) {
  auto view = look();
  auto& status = view.status;
  metric_writer::labels self{{"application", name}};
  std::vector<std::string> stages;
  for (auto x : application_stages)
    stages.push_back(to_string(x));
  to.add_states(
    "rosia_application_stage", "Where the application is: 1 for its stage.",
    self, stages, to_string(status.stage));
  to.add_gauge(
    "rosia_application_seconds",
    "Physical time since the start of the application.", self,
    seconds(status.elapsed.count()));
  to.add_gauge(
    "rosia_actors", "Actors of the system that are alive, without hidden ones.",
    self, static_cast<double>(view.actors));
  std::size_t left = 0;
  for (auto& x : status.nodes)
    left += x.has_left ? 1 : 0;
  to.add_gauge("rosia_nodes", "Nodes that have not left.", self,
               static_cast<double>(status.nodes.size() - left));
  add_lags(to, self, view);
  auto fan = fan_out(view.graph ? *view.graph : graph_description{});
  for (std::size_t i = 0; i < status.nodes.size(); ++i) {
    auto labels = self;
    if (auto& process = status.nodes[i].process; !process.empty())
      labels.emplace_back("process", process);
    labels.emplace_back("node", status.nodes[i].name);
    add_node(to, labels, view, status.nodes[i]);
    if (auto& counts = counts_of(view, i))
      add_counters(to, labels, *counts, fan[i]);
  }
}

void application_source::request_end() {
  link_->call([](application& x) {
    application_access::request_end_by_page(x);
  });
}

void application_source::give_report() {
  link_->call([](application& x) { application_access::give_report(x); });
}

application_view application_source::look() const {
  application_view result;
  result.status.stage = application_stage::over;
  link_->call([&](application& x) { result = application_access::look(x); });
  return result;
}

} // namespace caf::rosia::detail
