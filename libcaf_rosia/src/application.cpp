// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/application.hpp"

#include "caf/rosia/actor/membership.hpp"
#include "caf/rosia/actor/runtime.hpp"
#include "caf/rosia/detail/application_access.hpp"
#include "caf/rosia/detail/closest_name.hpp"
#include "caf/rosia/detail/drill.hpp"
#include "caf/rosia/detail/logging.hpp"
#include "caf/rosia/detail/placement.hpp"
#include "caf/rosia/detail/roster.hpp"
#include "caf/rosia/engine/topology.hpp"
#include "role.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace caf::rosia {

using detail::node_access;

namespace {

/// A connection whose ports are given by name.
struct named_connection {
  std::string from;
  std::string to;
  delay distance;
  bool physical = false;
};

/// A connection whose ports are given by members of nodes that may run in
/// other processes. The numbers in the spec are those of its nodes only.
struct member_connection {
  detail::member_port output;
  detail::member_port input;
  std::string type;
};

/// A connection, in the order of declaration. Most are given by their ports,
/// and there may be many.
struct declared_connection {
  engine::connection_spec spec;
  std::unique_ptr<named_connection> names = nullptr;
  std::unique_ptr<member_connection> members = nullptr;
};

/// A node of an application that runs over several processes.
struct declared_node {
  std::string name;
  std::string type_name;
  const detail::node_type* type;
  std::unique_ptr<detail::node_factory> factory;
  std::string process;                 // empty if nobody has placed it
  std::optional<engine::node_id> with; // where this one is
};

} // namespace

struct application::impl {
  impl(caf::actor_system& sys, options x) : system(&sys), opts(std::move(x)) {
    validate(opts);
    detail::take_role(opts);
    distributed = detail::is_distributed(opts);
    if (distributed)
      detail::check_role(opts);
    log = std::make_shared<detail::log_context>(opts.log_level);
    drill = detail::drill::join(opts, opts.process, *log->make("rosia"));
  }

  // -- names ------------------------------------------------------------------

  std::string port_name(engine::node_id node, bool output,
                        std::uint32_t index) const {
    return node_access::port_name(*nodes[node], output, index);
  }

  engine::node_id find_node(std::string_view port) const {
    auto dot = port.rfind('.');
    if (dot == std::string_view::npos)
      throw graph_error(
        "'" + std::string{port} + "' is no port: write 'node.port'");
    std::string name{port.substr(0, dot)};
    auto i = ids.find(name);
    if (i != ids.end())
      return i->second;
    throw graph_error(
      "there is no node '" + name + "' for the port '" + std::string{port} + "'"
      + suggestion(name, [this] {
          std::vector<std::string> result;
          for (auto& x : ids)
            result.push_back(x.first);
          std::sort(result.begin(), result.end());
          return result;
        }()));
  }

  template <class Ports>
  static std::uint32_t find_port(const Ports& ports, std::string_view path,
                                 const char* kind, const char* other) {
    auto name = path.substr(path.rfind('.') + 1);
    for (auto* x : ports)
      if (x->name() == name)
        return x->index();
    std::vector<std::string> names;
    for (auto* x : ports)
      names.push_back(x->name());
    throw graph_error(
      "there is no " + std::string{kind} + " '" + std::string{path} + "'"
      + suggestion(std::string{name}, names) + other);
  }

  static std::string suggestion(
    const std::string& name, const std::vector<std::string>& names) {
    if (names.empty())
      return "; there are none";
    if (names.size() <= 8) {
      std::string result = "; there is ";
      for (auto& x : names) {
        if (&x != &names.front())
          result += &x == &names.back() ? " and " : ", ";
        (result += '\'') += x;
        result += '\'';
      }
      return result;
    }
    auto closest = detail::closest_name(name, names);
    return closest.empty() ? std::string{}
                           : "; did you mean '" + std::string{closest} + "'?";
  }

  // -- the graph --------------------------------------------------------------

  std::uint32_t find_output(engine::node_id node, std::string_view path) const {
    return find_port(node_access::outputs(*nodes[node]), path, "output",
                     " (connections lead from an output to an input)");
  }

  std::uint32_t find_input(engine::node_id node, std::string_view path) const {
    return find_port(node_access::inputs(*nodes[node]), path, "input",
                     " (connections lead from an output to an input)");
  }

