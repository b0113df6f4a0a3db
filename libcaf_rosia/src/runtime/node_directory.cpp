// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_directory.hpp"

#include "base/type_name.hpp"
#include "caf/rosia/parameter.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "caf/rosia/tick.hpp"
#include "caf/rosia/watchdog.hpp"
#include "engine/modes.hpp"
#include "engine/reaction_graph.hpp"
#include "engine/watchdogs.hpp"
#include "nodes/node_access.hpp"

#include <algorithm>
#include <typeinfo>
#include <utility>

namespace caf::rosia::detail {

graph_description::parameter describe(const parameter_base& x) {
  return {x.name(), x.values(), x.text(), x.initial_text()};
}

namespace {

/// Returns the action of a mode. @param number that of a mode, or `none`.
std::uint32_t describe_mode(const engine::modes& all, std::uint32_t number) {
  return number == all.none ? graph_description::no_mode : all[number].index;
}

} // namespace

graph_description::node describe_reactions(node& x) {
  graph_description::node result;
  result.name = x.name();
  auto* access = node_access::declared(x);
  auto* modes = node_access::engine(x).modes();
  for (auto* reaction : node_access::reactions(x)) {
    auto& added = result.reactions.emplace_back();
    added.name = reaction->name();
    added.triggers.assign(
      reaction->triggers().begin(), reaction->triggers().end());
    added.kind = reaction->kind();
    if (auto* deadline = member_access::deadline(*reaction)) {
      auto& limit = deadline->limit();
      if (limit.state == nullptr)
        added.deadline = limit.fixed;
      else
        added.deadline_state = limit.name(limit.state);
    }
    added.yields = member_access::yields(*reaction);
    if (modes != nullptr)
      added.mode
        = describe_mode(*modes, modes->mode_of_reaction(reaction->index()));
    auto* ports = access != nullptr ? access->find(reaction->index()) : nullptr;
    if (ports == nullptr)
      continue;
    added.declares = true;
    added.reads = ports->reads;
    added.writes = ports->writes;
    added.writes_later = ports->writes_later;
  }
  return result;
}

namespace {

graph_description::spacing describe(const spacing& x) {
  return {x.distance.count(), x.policy};
}

} // namespace

graph_description::node describe(node& x) {
  graph_description::node result;
  result.name = x.name();
  for (auto* port : node_access::inputs(x)) {
    auto& added = result.inputs.emplace_back();
    added.name = port->name();
    added.type = detail::type_name(port->type());
    added.physical = port->is_physical();
    added.can_travel = member_access::payload(*port).load != nullptr;
    if (auto* action = node_access::spaced_action(*port)) {
      added.after = action->options.after.ns();
      if (auto& spacing = action->options.spacing)
        added.spacing = describe(*spacing);
    }
  }
  for (auto* port : node_access::outputs(x))
    result.outputs.push_back(
      {port->name(), detail::type_name(port->type()), false,
       member_access::payload(*port).load != nullptr});
  result.reactions = describe_reactions(x).reactions;
  auto* modes = node_access::engine(x).modes();
  for (auto* action : node_access::saved(x).actions) {
    auto& added = result.actions.emplace_back();
    added.name = action->name();
    if (modes != nullptr)
      added.mode
        = describe_mode(*modes, modes->mode_of_action(action->index()));
    added.ticks = member_access::state(*action).ticks;
    if (added.ticks) {
      auto& times = member_access::times(*static_cast<tick*>(action));
      added.offset = times.offset;
      added.period = times.period;
    } else if (action->type() == typeid(engine::mode_event)) {
      added.is_mode = true;
    } else if (action->type() == typeid(engine::watchdog_event)) {
      added.timeout
        = member_access::timeout(*static_cast<rosia::watchdog*>(action));
    } else {
      added.type = detail::type_name(action->type());
      if (auto* spacing = node_access::spacing(*action))
        added.spacing = describe(spacing->option());
    }
  }
  for (auto* parameter : node_access::parameters(x))
    result.parameters.push_back(describe(*parameter));
  return result;
}

bool is_external(const graph_description::node& x) noexcept {
  return std::any_of(x.inputs.begin(), x.inputs.end(), [](auto& port) {
    return port.physical;
  });
}

void describe_target(const graph_description::node& x,
                     engine::connection_spec& to) noexcept {
  to.is_read = to.eager = to.triggers = false;
  for (auto& y : x.reactions) {
    auto triggered = engine::is_triggered(y, to.input);
    to.triggers = to.triggers || triggered;
    to.eager
      = to.eager
        || (triggered && y.kind == graph_description::reaction_kind::eager);
    to.is_read = to.is_read || engine::may_read(y, to.input);
  }
}

// -- constructors, destructors ------------------------------------------------

node_directory::node_directory() {
  // nop
}

node_directory::node_directory(std::vector<node*> nodes)
  : node_directory(std::move(nodes), {}, {}, {}, 0) {
  // nop
}

node_directory::node_directory(
  std::vector<node*> nodes, std::vector<graph_description::node> others,
  std::vector<engine::process_id> homes, std::vector<std::string> processes,
  engine::process_id self)
  : nodes_(std::move(nodes)), others_(std::move(others)),
    homes_(std::move(homes)), processes_(std::move(processes)), self_(self) {
  for (engine::node_id i = 0; i < nodes_.size(); ++i)
    if (nodes_[i] != nullptr)
      local_.push_back(i);
  local_.shrink_to_fit();
}

node_directory::node_directory(node_directory&&) noexcept = default;

node_directory& node_directory::operator=(node_directory&&) noexcept = default;

node_directory::~node_directory() {
  // nop
}

// -- nodes --------------------------------------------------------------------

const std::string& node_directory::name(engine::node_id id) const noexcept {
  return nodes_[id] != nullptr ? nodes_[id]->name() : others_[id].name;
}

graph_description::node node_directory::describe(engine::node_id id) const {
  auto result
    = nodes_[id] != nullptr ? detail::describe(*nodes_[id]) : others_[id];
  if (distributed())
    result.process = processes_[homes_[id]];
  return result;
}

graph_description node_directory::describe(
  const engine::topology& graph) const {
  graph_description result;
  result.nodes.reserve(size());
  for (engine::node_id i = 0; i < size(); ++i)
    result.nodes.push_back(describe(i));
  result.connections = graph.connections();
  return result;
}

const std::string& node_directory::port_name(
  engine::node_id id, bool output, std::uint32_t index) const {
  if (auto* x = nodes_[id])
    return output ? node_access::outputs(*x)[index]->name()
                  : node_access::inputs(*x)[index]->name();
  return (output ? others_[id].outputs : others_[id].inputs)[index].name;
}

std::string node_directory::type_of(
  engine::node_id id, bool output, std::uint32_t index) const {
  if (auto* x = nodes_[id])
    return detail::type_name(
      output ? node_access::outputs(*x)[index]->type()
             : node_access::inputs(*x)[index]->type());
  return (output ? others_[id].outputs : others_[id].inputs)[index].type;
}

std::string node_directory::path(
  engine::node_id id, bool output, std::uint32_t index) const {
  return name(id) + '.' + port_name(id, output, index);
}

// -- processes ----------------------------------------------------------------

std::vector<engine::node_id> node_directory::nodes_of(
  engine::process_id process) const {
  std::vector<engine::node_id> result;
  for (engine::node_id i = 0; i < size(); ++i)
    if (home(i) == process)
      result.push_back(i);
  return result;
}

std::string node_directory::process_text(engine::process_id process) const {
  return process < processes_.size()
           ? "process '" + processes_[process] + "'"
           : std::string{"an unknown process"};
}

std::string node_directory::place_of(engine::node_id id) const {
  if (id >= size() || home(id) == self_)
    return {};
  return " (in process '" + processes_[home(id)] + "')";
}

} // namespace caf::rosia::detail
