// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/application.hpp"

#include "caf/rosia/actor/runtime.hpp"
#include "caf/rosia/detail/application_access.hpp"
#include "caf/rosia/detail/closest_name.hpp"
#include "caf/rosia/detail/logging.hpp"
#include "caf/rosia/engine/topology.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <unordered_map>
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

/// A connection, in the order of declaration. Most are given by their ports,
/// and there may be many.
struct declared_connection {
  engine::connection_spec spec;
  std::unique_ptr<named_connection> names = nullptr;
};

} // namespace

struct application::impl {
  impl(caf::actor_system& sys, options x) : system(&sys), opts(std::move(x)) {
    validate(opts);
    log = std::make_shared<detail::log_context>(opts.log_level);
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

  engine::connection_spec resolve(const named_connection& x) const {
    engine::connection_spec result;
    result.source = find_node(x.from);
    result.target = find_node(x.to);
    result.output = find_port(
      node_access::outputs(*nodes[result.source]), x.from, "output",
      " (connections lead from an output to an input)");
    result.input = find_port(
      node_access::inputs(*nodes[result.target]), x.to, "input",
      " (connections lead from an output to an input)");
    result.distance = x.distance;
    result.physical = x.physical;
    auto& from = *node_access::outputs(*nodes[result.source])[result.output];
    auto& to = *node_access::inputs(*nodes[result.target])[result.input];
    if (from.type() != to.type())
      throw graph_error(
        "output '" + x.from + "' of type " + engine::type_name(from.type())
        + " is connected to input '" + x.to + "' of type "
        + engine::type_name(to.type())
        + "; both have to be the same, put a node between them "
          "that converts");
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

  std::unique_ptr<detail::trace_writer> make_trace() const {
    if (trace_sink)
      return std::make_unique<detail::trace_writer>(trace_sink);
    if (!opts.trace.empty())
      return std::make_unique<detail::trace_writer>(opts.trace);
    return nullptr;
  }

  // -- member variables -------------------------------------------------------

  enum class phase { building, running, over };

  caf::actor_system* system;
  options opts;
  std::shared_ptr<detail::log_context> log;
  std::vector<std::unique_ptr<node>> nodes;
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
  auto graph = impl_->make_graph();
  if (!impl_->opts.report.empty())
    detail::check_report_file(impl_->opts.report);
  std::vector<node*> nodes;
  nodes.reserve(impl_->nodes.size());
  for (auto& x : impl_->nodes)
    nodes.push_back(x.get());
  {
    auto run = std::make_shared<detail::runtime>(
      *impl_->system, impl_->opts, impl_->log, impl_->make_trace(),
      std::move(nodes), std::move(graph));
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
  std::vector<std::function<void()>> listeners;
  {
    std::lock_guard guard{impl_->mutex};
    impl_->last_report = impl_->run->summary();
    impl_->run.reset();
    impl_->state = impl::phase::over;
    listeners.swap(impl_->on_over);
  }
  for (auto& listener : listeners)
    listener();
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
  for (auto& x : impl_->nodes) {
    auto& node = result.nodes.emplace_back();
    node.name = x->name();
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
    auto result = node + ':' + port + " to actor " + std::to_string(n);
    if (impl_->ids.count(result) == 0)
      return result;
  }
}

} // namespace caf::rosia