  static void check_types(const std::string& from, const std::string& from_type,
                          const std::string& to, const std::string& to_type) {
    if (from_type != to_type)
      throw graph_error(
        "output '" + from + "' of type " + from_type
        + " is connected to input '" + to + "' of type " + to_type
        + "; both have to be the same, put a node between them "
          "that converts");
  }

  engine::connection_spec resolve(const named_connection& x) const {
    engine::connection_spec result;
    result.source = find_node(x.from);
    result.target = find_node(x.to);
    result.output = find_output(result.source, x.from);
    result.input = find_input(result.target, x.to);
    result.distance = x.distance;
    result.physical = x.physical;
    auto& from = *node_access::outputs(*nodes[result.source])[result.output];
    auto& to = *node_access::inputs(*nodes[result.target])[result.input];
    check_types(x.from, engine::type_name(from.type()), x.to,
                engine::type_name(to.type()));
    return result;
  }

  engine::topology make_graph() const {
    std::vector<bool> external(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      external[i] = node_access::external(*nodes[i]);
    std::vector<engine::connection_spec> specs;
    specs.reserve(connections.size());
    for (auto& x : connections) {
      auto& spec = specs.emplace_back(x.names ? resolve(*x.names) : x.spec);
      auto& target = *nodes[spec.target];
      auto& triggered
        = node_access::inputs(target)[spec.input]->state().reactions;
      auto& reactions = node_access::reactions(target);
      spec.eager
        = std::any_of(triggered.begin(), triggered.end(), [&](auto index) {
            return reactions[index]->is_eager();
          });
    }
    return engine::topology{
      std::move(external), std::move(specs),
      [this](auto node, auto output, auto index) {
        return port_name(node, output, index);
      }};
  }

  /// @param suffix of the file's name.
  std::unique_ptr<detail::trace_writer> make_trace(
    const std::string& suffix = {}) const {
    if (trace_sink)
      return std::make_unique<detail::trace_writer>(trace_sink);
    if (!opts.trace.empty())
      return std::make_unique<detail::trace_writer>(opts.trace + suffix);
    return nullptr;
  }

  // -- several processes ------------------------------------------------------

  std::string process_name() const {
    return opts.process.empty() ? "coordinator" : opts.process;
  }

  /// The process that a node was placed in; empty if nobody did.
  std::string place_of(engine::node_id id) const {
    auto& x = declared[id];
    if (!x.process.empty())
      return x.process;
    if (x.with)
      return place_of(*x.with);
    return detail::process_of(opts.placement, x.name);
  }

  /// Creates the instance of a node of this process.
  node& instance(engine::node_id id) {
    auto& x = declared[id];
    if (!nodes[id]) {
      try {
        nodes[id] = x.factory->make();
      } catch (const graph_error& e) {
        throw graph_error("node '" + x.name + "': " + e.what());
      }
      node_access::type(*nodes[id], *x.type);
      node_access::inbox(*nodes[id])
        .attach(nullptr, detail::runtime::max_in_flight(opts));
      node_access::name(*nodes[id], x.name);
    }
    return *nodes[id];
  }

  /// The ends of a connection, as far as they can be known everywhere.
  engine::connection_spec outline(const declared_connection& x) const {
    if (!x.names)
      return x.spec;
    engine::connection_spec result;
    result.source = find_node(x.names->from);
    result.target = find_node(x.names->to);
    result.distance = x.names->distance;
    result.physical = x.names->physical;
    return result;
  }

  std::vector<engine::process_id> place_nodes(
    const std::vector<std::string>& processes,
    const std::vector<engine::connection_spec>& outlines) const {
    std::vector<engine::process_id> result;
    for (engine::node_id i = 0; i < nodes.size(); ++i) {
      auto process = place_of(i);
      auto at = std::find(processes.begin(), processes.end(), process);
      if (process.empty())
        result.push_back(detail::unplaced);
      else if (at != processes.end())
        result.push_back(
          static_cast<engine::process_id>(at - processes.begin()));
      else
        throw graph_error(
          "node '" + declared[i].name + "' is placed in process '" + process
          + "', which there is not" + suggestion(process, processes));
    }
    std::vector<detail::node_pair> pairs;
    for (auto& x : outlines)
      pairs.push_back({x.source, x.target});
    detail::place(
      result, pairs, 1, static_cast<engine::process_id>(processes.size()));
    // Whoever has to be where another node is may not have been placed there.
    for (engine::node_id i = 0; i < nodes.size(); ++i)
      if (auto& other = declared[i].with)
        result[i] = result[*other];
    return result;
  }

  std::vector<std::string> describe_graph(
    const std::vector<std::string>& processes,
    const std::vector<engine::process_id>& homes,
    const std::vector<engine::connection_spec>& outlines) const {
    std::vector<std::string> result;
    for (engine::node_id i = 0; i < nodes.size(); ++i)
      result.push_back(
        "node '" + declared[i].name + "' (" + declared[i].type_name
        + ") in process '" + processes[homes[i]] + "'");
    for (std::size_t i = 0; i < outlines.size(); ++i) {
      auto& x = connections[i];
      auto text
        = x.names
            ? "connection '" + x.names->from + "' to '" + x.names->to + "'"
            : "connection '" + declared[x.spec.source].name + "' to '"
                + declared[x.spec.target].name + "' of type " + x.members->type;
      if (outlines[i].physical)
        text += ", physical";
      else if (!outlines[i].distance.is_zero())
        text += ", delay " + to_string(outlines[i].distance);
      result.push_back(std::move(text));
    }
    return result;
  }

  /// What this process has to tell the others.
  join_request introduce(
    engine::process_id self, const std::vector<engine::process_id>& homes,
    const std::vector<engine::connection_spec>& outlines) {
    join_request result;
    for (engine::node_id i = 0; i < nodes.size(); ++i)
      if (homes[i] == self)
        result.nodes.emplace_back(i, detail::describe(instance(i)));
    for (std::uint32_t i = 0; i < outlines.size(); ++i) {
      auto& x = connections[i];
      auto source = outlines[i].source;
      auto target = outlines[i].target;
      if (homes[source] == self)
        result.outputs.emplace_back(
          i, x.names
               ? find_output(source, x.names->from)
               : x.members->output.index(
                 declared[source].factory->object(), x.members->output.member));
      if (homes[target] == self)
        result.inputs.emplace_back(
          i, x.names
               ? find_input(target, x.names->to)
               : x.members->input.index(
                 declared[target].factory->object(), x.members->input.member));
    }
    return result;
  }

  /// The graph that all have agreed on.
  engine::topology make_graph(
    const detail::roster& all, std::vector<engine::connection_spec> specs,
    const join_reply& agreed) const {
    std::vector<detail::node_description> known;
    std::vector<bool> external;
    for (engine::node_id i = 0; i < all.size(); ++i) {
      known.push_back(all.describe(i));
      external.push_back(detail::is_external(known.back()));
    }
    for (std::size_t i = 0; i < specs.size(); ++i) {
      auto& x = specs[i];
      if (i < agreed.ports.size())
        std::tie(x.output, x.input) = agreed.ports[i];
      if (i >= agreed.ports.size() || x.output >= known[x.source].outputs.size()
          || x.input >= known[x.target].inputs.size())
        throw graph_error(
          "the connection from node '" + all.name(x.source) + "' to node '"
          + all.name(x.target) + "' has ports that nobody knows");
      auto& from = known[x.source].outputs[x.output];
      auto& to = known[x.target].inputs[x.input];
      auto from_path = all.path(x.source, true, x.output);
      auto to_path = all.path(x.target, false, x.input);
      check_types(from_path, from.type, to_path, to.type);
      if (all.home(x.source) != all.home(x.target)
          && !(from.can_travel && to.can_travel))
        throw graph_error(
          "output '" + from_path + "' leads to input '" + to_path
          + "' in another process, but a value of type " + from.type
          + " cannot travel: give it an inspect() function for CAF and a "
            "default constructor, or place both nodes in one process");
      x.eager = detail::is_eager(known[x.target], x.input);
    }
    return engine::topology{
      std::move(external), std::move(specs),
      [&all](auto node, auto output, auto index) {
        return all.path(node, output, index);
      }};
  }

  // -- the end ----------------------------------------------------------------

  /// @param guard of the mutex.
  void be_over(std::unique_lock<std::mutex> guard) {
    state = phase::over;
    auto listeners = std::exchange(on_over, {});
    guard.unlock();
    for (auto& listener : listeners)
      listener();
  }

  // -- member variables -------------------------------------------------------

  enum class phase { building, running, over };

  caf::actor_system* system;
  options opts;
  std::shared_ptr<detail::log_context> log;
  std::shared_ptr<detail::drill> drill; // null if there is none
  std::vector<std::unique_ptr<node>> nodes;
  bool distributed = false;
  std::vector<declared_node> declared; // the same, if so
  std::unordered_map<std::string, engine::node_id> ids;
  std::vector<declared_connection> connections;
  std::atomic<phase> state{phase::building};
  std::mutex mutex; // for those who change `run`, or are on another thread
  std::shared_ptr<detail::runtime> run;
  report last_report;            // of the run that is over, without nodes
  bool end_requested = false;    // before the run
  std::optional<int> end_forced; // the same
  std::vector<std::function<void()>> on_over;
  std::function<void(std::string_view)> trace_sink;
};

void detail::application_access::trace(
  application& x, std::function<void(std::string_view)> sink) {
  x.impl_->trace_sink = std::move(sink);
}

void detail::application_access::on_over(
  application& x, std::function<void()> fun) {
  std::unique_lock guard{x.impl_->mutex};
  if (x.impl_->state == application::impl::phase::over) {
    guard.unlock();
    fun();
  } else {
    x.impl_->on_over.push_back(std::move(fun));
  }
}

// -- constructors, destructors ------------------------------------------------

application::application(caf::actor_system& sys)
  : application(sys, options_from(sys.config())) {
  // nop
}

application::application(caf::actor_system& sys, options opts)
  : impl_(std::make_unique<impl>(sys, std::move(opts))) {
  // nop
}

application::~application() {
  // nop
}

// -- building -----------------------------------------------------------------

void application::connect(std::string_view from, std::string_view to,
                          const delay& d) {
  check_building(std::string{from});
  impl_->connections.push_back(
    {{},
     std::make_unique<named_connection>(
       named_connection{std::string{from}, std::string{to}, d, false})});
}

void application::connect(std::string_view from, std::string_view to,
                          physical_t) {
  check_building(std::string{from});
  impl_->connections.push_back(
    {{},
     std::make_unique<named_connection>(
       named_connection{std::string{from}, std::string{to}, delay{}, true})});
}

// -- running ------------------------------------------------------------------

int application::run() {
  if (impl_->state != impl::phase::building)
    throw std::logic_error("an application runs once; create another one");
  return is_distributed() ? run_with_others() : run_alone();
}

int application::run_alone() {
  auto graph = impl_->make_graph();
  if (!impl_->opts.report.empty())
    detail::check_report_file(impl_->opts.report);
  std::vector<node*> nodes;
  nodes.reserve(impl_->nodes.size());
  for (auto& x : impl_->nodes)
    nodes.push_back(x.get());
  return run(std::make_shared<detail::runtime>(
    *impl_->system, impl_->opts, impl_->log, impl_->make_trace(),
    detail::roster{std::move(nodes)}, std::move(graph)));
}

int application::run_with_others() {
  auto log = impl_->log->make("rosia");
  try {
    detail::membership group{*impl_->system, impl_->opts, log, impl_->drill};
    try {
      return run_with_others(group);
    } catch (const detail::ended_early&) {
      group.dismiss(true);
      throw;
    } catch (...) {
      group.dismiss(false);
      throw;
    }
  } catch (const detail::ended_early& e) {
    log->info("the application ends before it has started: {}", e.what());
  }
  std::unique_lock guard{impl_->mutex};
  impl_->last_report.stage = application_stage::over;
  impl_->be_over(std::move(guard));
  return 0;
}

int application::run_with_others(detail::membership& group) {
  auto& opts = impl_->opts;
  std::vector<engine::connection_spec> specs;
  for (auto& x : impl_->connections)
    specs.push_back(impl_->outline(x));
  auto self = group.self();
  auto homes = impl_->place_nodes(group.processes(), specs);
  auto request = impl_->introduce(self, homes, specs);
  request.graph = impl_->describe_graph(group.processes(), homes, specs);
  auto agreed = group.join(std::move(request));
  opts.realtime = agreed.realtime;
  opts.stop_after.reset();
  if (agreed.stop_after != never)
    opts.stop_after = agreed.stop_after;
  opts.max_in_flight = agreed.max_in_flight;
  opts.grace_period = std::chrono::nanoseconds{agreed.grace_period};
  if (!opts.report.empty() && !group.coordinates())
    opts.report += '.' + group.processes()[self];
  if (!opts.report.empty())
    detail::check_report_file(opts.report);
  std::vector<node*> nodes;
  for (auto& x : impl_->nodes)
    nodes.push_back(x.get());
  agreed.nodes.resize(nodes.size());
  detail::roster all{
    std::move(nodes), agreed.nodes, homes, group.processes(), self};
  auto graph = impl_->make_graph(all, std::move(specs), agreed);
  std::vector<engine::process_id> others;
  for (auto& x : graph.connections())
    for (auto [here, there] :
         {std::pair{homes[x.source], homes[x.target]},
          std::pair{homes[x.target], homes[x.source]}})
      if (here == self && there != self)
        others.push_back(there);
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  auto peers = group.meet(others);
  return run(std::make_shared<detail::runtime>(
    *impl_->system, opts, impl_->log,
    impl_->make_trace('.' + group.processes()[self]), std::move(all),
    std::move(graph), group, agreed.session, std::move(peers)));
}

int application::run(std::shared_ptr<detail::runtime> run) {
  run->rehearse(impl_->drill);
  {
    std::lock_guard guard{impl_->mutex};
    impl_->run = std::move(run);
    if (impl_->end_forced)
      impl_->run->force_from_outside(*impl_->end_forced);
    else if (impl_->end_requested)
      impl_->run->request_from_outside();
  }
  std::vector<declared_connection>{}.swap(impl_->connections);
  impl_->ids = {};
  impl_->state = impl::phase::running;
  auto status = detail::runtime::run(impl_->run);
  std::unique_lock guard{impl_->mutex};
  impl_->last_report = impl_->run->summary();
  impl_->run.reset();
  impl_->be_over(std::move(guard));
  return status;
}

void application::request_shutdown() {
  std::lock_guard guard{impl_->mutex};
  impl_->end_requested = true;
  if (impl_->run)
    impl_->run->request_from_outside();
}

void application::force_shutdown(int status) {
  std::lock_guard guard{impl_->mutex};
  impl_->end_forced = status;
  if (impl_->run)
    impl_->run->force_from_outside(status);
}

report application::status() const {
  std::shared_ptr<detail::runtime> run;
  report result;
  {
    std::lock_guard guard{impl_->mutex};
    run = impl_->run;
    result = impl_->last_report;
  }
  if (run)
    return run->look();
  auto is_over = result.stage == application_stage::over;
  for (engine::node_id i = 0; i < impl_->nodes.size(); ++i) {
    auto& node = result.nodes.emplace_back();
    node.name = name_of(i);
    node.stage = is_over ? node_stage::left : node_stage::not_started;
    node.has_left = is_over;
  }
  return result;
}

// -- properties ---------------------------------------------------------------

const options& application::opts() const noexcept {
  return impl_->opts;
}

std::size_t application::size() const noexcept {
  return impl_->nodes.size();
}

// -- several processes --------------------------------------------------------

bool application::is_distributed() const noexcept {
  return impl_->distributed;
}

const std::string& application::name_of(engine::node_id id) const noexcept {
  return impl_->distributed
           ? impl_->declared[id].name
           : impl_->nodes[id]->name();
}

void application::place(engine::node_id id, std::string process) {
  if (!detail::is_process_name(process))
    throw graph_error(
      "'" + process + "' is no name for a process, which node '" + name_of(id)
      + "' is placed in: names have letters, digits, '-' and '_'");
  if (!impl_->distributed)
    return;
  auto& x = impl_->declared[id];
  if (impl_->nodes[id] && impl_->place_of(id) != process)
    throw std::logic_error(
      "node '" + x.name + "' is placed in process '" + process
      + "' when it exists already; place it before it is used");
  x.process = std::move(process);
}

void application::place_with(engine::node_id id, engine::node_id other) {
  if (impl_->distributed)
    impl_->declared[id].with = other;
}

bool application::is_local(engine::node_id id) const {
  if (impl_->state != impl::phase::building)
    return impl_->nodes[id] != nullptr;
  auto process = impl_->place_of(id);
  if (process.empty())
    throw std::logic_error(
      "which process runs node '" + name_of(id)
      + "' is not known before run(): place it (application::place, or the "
        "option rosia.placement)");
  return process == impl_->process_name();
}

void* application::object(engine::node_id id) const {
  if (!is_local(id))
    throw std::logic_error(
      "node '" + name_of(id)
      + "' runs in another process; ask is_local() before its instance is "
        "used");
  impl_->instance(id);
  return impl_->declared[id].factory->object();
}

// -- implementation -----------------------------------------------------------

void application::check_name(const std::string& name) const {
  if (name.empty() || name.find('.') != std::string::npos)
    throw graph_error(
      "'" + name
      + "' is no name for a node: names are not empty, and "
        "have no dots, because 'node.port' names a port");
  if (impl_->ids.count(name) != 0)
    throw graph_error("there are two nodes with the name '" + name
                      + "'; give one of them another name");
  if (impl_->state != impl::phase::building)
    throw std::logic_error(
      "node '" + name
      + "' is created after run(); a graph is built "
        "before it runs");
}

void application::check_mine(
  const application& owner, const std::string& name) const {
  if (&owner != this)
    throw graph_error(
      "node '" + name
      + "' is another application's; nodes of another application cannot be "
        "connected, but a trigger or inject() hands values over");
}

void application::check_building(const std::string& from) const {
  if (impl_->state != impl::phase::building)
    throw std::logic_error(
      "'" + from
      + "' is connected after run(); a graph is built before it runs");
}

engine::node_id application::add(
  std::string name, std::unique_ptr<node> instance,
  const detail::node_type& type) {
  auto id = static_cast<engine::node_id>(impl_->nodes.size());
  node_access::type(*instance, type);
  // Triggers may be called from now on; there is nobody to be woken yet.
  node_access::inbox(*instance).attach(
    nullptr, detail::runtime::max_in_flight(impl_->opts));
  impl_->ids.emplace(name, id);
  node_access::name(*instance, std::move(name));
  impl_->nodes.push_back(std::move(instance));
  return id;
}

engine::node_id application::add(
  std::string name, std::unique_ptr<detail::node_factory> factory,
  const detail::node_type& type, const std::type_info& info) {
  auto id = static_cast<engine::node_id>(impl_->nodes.size());
  impl_->ids.emplace(name, id);
  impl_->nodes.emplace_back();
  impl_->declared.push_back(
    {std::move(name),
     engine::type_name(info),
     &type,
     std::move(factory),
     {},
     std::nullopt});
  return id;
}

void application::connect(
  engine::node_id from, const detail::member_port& output, engine::node_id to,
  const detail::member_port& input, const std::type_info& type, const delay& d,
  bool is_physical) {
  check_building(name_of(from));
  impl_->connections.push_back(
    {{from, 0, to, 0, d, is_physical, false},
     nullptr,
     std::make_unique<member_connection>(
       member_connection{output, input, engine::type_name(type)})});
}

void application::connect(
  engine::node_id from, std::uint32_t output, engine::node_id to,
  std::uint32_t input, const delay& d, bool is_physical) {
  check_building(impl_->port_name(from, true, output));
  impl_->connections.push_back(
    {{from, output, to, input, d, is_physical, false}});
}

bool application::inject(node& to, input_port_base& input,
                         engine::value_ptr content) {
  if (!input.is_physical())
    throw graph_error(
      "input '" + to.name() + '.' + input.name()
      + "' takes no values from outside; declare it with "
        "rosia::physical");
  engine::envelope x;
  x.what = engine::envelope::kind::injected;
  x.connection = input.index();
  x.content = std::move(content);
  return node_access::inbox(to).offer(std::move(x), input.waiting());
}

node_handle application::handle_of(engine::node_id id) const {
  return impl_->run ? impl_->run->handle_of(id) : node_handle{};
}

std::string application::sink_name(
  const std::string& node, const std::string& port) const {
  // Several actors may listen to one output.
  for (auto n = 1;; ++n) {
    auto result = node + (port.empty() ? "" : ":") + port + " to actor "
                  + std::to_string(n);
    if (impl_->ids.count(result) == 0)
      return result;
  }
}

} // namespace caf::rosia
