// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/application.hpp"

#include "application/application_access.hpp"
#include "base/closest_name.hpp"
#include "base/logging.hpp"
#include "base/text.hpp"
#include "base/type_name.hpp"
#include "config/process_options.hpp"
#include "distributed/membership.hpp"
#include "distributed/placement.hpp"
#include "distributed/process_session.hpp"
#include "distributed/role.hpp"
#include "drills/drill.hpp"
#include "engine/topology.hpp"
#include "nodes/node_access.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/run_loop.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
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

constexpr int status_error = 1;

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

/// Who is in `run()`. Shared with it, because the application may be destroyed
/// as soon as nobody is.
class run_gate {
public:
  /// Lets the one who runs it in, as long as this lives.
  class visit {
  public:
    /// @throws std::logic_error if somebody is in already.
    explicit visit(std::shared_ptr<run_gate> of) : gate_(std::move(of)) {
      std::lock_guard guard{gate_->mutex_};
      if (std::exchange(gate_->busy_, true))
        throw std::logic_error(
          "run() of an application is executing already, on another thread");
      may_start_ = !gate_->closed_;
    }

    visit(const visit&) = delete;

    visit& operator=(const visit&) = delete;

    ~visit() {
      std::lock_guard guard{gate_->mutex_};
      gate_->busy_ = false;
      gate_->changed_.notify_all();
    }

    bool may_start() const noexcept {
      return may_start_;
    }

  private:
    std::shared_ptr<run_gate> gate_;
    bool may_start_ = false;
  };

  bool is_busy() const {
    std::lock_guard guard{mutex_};
    return busy_;
  }

  /// Closes it, unless somebody is in. @returns whether it is closed.
  bool close() {
    std::lock_guard guard{mutex_};
    closed_ = closed_ || !busy_;
    return closed_;
  }

