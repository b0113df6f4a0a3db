// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/recorder.hpp"

#include "base/duration.hpp"
#include "base/exception_text.hpp"
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

#include <caf/error.hpp>
#include <spdlog/fmt/fmt.h>

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
constexpr std::array<std::string_view, 8> recorded_options{
  "realtime", "stop_after", "timeout",      "max_in_flight",
  "groups",   "replay",     "record.ports", "set"};

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

/// Marks the recorded ports.
/// @throws graph_error for a pattern that matches no port, which is a mistake.
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

std::int64_t unix_time() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
           std::chrono::system_clock::now().time_since_epoch())
    .count();
}

} // namespace

std::string connection_name(
  const graph_description& graph, const graph_description::connection& x) {
  return graph.output_of(x) + " to " + graph.input_of(x);
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

recorder::recorder(
  run_file::writer& file, const options& opts, const node_directory& nodes,
  const engine::topology& graph, const graph_description& description,
  const timekeeper& time, const std::string& uuid)
  : file_(file), nodes_(nodes), graph_(graph), time_(time),
    node_logs_(nodes.size()), names_(description) {
  mark_recorded(opts.record.ports, names_);
  require_savable();
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
  std::promise<std::string> written;
  file_.post_durable(
    [&](run_file::database& to) {
      run_file::make_recording_tables(to);
      rows_ = run_file::write_run(to, record, names_);
    },
    [&](const std::string& problem) { written.set_value(problem); });
  if (auto problem = written.get_future().get(); !problem.empty())
    throw std::runtime_error(problem);
  select_ports();
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

void recorder::select_ports() {
  for (auto id : nodes_.local()) {
    auto& described = names_.nodes[id];
    auto row = rows_.ports[id].begin(); // inputs are before outputs
    auto any = false;
    auto make_logs = [&](auto& ports, auto& descriptions) {
      node_log::logs result;
      for (auto* port : ports) {
        auto small = member_access::payload(*port).destroy == nullptr;
        auto recorded = descriptions[port->index()].recorded;
        any = any || recorded;
        result.push_back(
          recorded ? &ports_.emplace_back(*row, small, memory_).log : nullptr);
        ++row;
      }
      return result;
    };
    auto& node = *nodes_.find(id);
    auto inputs = make_logs(node_access::inputs(node), described.inputs);
    auto outputs = make_logs(node_access::outputs(node), described.outputs);
    if (any)
      node_logs_[id] = std::make_unique<node_log>(
        std::move(inputs), std::move(outputs), lost_values_);
  }
}

void recorder::require_savable() const {
  auto check = [&](const std::string& name, const std::string& kind,
                   const engine::payload_type& type) {
    if (type.save == nullptr || type.load == nullptr)
      throw graph_error(
        "rosia.record.file: the values of " + kind + " '" + name
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
    auto& inputs = names_.nodes[id].inputs;
    for (auto* port : node_access::inputs(node))
      if (port->is_physical() || physical[port->index()]
          || inputs[port->index()].recorded)
        check(name + '.' + port->name(),
              port->is_physical() ? "physical action" : "input",
              member_access::payload(*port));
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
    result
      += " could not be recorded: "
         + (rejection_.empty() ? std::string{"the disk was full or too slow"}
                               : rejection_);
  if (!problem.empty())
    result += (result.empty() ? "" : "; ") + ("its end is missing: " + problem);
  return result;
}

// -- from the threads of nodes ------------------------------------------------

void recorder::add(engine::node_id node, const engine::stamped_value& x) {
  auto size = sizeof(event_entry) + event_size_.load(std::memory_order_relaxed);
  if (take_memory(size))
    pending_.events.push_back({node, size, x});
}

void recorder::add(engine::node_id node, std::uint32_t reaction,
                   const engine::passed_deadline& x) {
  std::lock_guard guard{mutex()};
  if (take_memory(sizeof(deadline_entry)))
    pending_.deadlines.push_back({node, reaction, x});
}

bool recorder::take_memory(std::size_t size) noexcept {
  if (memory_.used.load(std::memory_order_relaxed) > memory_.limit) {
    lost_events_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  memory_.used.fetch_add(size, std::memory_order_relaxed);
  return true;
}

void recorder::await(engine::node_id node, logical_time first) {
  if (first == forever)
    awaited_.erase(node);
  else
    awaited_[node] = first;
}

void recorder::reach(engine::node_id node, logical_time tag) {
  std::lock_guard guard{mutex()};
  pending_.reached[node] = tag;
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
  pending news;
  std::int64_t elapsed = 0;
  {
    std::lock_guard guard{mutex()};
    std::swap(news, pending_);
    elapsed = known_time();
  }
  taken.events = news.events.size() + news.deadlines.size();
  for (auto& x : news.events)
    memory_.used.fetch_sub(x.size, std::memory_order_relaxed);
  memory_.used.fetch_sub(
    news.deadlines.size() * sizeof(deadline_entry), std::memory_order_relaxed);
  write_events(to, news.events);
  write_deadlines(to, news);
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

std::int64_t recorder::known_time() const {
  auto result = time_.elapsed();
  for (auto& [node, first] : awaited_)
    result = std::min(result, first.ns);
  return result;
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
    std::string_view source = "action";
    std::string name;
    if (x.value.kind == engine::envelope_kind::action) {
      name = node.inputs[x.value.index].name;
    } else if (x.value.kind == engine::envelope_kind::watchdog) {
      source = "watchdog";
      name = node.actions[x.value.index].name;
    } else {
      source = "physical";
      name = connection_name(
        names_, names_.connections[graph_.incoming(x.node)[x.value.index]]);
    }
    auto& row = event_row(to, node.name, source, name, x.value.tag);
    auto problem = bind(row, 7, x.value.content);
    if (!problem.empty()) {
      lost_events_.fetch_add(1, std::memory_order_relaxed);
      if (rejection_.empty())
        rejection_ = fmt::format(
          "the {} value '{}' of node '{}' at tag {} cannot be saved: {}",
          source, name, node.name, to_string(x.value.tag), problem);
      continue;
    }
    row.run();
    event_size_.store(
      static_cast<std::uint32_t>(bytes_.size()), std::memory_order_relaxed);
  }
}

void recorder::write_deadlines(run_file::database& to, const pending& from) {
  for (auto& x : from.deadlines) {
    auto& node = names_.nodes[x.node];
    run_file::write_deadline(
      to, rows_.run,
      {node.name, node.reactions[x.reaction].name, x.passed.tag,
       static_cast<run_file::deadline_record::point>(x.passed.where),
       x.passed.calls});
    ++steps_;
  }
  // A deadline that was lost may have passed before these tags.
  if (lost_events_ == 0)
    for (auto& [id, tag] : from.reached)
      run_file::write_reached(to, rows_.nodes[id], tag);
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

std::string recorder::bind(
  run_file::statement& to, int index, const engine::value& x) {
  bytes_.clear();
  byte_writer sink{bytes_};
  std::string problem;
  try {
    if (auto error = x.save(sink)) {
      problem = caf::to_string(error);
    } else {
      to.bind_bytes(index, bytes_);
      if (auto text = text_.write(x))
        to.bind(index + 1, *text);
      return {};
    }
  } catch (...) {
    problem = current_exception_text();
  }
  to.bind_null(index).bind_null(index + 1);
  return problem;
}

void recorder::note_loss(const batch& taken) {
  lost_events_.fetch_add(taken.events, std::memory_order_relaxed);
  lost_values_.fetch_add(taken.values, std::memory_order_relaxed);
  reach_.ns = std::min(reach_.ns, taken.reached);
}

} // namespace caf::rosia::detail
