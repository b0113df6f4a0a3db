// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/graph_builder.hpp"

#include "application/port_lookup.hpp"
#include "base/suggestion.hpp"
#include "base/type_name.hpp"
#include "config/process_options.hpp"
#include "nodes/node_access.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

// -- constructors, destructors ------------------------------------------------

graph_builder::graph_builder(std::shared_ptr<spdlog::logger> log,
                             std::uint32_t max_in_flight, bool distributed)
  : log_(std::move(log)), max_in_flight_(max_in_flight),
    distributed_(distributed) {
  // nop
}

graph_builder::~graph_builder() {
  // nop
}

// -- nodes --------------------------------------------------------------------

engine::node_id graph_builder::add(
  std::string name, std::unique_ptr<node> instance, const node_type& type) {
  auto id = static_cast<engine::node_id>(nodes_.size());
  complete(*instance, name, type);
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
    try {
      nodes_[id] = declaration.factory->make();
    } catch (...) {
      rethrow_of_node(declaration.name);
    }
    complete(*nodes_[id], declaration.name, *declaration.type);
  }
  return *nodes_[id];
}

void graph_builder::complete(
  node& x, const std::string& name, const node_type& type) {
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

std::string graph_builder::find_input_at(const typed_member* address) const {
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

engine::connection_spec graph_builder::outline(const connection& x) const {
  auto result = x.spec;
  if (x.names) {
    result.source = find_node(x.names->from);
    result.target = find_node(x.names->to);
  }
  return result;
}

engine::node_id graph_builder::find_node(std::string_view port) const {
  auto dot = port.rfind('.');
  if (dot == std::string_view::npos)
    throw graph_error(
      "'" + std::string{port} + "' is no port: write 'node.port'");
  std::string name{port.substr(0, dot)};
  if (auto id = ids_.find(name, namer()))
    return *id;
  std::vector<std::string> names;
  for (engine::node_id id = 0; id < size(); ++id)
    names.push_back(name_of(id));
  std::sort(names.begin(), names.end());
  throw graph_error("there is no node '" + name + "' for the port '"
                    + std::string{port} + "'" + suggestion(name, names));
}

// -- the graph ----------------------------------------------------------------

engine::connection_spec graph_builder::resolve(const connection& x) const {
  auto& [from_path, to_path] = *x.names;
  auto result = outline(x);
  result.output = find_output(*nodes_[result.source], from_path);
  result.input = find_input(*nodes_[result.target], to_path);
  auto& from = *node_access::outputs(*nodes_[result.source])[result.output];
  auto& to = *node_access::inputs(*nodes_[result.target])[result.input];
  require_same_type(
    from_path, type_name(from.type()), to_path, type_name(to.type()));
  return result;
}

engine::topology graph_builder::make_graph() const {
  std::vector<bool> external(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    external[i] = node_access::external(*nodes_[i]);
  std::vector<engine::connection_spec> specs;
  specs.reserve(connections_.size());
  for (auto& x : connections_) {
    auto& spec = specs.emplace_back(x.names ? resolve(x) : x.spec);
    auto& target = *nodes_[spec.target];
    auto& triggered
      = member_access::state(*node_access::inputs(target)[spec.input])
          .reactions;
    auto& reactions = node_access::reactions(target);
    spec.triggers = !triggered.empty();
    spec.is_read = !reactions.empty();
    spec.eager
      = std::any_of(triggered.begin(), triggered.end(), [&](auto index) {
          return reactions[index]->kind()
                 == graph_description::reaction_kind::eager;
        });
  }
  return engine::topology{
    std::move(external), std::move(specs),
    [this](auto id, auto output, auto index) {
      return node_access::port_name(*nodes_[id], output, index);
    },
    [this](auto id, auto input) {
      auto& target = *nodes_[id];
      std::vector<std::string> result;
      for (auto i :
           member_access::state(*node_access::inputs(target)[input]).reactions)
        result.push_back(
          target.name() + "." + node_access::reactions(target)[i]->name());
      return result;
    }};
}

void graph_builder::release() {
  std::vector<connection>{}.swap(connections_);
  ids_ = {};
}

} // namespace caf::rosia::detail