  /// Waits until nobody is in.
  void await() {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [this] { return !busy_; });
  }

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false;
  bool closed_ = false;
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
  static auto find_name(const Ports& ports, std::string_view name) {
    return std::find_if(ports.begin(), ports.end(), [&](auto* x) {
      return x->name() == name;
    });
  }

  /// @param others the node's ports of the other kind
  template <class Ports, class Others>
  static std::uint32_t find_port(
    const Ports& ports, const char* kind, const Others& others,
    const char* other_kind, std::string_view path) {
    auto name = path.substr(path.rfind('.') + 1);
    if (auto i = find_name(ports, name); i != ports.end())
      return (*i)->index();
    if (find_name(others, name) != others.end())
      throw graph_error(
        "'" + std::string{path} + "' is an " + other_kind + ", not an " + kind
        + "; application::connect takes an output first, then an input");
    std::vector<std::string> names;
    for (auto* x : ports)
      names.push_back(x->name());
    throw graph_error(
      std::string{"there is no "} + kind + " '" + std::string{path} + "'"
      + suggestion(std::string{name}, names)
      + " (connections lead from an output to an input)");
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
    auto& x = *nodes[node];
    return find_port(
      node_access::outputs(x), "output", node_access::inputs(x), "input", path);
  }

  std::uint32_t find_input(engine::node_id node, std::string_view path) const {
    auto& x = *nodes[node];
    return find_port(
      node_access::inputs(x), "input", node_access::outputs(x), "output", path);
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
    check_types(x.from, detail::type_name(from.type()), x.to,
                detail::type_name(to.type()));
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
      spec.triggers = !triggered.empty();
      spec.is_read = !reactions.empty();
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

  /// Warns of the reactions of this process that can never run, and tells of
  /// those that run without some of their triggers.
  void warn_of_unconnected(const engine::topology& graph) const {
    if (!opts.warn_unconnected)
      return;
    auto rosia = log->make("rosia");
    for (engine::node_id i = 0; i < nodes.size(); ++i)
      if (nodes[i])
        for (auto* reaction : node_access::reactions(*nodes[i]))
          if (auto ports = missing_triggers(graph, i, *reaction);
              !ports.empty())
            warn_of_missing(*rosia, nodes[i]->name(), *reaction, ports);
  }

  static void warn_of_missing(
    spdlog::logger& to, const std::string& node, const reaction_base& what,
    const std::vector<std::string>& ports) {
    constexpr std::string_view advice
      = "call application::connect, or declare what may stay unconnected with "
        "rosia::optional";
    auto triggers = ports.size() == 1 ? "trigger" : "triggers";
    if (ports.size() == what.triggers().size())
      to.warn(
        "reaction '{}' of node '{}' never runs: nothing is connected to its "
        "{} {}; {}",
        what.name(), node, triggers, detail::quoted_list(ports), advice);
    else
      to.info("reaction '{}' of node '{}' runs without its {} {}: nothing is "
              "connected there; {}",
              what.name(), node, triggers, detail::quoted_list(ports), advice);
  }

  /// The triggers of a reaction that can never have a value, though that is not
  /// meant.
  std::vector<std::string> missing_triggers(
    const engine::topology& graph, engine::node_id node,
    const reaction_base& what) const {
    auto& inputs = node_access::inputs(*nodes[node]);
    auto& all = graph.connections();
    auto incoming = graph.incoming(node);
    std::vector<std::string> result;
    for (auto index : what.triggers()) {
      auto& port = *inputs[index];
      if (!port.is_physical() && !port.is_optional()
          && std::none_of(incoming.begin(), incoming.end(), [&](auto i) {
               return all[i].input == index;
             }))
        result.push_back(port.name());
    }
    return result;
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

  /// The input at this address, as "node.port"; empty if there is none.
  std::string find_input_at(const void* address) const {
    for (auto& x : nodes)
      if (x)
        for (auto* port : node_access::inputs(*x))
          if (port == address)
            return x->name() + '.' + port->name();
    return {};
  }

  /// All members of a node are made.
  void complete(node& x, const std::string& name,
                const detail::node_type& type) {
    auto warning = [&] {
      try {
        return node_access::complete(x, type, [this](auto* port) {
          return find_input_at(port);
        });
      } catch (const graph_error& e) {
        throw graph_error("node '" + name + "': " + e.what());
      }
    }();
    if (!warning.empty())
      log->make("rosia")->warn("node '{}': {}", name, warning);
    // Triggers may be called from now on; there is nobody to be woken yet.
    node_access::inbox(x).attach(
      nullptr, detail::run_context::max_in_flight(opts));
    node_access::name(x, name);
  }

  /// @returns what the option places though there is no such node: the
  ///          patterns, which may be meant like that.
  /// @throws graph_error if the option names a node that there is not.
  std::vector<std::string> check_placement() const {
    std::vector<std::string> result;
    auto rules = detail::parse_placement(opts.placement);
    if (!rules)
      return result;
    std::vector<std::string> names;
    for (auto& x : declared)
      names.push_back(x.name);
    for (auto& rule : *rules) {
      if (std::any_of(names.begin(), names.end(), [&](auto& x) {
            return detail::matches(rule.nodes, x);
          }))
        continue;
      auto what = "rosia.placement: there is no node '" + rule.nodes
                  + "', which is to run in process '" + rule.process + "'";
      if (rule.nodes.find_first_of("*?") != std::string::npos) {
        result.push_back(std::move(what));
        continue;
      }
      auto closest = detail::closest_name(rule.nodes, names);
      throw graph_error(
        what
        + (closest.empty() ? suggestion(rule.nodes, names)
                           : "; did you mean '" + std::string{closest} + "'?"));
    }
    return result;
  }

  /// Creates the instance of a node of this process.
  node& instance(engine::node_id id) {
    auto& x = declared[id];
    if (!nodes[id]) {
      try {
        nodes[id] = x.factory->make();
      } catch (...) {
        detail::rethrow_of_node(x.name);
      }
      complete(*nodes[id], x.name, *x.type);
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
          + "', which does not exist" + suggestion(process, processes));
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

  /// @pre The node is here.
  std::uint32_t member_index(
    engine::node_id id, const detail::member_port& x) const {
    return port_index(declared[id].name, x, declared[id].factory->object());
  }

  static std::uint32_t port_index(
    const std::string& node, const detail::member_port& x, void* object) {
    try {
      return x.index(object, x);
    } catch (const graph_error& e) {
      throw graph_error("node '" + node + "': " + e.what());
    }
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
          i, x.names ? find_output(source, x.names->from)
                     : member_index(source, x.members->output));
      if (homes[target] == self)
        result.inputs.emplace_back(
          i, x.names ? find_input(target, x.names->to)
                     : member_index(target, x.members->input));
    }
    return result;
  }

  /// The graph that all have agreed on.
  engine::topology make_graph(
    const detail::node_directory& all,
    std::vector<engine::connection_spec> specs,
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
          + all.name(x.target) + "' has unknown ports");
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
      detail::describe_target(known[x.target], x);
    }
    return engine::topology{
      std::move(external), std::move(specs),
      [&all](auto node, auto output, auto index) {
        return all.path(node, output, index);
      }};
  }

  // -- the end ----------------------------------------------------------------

  /// @param guard of the mutex.
  void be_over(std::unique_lock<std::mutex> guard, int status) {
    state = phase::over;
    outcome.status = status;
    if (status != 0)
      outcome.error = last_report.reason;
    guard.unlock();
    tell_outcome(outcome);
  }

  void tell_outcome(const detail::application_outcome& what) {
    std::unique_lock guard{mutex};
    auto listeners = std::exchange(on_over, {});
    guard.unlock();
    for (auto& listener : listeners)
      listener(what);
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
  std::vector<detail::application_access::listener> on_over;
  detail::application_outcome outcome; // once it is over
  std::shared_ptr<run_gate> gate = std::make_shared<run_gate>();
  std::shared_ptr<detail::application_link> link;
  std::function<void(std::string_view)> trace_sink;
};

