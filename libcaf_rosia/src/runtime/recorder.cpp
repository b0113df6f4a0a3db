// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/recorder.hpp"

#include "base/duration.hpp"
#include "base/suggestion.hpp"
#include "base/text.hpp"
#include "caf/rosia/graph_error.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/version.hpp"
#include "compat/bytes.hpp"
#include "config/option_table.hpp"
#include "config/process_options.hpp"
#include "nodes/node_access.hpp"
#include "run_file/disk_wait.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <string_view>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The options that are stored in a run file: those that affect the results or
/// the speed of a run.
constexpr std::array<std::string_view, 7> recorded_options{
  "realtime", "stop_after", "timeout",     "max_in_flight",
  "groups",   "replay",     "record_ports"};

std::string kind_of(const reaction_description& x) {
  return x.trigger   ? "trigger"
         : x.startup ? "startup"
         : x.eager   ? "eager"
                     : "reaction";
}

std::string triggers_of(const node_description& node,
                        const reaction_description& x) {
  std::string result;
  auto add = [&](const std::string& name) {
    result += (result.empty() ? "" : ", ") + name;
  };
  for (auto i : x.triggers)
    add(node.inputs[i].name);
  for (auto i : x.actions)
    add(node.actions[i].name);
  return result;
}

run_file::node_record describe_node(
  const std::vector<std::string>& patterns, const node_description& node,
  std::string process) {
  run_file::node_record result{node.name, std::move(process), {}, {}};
  auto add = [&](const port_description& x, bool output) {
    auto recorded
      = std::any_of(patterns.begin(), patterns.end(), [&](auto& pattern) {
          return matches(pattern, node.name + '.' + x.name);
        });
    result.ports.push_back({x.name, x.type, output, x.physical, recorded});
  };
  for (auto& x : node.inputs)
    add(x, false);
  for (auto& x : node.outputs)
    add(x, true);
  for (auto& x : node.reactions)
    result.reactions.push_back({x.name, kind_of(x), triggers_of(node, x)});
  return result;
}

std::vector<std::pair<std::string, std::string>> describe(const options& x) {
  std::vector<std::pair<std::string, std::string>> result;
  for (auto& entry : option_table())
    if (std::find(recorded_options.begin(), recorded_options.end(), entry.name)
        != recorded_options.end())
      result.emplace_back(entry.name, entry.render(x));
  return result;
}

/// Number of bytes of a replayed run's events that are copied at a time.
constexpr std::size_t copied_at_a_time = std::size_t{4} << 20;

std::vector<std::string> names_of_ports(const run_file::graph_record& graph) {
  std::vector<std::string> result;
  for (auto& node : graph.nodes)
    for (auto& port : node.ports)
      result.push_back(node.name + '.' + port.name);
  return result;
}

/// Rejects names that match no port, because they are mistakes.
void require_ports(const std::vector<std::string>& patterns,
                   const run_file::graph_record& graph) {
  for (auto& pattern : patterns) {
    auto fits = [&](const run_file::node_record& node) {
      return std::any_of(node.ports.begin(), node.ports.end(), [&](auto& port) {
        return matches(pattern, node.name + '.' + port.name);
      });
    };
    if (std::none_of(graph.nodes.begin(), graph.nodes.end(), fits))
      throw graph_error("rosia.record_ports: there is no port '" + pattern + "'"
                        + suggestion(pattern, names_of_ports(graph)));
  }
}

/// Returns the name of a connection in run files.
std::string connection_name(const run_file::connection_record& x) {
  return x.from + " to " + x.to;
}

std::int64_t unix_time() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
           std::chrono::system_clock::now().time_since_epoch())
    .count();
}

} // namespace

run_file::graph_record describe_graph(
  const options& opts, const node_directory& nodes,
  const engine::topology& graph) {
  run_file::graph_record result;
  auto patterns = split_list(opts.record_ports);
  for (engine::node_id i = 0; i < nodes.size(); ++i)
    result.nodes.push_back(describe_node(
      patterns, nodes.describe(i),
      nodes.distributed() ? nodes.processes()[nodes.home(i)] : std::string{}));
  for (auto& x : graph.connections())
    result.connections.push_back(
      {nodes.path(x.source, true, x.output),
       nodes.path(x.target, false, x.input), x.distance.ns(),
       x.distance.steps(), x.physical});
  return result;
}

std::string connection_name(
  const node_directory& nodes, const engine::connection_spec& x) {
  return connection_name(
    {nodes.path(x.source, true, x.output),
     nodes.path(x.target, false, x.input)});
}

// -- the ports of a node ------------------------------------------------------

class recorder::node_log final : public engine::port_log {
public:
  /// By port; null if not recorded.
  using logs = std::vector<value_log*>;

  node_log(logs inputs, logs outputs, std::atomic<std::uint64_t>& lost) noexcept
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)), lost_(&lost) {
    // nop
  }

  void arrived(std::uint32_t input, logical_time tag,
               const engine::value& x) override {
    keep(inputs_[input], tag, x);
  }

  void written(std::uint32_t output, logical_time tag,
               const engine::value& x) override {
    keep(outputs_[output], tag, x);
  }

