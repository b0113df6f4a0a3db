// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/graph_builder.hpp"

#include "application/port_lookup.hpp"
#include "base/suggestion.hpp"
#include "base/type_name.hpp"
#include "caf/rosia/detail/parameter_scope.hpp"
#include "config/parameter_settings.hpp"
#include "config/process_options.hpp"
#include "nodes/node_access.hpp"
#include "runtime/node_directory.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace caf::rosia::detail {

// -- constructors, destructors ------------------------------------------------

graph_builder::graph_builder(
  std::shared_ptr<spdlog::logger> log, std::uint32_t max_in_flight,
  bool distributed, std::vector<std::string> set)
  : log_(std::move(log)), max_in_flight_(max_in_flight),
    distributed_(distributed), settings_(std::move(set)) {
  // nop
}

graph_builder::~graph_builder() {
  // nop
}

// -- nodes --------------------------------------------------------------------

engine::node_id graph_builder::add(
  std::string name, std::unique_ptr<node> instance, const node_type& type) {
  auto id = static_cast<engine::node_id>(nodes_.size());
  complete(id, *instance, name, type);
  nodes_.push_back(std::move(instance));
  ids_.insert(id, namer());
  return id;
}

engine::node_id graph_builder::add(declared_node declaration) {
  auto id = static_cast<engine::node_id>(nodes_.size());
  nodes_.emplace_back();
  declared_.push_back(std::move(declaration));
  ids_.insert(id, namer());
  return id;
}

const std::string& graph_builder::name_of(engine::node_id id) const noexcept {
  return distributed_ ? declared_[id].name : nodes_[id]->name();
}

bool graph_builder::has_name(const std::string& name) const {
  return ids_.find(name, namer()).has_value();
}

std::vector<node*> graph_builder::instances() const {
  std::vector<node*> result;
  result.reserve(nodes_.size());
  for (auto& instance : nodes_)
    result.push_back(instance.get());
  return result;
}

node& graph_builder::instance(engine::node_id id) {
  auto& declaration = declared_[id];
  if (!nodes_[id]) {
    parameter_scope parameters{settings_of(settings_, declaration.name)};
    try {
      nodes_[id] = declaration.factory->make();
    } catch (...) {
      rethrow_of_node(declaration.name);
    }
    complete(id, *nodes_[id], declaration.name, *declaration.type);
  }
  return *nodes_[id];
}

void graph_builder::complete(
  engine::node_id id, node& x, const std::string& name, const node_type& type) {
  for (auto output : {false, true})
    for (auto& channel : node_access::empty_channels(x, output))
      empty_channels_.push_back({id, output, std::move(channel)});
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
    log_->warn("node '{}': {}", name, warning);
  // Physical actions may be scheduled from now on. There is no executor to wake
  // yet.
  node_access::inbox(x).attach(nullptr, max_in_flight_);
  node_access::name(x, name);
}

std::string graph_builder::find_input_at(const member_base* address) const {
  for (auto& instance : nodes_)
    if (instance)
      for (auto* port : node_access::inputs(*instance))
        if (port == address)
          return instance->name() + '.' + port->name();
  return {};
}

// -- processes ----------------------------------------------------------------

std::string graph_builder::process_of(
  engine::node_id id, std::string_view placement) const {
  auto& declaration = declared_[id];
  if (!declaration.process.empty())
    return declaration.process;
  if (declaration.companion)
    return process_of(*declaration.companion, placement);
  return detail::process_of(placement, declaration.name);
}

// -- connections --------------------------------------------------------------

graph_builder::ends graph_builder::ends_of(const connection& x) const {
  if (x.members)
    return *x.members;
  ends result;
  result.outputs = find_ends(x.names->from);
  result.inputs = find_ends(x.names->to);
  return result;
}

const graph_builder::bank* graph_builder::find_bank(
  std::string_view name) const {
  auto at = std::find_if(banks_.begin(), banks_.end(), [&](auto& x) {
    return x.name == name;
  });
  return at == banks_.end() ? nullptr : &*at;
}

std::vector<graph_builder::end> graph_builder::find_ends(
  const std::string& port) const {
  constexpr std::string_view all = "[*]";
  auto dot = port.rfind('.');
  if (dot == std::string::npos)
    throw graph_error("'" + port + "' is no port: write 'node.port'");
  auto name = port.substr(0, dot);
  std::vector<end> result;
  auto* found
    = name.ends_with(all)
        ? find_bank(std::string_view{name}.substr(0, name.size() - all.size()))
        : nullptr;
  if (found == nullptr) {
    add_ends(result, name, port);
    return result;
  }
  for (std::size_t i = 0; i < found->size; ++i)
    add_ends(result, found->name + '[' + std::to_string(i) + ']', port);
  return result;
}