void detail::application_access::trace(
  application& x, std::function<void(std::string_view)> sink) {
  x.impl_->trace_sink = std::move(sink);
}

void detail::application_access::on_over(application& x, listener fun) {
  std::unique_lock guard{x.impl_->mutex};
  if (x.impl_->state == application::impl::phase::over) {
    guard.unlock();
    fun(x.impl_->outcome);
  } else {
    x.impl_->on_over.push_back(std::move(fun));
  }
}

std::shared_ptr<detail::application_link> detail::application_access::link(
  application& x) {
  return x.impl_->link;
}

bool detail::application_access::request_end(application& x) {
  if (x.impl_->gate->close())
    return false;
  x.request_shutdown();
  return true;
}

bool detail::application_access::force_end(application& x, int status) {
  if (x.impl_->gate->close())
    return false;
  x.force_shutdown(status);
  return true;
}

// -- constructors, destructors ------------------------------------------------

application::application(caf::actor_system& sys)
  : application(sys, options_from(sys.config())) {
  // nop
}

application::application(caf::actor_system& sys, options opts)
  : impl_(std::make_unique<impl>(sys, std::move(opts))) {
  impl_->link = std::make_shared<detail::application_link>(*this);
}

application::~application() {
  if (impl_->gate->is_busy() && impl_->state != impl::phase::over) {
    impl_->log->make("rosia")->error(
      "an application is destroyed while its run() is executing in another "
      "thread: it is requested to end, and its destructor waits for that; join "
      "the thread before the application is destroyed");
    request_shutdown();
  }
  impl_->gate->await(); // also if run() is about to return
  impl_->link->cut();
  impl_->tell_outcome({});
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
  run_gate::visit visit{impl_->gate};
  if (impl_->state != impl::phase::building)
    throw std::logic_error("an application runs once; create another one");
  if (!visit.may_start()) {
    impl_->log->make("rosia")->info(
      "the application does not start: the shutdown that it takes part in has "
      "begun");
    return end_before_start();
  }
  try {
    return is_distributed() ? run_with_others() : run_alone();
  } catch (const std::exception& e) {
    impl_->tell_outcome({status_error, e.what()});
    throw;
  } catch (...) {
    impl_->tell_outcome(
      {status_error, "an exception that is not derived from std::exception"});
    throw;
  }
}

int application::end_before_start() {
  std::unique_lock guard{impl_->mutex};
  impl_->last_report.stage = application_stage::over;
  impl_->be_over(std::move(guard), 0);
  return 0;
}

int application::run_alone() {
  auto graph = impl_->make_graph();
  impl_->warn_of_unconnected(graph);
  if (!impl_->opts.report.empty())
    detail::check_report_file(impl_->opts.report);
  std::vector<node*> nodes;
  nodes.reserve(impl_->nodes.size());
  for (auto& x : impl_->nodes)
    nodes.push_back(x.get());
  return run(
    std::make_shared<detail::runtime>(std::make_shared<detail::run_context>(
      *impl_->system, impl_->opts, impl_->log, impl_->make_trace(),
      detail::node_directory{std::move(nodes)}, std::move(graph), nullptr)));
}