private:
  void keep(value_log* to, logical_time tag, const engine::value& x) {
    if (to != nullptr && !to->add(tag, x))
      lost_->fetch_add(1, std::memory_order_relaxed);
  }

  logs inputs_;
  logs outputs_;
  std::atomic<std::uint64_t>* lost_;
};

// -- constructors, destructors ------------------------------------------------

recorder::recorder(run_file::writer& file, const options& opts,
                   const node_directory& nodes, const engine::topology& graph,
                   const timekeeper& time, const std::string& uuid)
  : file_(file), nodes_(nodes), graph_(graph), time_(time),
    node_logs_(nodes.size()) {
  run_file::run_record record;
  record.uuid = uuid;
  record.version = version;
  record.started = unix_time();
  record.options = describe(opts);
  record.graph = describe_graph(opts, nodes, graph);
  if (nodes.distributed()) {
    record.process = nodes.processes()[nodes.self()];
    for (auto& x : nodes.processes())
      record.processes += (record.processes.empty() ? "" : ",") + x;
  }
  require_savable(record.graph);
  require_ports(split_list(opts.record_ports), record.graph);
  std::promise<std::string> written;
  file_.post_durable(
    [&](run_file::database& to) {
      run_file::make_recording_tables(to);
      rows_ = run_file::write_run(to, record);
    },
    [&](const std::string& problem) { written.set_value(problem); });
  if (auto problem = written.get_future().get(); !problem.empty())
    throw std::runtime_error(problem);
  select_ports(record.graph);
  names_ = std::move(record.graph);
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

engine::port_log* recorder::ports(engine::node_id node) const noexcept {
  return node_logs_[node].get();
}

void recorder::select_ports(const run_file::graph_record& record) {
  for (auto id : nodes_.local()) {
    auto& ports = record.nodes[id].ports;
    auto recorded = [](auto& x) { return x.recorded; };
    if (std::none_of(ports.begin(), ports.end(), recorded))
      continue;
    auto& node = *nodes_.find(id);
    std::size_t i = 0; // the inputs come first
    auto make_logs = [&](auto& from) {
      node_log::logs result;
      for (auto* port : from) {
        auto small = port->payload().destroy == nullptr;
        result.push_back(
          ports[i].recorded
            ? &ports_.emplace_back(rows_.ports[id][i], small, memory_).log
            : nullptr);
        ++i;
      }
      return result;
    };
    auto inputs = make_logs(node_access::inputs(node));
    auto outputs = make_logs(node_access::outputs(node));
    node_logs_[id] = std::make_unique<node_log>(
      std::move(inputs), std::move(outputs), lost_values_);
  }
}

void recorder::require_savable(const run_file::graph_record& record) const {
  auto check = [&](const std::string& name, const std::string& kind,
                   const engine::payload_type& type) {
    if (type.save == nullptr || type.load == nullptr)
      throw graph_error(
        "rosia.record: the values of " + kind + " '" + name
        + "' cannot be saved: give their type an inspect() "
          "function for CAF and a default constructor");
  };
  for (auto id : nodes_.local()) {
    auto& node = *nodes_.find(id);
    auto& name = node.name();
    std::vector<bool> physical(node_access::inputs(node).size());
    for (auto number : graph_.incoming(id))
      if (auto& x = graph_.connections()[number]; x.physical)
        physical[x.input] = true;
    auto& ports = record.nodes[id].ports;
    for (auto* port : node_access::inputs(node))
      if (port->is_physical() || physical[port->index()]
          || ports[port->index()].recorded)
        check(name + '.' + port->name(), "input", port->payload());
    for (auto* reaction : node_access::reactions(node))
      if (reaction->is_trigger())
        check(name + '.' + reaction->name(), "trigger",
              static_cast<trigger_base*>(reaction)->payload());
  }
}

void recorder::copy(run_file::event_reader from) {
  for (auto id : nodes_.local())
    copied_nodes_.insert(names_.nodes[id].name);
  copied_ = std::move(from);
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
  auto taken = std::make_shared<batch>();
  if (has_begun)
    file_.post(
      0,
      [this, taken](auto& to) {
        write(to, *taken);
        while (copied_)
          copy_events(to, *taken);
      },
      [this, taken] { note_loss(*taken); });
  file_.post_durable(
    [this, has_begun, end = std::move(end)](run_file::database& to) {
      if (!has_begun) {
        // Not all processes may have begun it, and no tool could read the rest.
        run_file::erase_run(to, rows_.run);
        return;
      }
      reach_.lost_events = lost_events_;
      reach_.lost_values = lost_values_;
      run_file::write_reach(to, rows_.run, reach_);
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
  if (lost_events_ > 0)
    result += plural(lost_events_, "external event", "external events");
  if (lost_values_ > 0)
    result += (result.empty() ? "" : " and ")
              + plural(lost_values_, "value", "values");
  if (!result.empty())
    result += " could not be recorded: the disk was full or too slow";
  if (!problem.empty())
    result += (result.empty() ? "" : "; ") + ("its end is missing: " + problem);
  return result;
}

// -- from the threads of nodes ------------------------------------------------

void recorder::add(engine::node_id node, const engine::stamped_value& x) {
  auto size = sizeof(event_entry) + event_size_.load(std::memory_order_relaxed);
  if (memory_.used.load(std::memory_order_relaxed) > memory_.limit) {
    lost_events_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  memory_.used.fetch_add(size, std::memory_order_relaxed);
  events_.push_back({node, size, x});
}

void recorder::post() {
  std::lock_guard guard{post_mutex_};
  if (over_)
    return;
  auto taken = std::make_shared<batch>();
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
  over_ = true;
}

// -- on the file's thread -----------------------------------------------------

void recorder::write(run_file::database& to, batch& taken) {
  taken.reached = reach_.ns;
  std::vector<event_entry> events;
  std::int64_t elapsed = 0;
  {
    std::lock_guard guard{mutex()};
    events.swap(events_);
    elapsed = time_.elapsed();
  }
  taken.events = events.size();
  for (auto& x : events)
    memory_.used.fetch_sub(x.size, std::memory_order_relaxed);
  write_events(to, events);
  if (copied_)
    copy_events(to, taken);
  write_values(to, taken);
  reach_.lost_events = lost_events_;
  reach_.lost_values = lost_values_;
  // The recording is certain only up to the first event that was lost or is not
  // copied yet.
  if (reach_.lost_events == 0 && !copied_)
    reach_.ns = elapsed;
  run_file::write_reach(to, rows_.run, reach_);
}

void recorder::copy_events(run_file::database& to, batch& taken) {
  std::vector<run_file::event_record> events;
  try {
    events = copied_->next(copied_at_a_time);
  } catch (const std::runtime_error&) {
    // The receiving node reports the reason.
    lost_events_.fetch_add(1, std::memory_order_relaxed);
  }
  if (events.empty())
    copied_.reset();
  std::erase_if(events, [this](auto& x) {
    return !copied_nodes_.contains(x.node);
  });
  taken.events += events.size();
  for (auto& x : events) {
    auto& row = event_row(to, x.node, x.source, x.name, x.tag);
    if (x.text)
      row.bind_bytes(7, x.bytes).bind(8, *x.text);
    row.run();
  }
}

run_file::statement& recorder::event_row(
  run_file::database& to, std::string_view node, std::string_view source,
  std::string_view name, logical_time tag) {
  ++steps_;
  return to
    .prepared("write an external event",
              "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    .bind(1, rows_.run)
    .bind(2, node)
    .bind(3, source)
    .bind(4, name)
    .bind(5, tag.ns)
    .bind(6, std::int64_t{tag.microstep});
}

void recorder::write_events(
  run_file::database& to, const std::vector<event_entry>& events) {
  for (auto& x : events) {
    auto& node = names_.nodes[x.node];
    std::string_view source;
    std::string name;
    switch (x.value.kind) {
      case engine::envelope_kind::trigger:
        source = "trigger";
        name = node.reactions[x.value.index].name;
        break;
      case engine::envelope_kind::injected:
        source = "injected";
        name = node.ports[x.value.index].name; // the inputs come first
        break;
      default:
        source = "physical";
        name = connection_name(
          names_.connections[graph_.incoming(x.node)[x.value.index]]);
    }
    auto& row = event_row(to, node.name, source, name, x.value.tag);
    bind(row, 7, x.value.content);
    row.run();
    event_size_.store(
      static_cast<std::uint32_t>(bytes_.size()), std::memory_order_relaxed);
  }
}

void recorder::write_values(run_file::database& to, batch& taken) {
  // If writing a value fails, the remaining values are lost as well. Kept in
  // memory, they would wait for a disk that may never recover.
  std::vector<std::pair<port_entry*, value_log::batch>> batches;
  for (auto& port : ports_)
    if (value_log::batch all{port.log}; all.size() > 0) {
      taken.values += all.size();
      batches.emplace_back(&port, std::move(all));
    }
  auto& row
    = to.prepared("write a value", "INSERT INTO value VALUES (?, ?, ?, ?, ?)");
  for (auto& [port, values] : batches) {
    row.bind(1, port->row);
    while (values.size() > 0) {
      auto x = values.next();
      row.bind(2, x.tag.ns).bind(3, std::int64_t{x.tag.microstep});
      bind(row, 4, x.content);
      row.run();
      ++steps_;
    }
    port->log.payload_size(bytes_.size());
  }
}

void recorder::bind(run_file::statement& to, int index,
                    const engine::value& x) {
  bytes_.clear();
  byte_writer sink{bytes_};
  try {
    if (!x.save(sink)) {
      to.bind_bytes(index, bytes_);
      if (auto text = text_.write(x))
        to.bind(index + 1, *text);
      return;
    }
  } catch (...) {
    // The inspect() function of its type rejected it.
  }
  to.bind_null(index).bind_null(index + 1);
}

void recorder::note_loss(const batch& taken) {
  lost_events_.fetch_add(taken.events, std::memory_order_relaxed);
  lost_values_.fetch_add(taken.values, std::memory_order_relaxed);
  reach_.ns = std::min(reach_.ns, taken.reached);
}

} // namespace caf::rosia::detail