void graph_builder::add_ends(std::vector<end>& to, const std::string& name,
                             const std::string& port) const {
  auto local = port.substr(port.rfind('.') + 1);
  auto add = [&](engine::node_id id) {
    if (!composites_.is_reachable(id))
      composites_.refuse(id, name + '.' + local);
    auto& added = to.emplace_back();
    added.node = id;
    added.name = name + '.' + local;
  };
  auto composite = composites_.find(name);
  if (!composite)
    return add(find_node(name, port));
  auto relays = composites_.find_relays(*composite, local);
  if (relays.empty())
    throw graph_error(
      "composite '" + name + "' has no inlet or outlet '" + local + "'");
  for (auto id : relays)
    add(id);
}

void graph_builder::warn_of_dangling(
  const std::vector<engine::connection_spec>& segments) const {
  for (auto& path : composites_.dangling(segments))
    log_->warn("'{}' leads nowhere: nothing inside of its composite is "
               "connected to it",
               path);
}

engine::node_id graph_builder::find_node(
  const std::string& name, const std::string& port) const {
  if (auto id = ids_.find(name, namer()))
    return *id;
  std::vector<std::string> names;
  for (engine::node_id id = 0; id < size(); ++id)
    names.push_back(name_of(id));
  std::sort(names.begin(), names.end());
  throw graph_error("there is no node '" + name + "' for the port '" + port
                    + "'" + suggestion(name, names));
}

port_indices graph_builder::ports_at(const end& x, bool output) const {
  if (detail::composites::is_relay(x.node)) {
    port_indices result;
    result.push_back(0);
    return result;
  }
  if (x.name.empty())
    return find_ports_of(
      name_of(x.node), x.member, declared_[x.node].factory->object());
  auto is_empty = std::any_of(
    empty_channels_.begin(), empty_channels_.end(), [&](auto& channel) {
      return channel.node == x.node && channel.output == output
             && x.name.ends_with('.' + channel.name);
    });
  if (is_empty)
    return {};
  auto& owner = *nodes_[x.node];
  return output ? find_outputs(owner, x.name) : find_inputs(owner, x.name);
}

// -- the graph ----------------------------------------------------------------

namespace {

/// The names of nodes in this process.
struct names_of_nodes final : port_names {
  using node_list = std::vector<std::unique_ptr<caf::rosia::node>>;

  names_of_nodes(const node_list& xs, const composites& y)
    : port_names(y), nodes(&xs) {
    // nop
  }

  const std::string& name_of_node(engine::node_id id) const override {
    return (*nodes)[id]->name();
  }

  std::string name_of_port(engine::node_id id, bool output,
                           std::uint32_t index) const override {
    auto& owner = *(*nodes)[id];
    return output ? node_access::outputs(owner)[index]->name()
                  : node_access::inputs(owner)[index]->name();
  }

  const node_list* nodes;
};

/// Returns whether a reaction may read an input.
bool is_read(caf::rosia::node& owner, std::uint32_t input) {
  auto* access = node_access::declared(owner);
  auto& reactions = node_access::reactions(owner);
  return std::any_of(reactions.begin(), reactions.end(), [&](auto* x) {
    auto* ports = access != nullptr ? access->find(x->index()) : nullptr;
    return x->kind() != graph_description::reaction_kind::startup
           && (ports == nullptr
               || std::binary_search(
                 ports->readable.begin(), ports->readable.end(), input));
  });
}

/// The properties of ports that decide about connections. They are read node by
/// node, because connections lead to nodes in any order, each a cache miss.
class port_table {
public:
  struct input {
    const std::type_info* type;
    bool triggers;
    bool read;
    bool eager;
  };

  explicit port_table(
    const std::vector<std::unique_ptr<caf::rosia::node>>& xs) {
    for (auto& x : xs) {
      first_input_.push_back(inputs_.size());
      for (auto* port : node_access::inputs(*x))
        inputs_.push_back(describe(*x, *port));
      first_output_.push_back(outputs_.size());
      for (auto* port : node_access::outputs(*x))
        outputs_.push_back(&port->type());
    }
  }