int application::run_with_others() {
  auto log = impl_->log->make("rosia");
  auto unused = impl_->check_placement();
  try {
    detail::membership group{*impl_->system, impl_->opts, log, impl_->drill};
    // Of what all were told, the coordinator tells.
    if (group.coordinates() || impl_->opts.placement != group.placement())
      for (auto& x : unused)
        log->warn("{}", x);
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
  return end_before_start();
}

int application::run_with_others(detail::membership& group) {
  auto& opts = impl_->opts;
  if (opts.placement.empty())
    opts.placement = group.placement();
  std::vector<engine::connection_spec> specs;
  for (auto& x : impl_->connections)
    specs.push_back(impl_->outline(x));
  auto self = group.self();
  auto homes = impl_->place_nodes(group.processes(), specs);
  auto request = impl_->introduce(self, homes, specs);
  request.placement = opts.placement;
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
  detail::node_directory all{
    std::move(nodes), agreed.nodes, homes, group.processes(), self};
  auto graph = impl_->make_graph(all, std::move(specs), agreed);
  impl_->warn_of_unconnected(graph);
  std::vector<engine::process_id> others;
  for (auto& x : graph.connections())
    for (auto [here, there] :
         {std::pair{homes[x.source], homes[x.target]},
          std::pair{homes[x.target], homes[x.source]}})
      if (here == self && there != self)
        others.push_back(there);
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  auto result
    = std::make_shared<detail::runtime>(std::make_shared<detail::run_context>(
      *impl_->system, opts, impl_->log,
      impl_->make_trace('.' + group.processes()[self]), std::move(all),
      std::move(graph),
      std::make_unique<detail::process_session>(
        *impl_->system, group, agreed.session, group.processes().size())));
  result->meet(others);
  return run(std::move(result));
}

int application::run(std::shared_ptr<detail::runtime> run) {
  run->context().attach(impl_->drill);
  {
    std::lock_guard guard{impl_->mutex};
    impl_->run = std::move(run);
    if (impl_->end_forced)
      impl_->run->requests().abort(*impl_->end_forced);
    else if (impl_->end_requested)
      impl_->run->requests().request_end();
  }
  std::vector<declared_connection>{}.swap(impl_->connections);
  impl_->ids = {};
  impl_->state = impl::phase::running;
  auto status = detail::run_loop{impl_->run}.run();
  std::unique_lock guard{impl_->mutex};
  impl_->last_report = impl_->run->status().summary();
  impl_->run.reset();
  impl_->be_over(std::move(guard), status);
  return status;
}

void application::request_shutdown() {
  std::lock_guard guard{impl_->mutex};
  impl_->end_requested = true;
  if (impl_->run)
    impl_->run->requests().request_end();
}

void application::force_shutdown(int status) {
  detail::require_exit_status("force_shutdown()", status);
  std::lock_guard guard{impl_->mutex};
  impl_->end_forced = status;
  if (impl_->run)
    impl_->run->requests().abort(status);
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
    return run->status().look();
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
  const application& owner, engine::node_id id) const {
  if (&owner != this)
    throw graph_error(
      "node '" + owner.name_of(id)
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
  impl_->complete(*instance, name, type);
  impl_->ids.emplace(std::move(name), id);
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
     detail::type_name(info),
     &type,
     std::move(factory),
     {},
     std::nullopt});
  return id;
}

void application::join(
  const detail::member_ref& from, const detail::member_ref& to,
  const std::type_info& type, const delay& d, bool is_physical) {
  check_building(name_of(from.node()));
  engine::connection_spec spec{
    from.node(), 0, to.node(), 0, d, is_physical, false};
  if (impl_->distributed) {
    impl_->connections.push_back(
      {spec, nullptr,
       std::make_unique<member_connection>(member_connection{
         from.member(), to.member(), detail::type_name(type)})});
    return;
  }
  spec.output
    = impl::port_index(name_of(from.node()), from.member(), from.instance());
  spec.input = impl::port_index(name_of(to.node()), to.member(), to.instance());
  impl_->connections.push_back({spec});
}

bool application::inject(const detail::member_ref& to,
                         engine::value_ptr content) {
  auto* object
    = to.instance() != nullptr ? to.instance() : this->object(to.node());
  auto index = impl::port_index(name_of(to.node()), to.member(), object);
  auto& target = *impl_->nodes[to.node()];
  return inject(
    target, *node_access::inputs(target)[index], std::move(content));
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
  return impl_->run ? impl_->run->context().handle_of(id) : node_handle{};
}

std::string application::sink_name(const detail::member_ref& from) const {
  auto prefix = name_of(from.node());
  if (from.instance() != nullptr) {
    auto port = impl::port_index(prefix, from.member(), from.instance());
    auto& outputs = node_access::outputs(*impl_->nodes[from.node()]);
    prefix += ':' + outputs[port]->name();
  }
  // Several actors may listen to one output.
  for (auto n = 1;; ++n) {
    auto result = prefix + " to actor " + std::to_string(n);
    if (impl_->ids.count(result) == 0)
      return result;
  }
}

namespace detail {

void rethrow_of_node(const std::string& name) {
  auto what = "node '" + name + "': ";
  try {
    throw;
  } catch (const graph_error& e) {
    throw graph_error(what + e.what());
  } catch (const std::exception& e) {
    std::throw_with_nested(std::runtime_error(
      what + "its constructor has thrown an exception: " + e.what()));
  } catch (...) {
    std::throw_with_nested(std::runtime_error(
      what
      + "its constructor has thrown an exception that is not derived from "
        "std::exception"));
  }
}

void throw_no_element(std::size_t element, std::size_t size) {
  throw graph_error(
    "there is no port " + std::to_string(element) + " in an array of "
    + std::to_string(size) + "; they are counted from 0");
}

void throw_empty_member() {
  throw graph_error(
    "a connection leads over a member that is empty, where a port should be");
}

} // namespace detail

} // namespace caf::rosia