  const input& at(engine::node_id id, std::uint32_t index) const noexcept {
    return inputs_[first_input_[id] + index];
  }

  const std::type_info& output_type(
    engine::node_id id, std::uint32_t index) const noexcept {
    return *outputs_[first_output_[id] + index];
  }

private:
  static input describe(caf::rosia::node& owner, input_port_base& port) {
    auto& triggered = member_access::state(port).reactions;
    auto& reactions = node_access::reactions(owner);
    return {&port.type(), !triggered.empty(), is_read(owner, port.index()),
            std::any_of(triggered.begin(), triggered.end(), [&](auto index) {
              return reactions[index]->kind()
                     == graph_description::reaction_kind::eager;
            })};
  }

  std::vector<input> inputs_;
  std::vector<const std::type_info*> outputs_;
  std::vector<std::size_t> first_input_;
  std::vector<std::size_t> first_output_;
};

} // namespace

void graph_builder::connect(
  const engine::connection_spec& spec, const port_bundle& outputs,
  const port_bundle& inputs) {
  for (auto& [from, to] :
       pair_ports(outputs, inputs, names_of_nodes{nodes_, composites_})) {
    auto& added = connections_.emplace_back(connection{spec}).spec;
    std::tie(added.source, added.output) = from;
    std::tie(added.target, added.input) = to;
  }
}

void graph_builder::wait_forever() noexcept {
  for (auto& x : connections_)
    if (x.spec.has_max_wait())
      x.spec.max_wait = std::numeric_limits<std::int64_t>::max();
}

void graph_builder::resolve(
  const connection& x, std::vector<engine::connection_spec>& into) const {
  auto declared = ends_of(x);
  auto ports = [this](const std::vector<end>& at, bool output) {
    port_bundle result;
    for (auto& y : at)
      result.groups.push_back({y.node, y.block, ports_at(y, output)});
    return result;
  };
  // In this order: the first error is that of an output.
  auto outputs = ports(declared.outputs, true);
  auto inputs = ports(declared.inputs, false);
  for (auto& [from, to] :
       pair_ports(outputs, inputs, names_of_nodes{nodes_, composites_})) {
    auto& spec = into.emplace_back(x.spec);
    std::tie(spec.source, spec.output) = from;
    std::tie(spec.target, spec.input) = to;
  }
}

engine::topology graph_builder::make_graph() const {
  std::vector<bool> external(nodes_.size());
  std::vector<bool> at_shutdown(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    external[i] = node_access::external(*nodes_[i]);
    at_shutdown[i]
      = std::ranges::any_of(node_access::reactions(*nodes_[i]), [](auto* x) {
          return engine::is_at_shutdown(x->triggers());
        });
  }
  std::vector<engine::connection_spec> specs;
  specs.reserve(connections_.size());
  for (auto& x : connections_)
    if (x.names)
      resolve(x, specs);
    else
      specs.push_back(x.spec);
  warn_of_dangling(specs);
  names_of_nodes names{nodes_, composites_};
  port_table ports{nodes_};
  auto is_relay = &detail::composites::is_relay;
  auto type_at = [&](engine::node_id id, bool output, std::uint32_t index) {
    if (is_relay(id))
      return composites_.relay_of(id).type;
    return type_name(
      output ? ports.output_type(id, index) : *ports.at(id, index).type);
  };
  for (auto& x : specs)
    if (is_relay(x.source) || is_relay(x.target)
        || ports.output_type(x.source, x.output)
             != *ports.at(x.target, x.input).type)
      require_same_type(x, names, type_at);
  auto joined = composites_.join_segments(std::move(specs), names);
  for (auto& spec : joined.connections) {
    auto& input = ports.at(spec.target, spec.input);
    spec.triggers = input.triggers;
    spec.is_read = input.read;
    spec.eager = input.eager;
  }
  engine::topology result{
    std::move(external), std::move(joined.connections),
    [this](auto id, auto output, auto index) {
      return node_access::port_name(*nodes_[id], output, index);
    },
    [this](auto id) { return describe_reactions(*nodes_[id]); },
    [this, &joined](auto i) { return composites_.path_of(joined, i); }};
  result.find_last_tag(at_shutdown);
  return result;
}

void graph_builder::release() {
  std::vector<connection>{}.swap(connections_);
  ids_ = {};
}

} // namespace caf::rosia::detail
