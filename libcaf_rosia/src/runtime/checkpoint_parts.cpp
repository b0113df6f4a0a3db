// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/checkpoint_parts.hpp"

#include "base/text.hpp"
#include "base/type_name.hpp"
#include "caf/rosia/port.hpp"
#include "nodes/node_access.hpp"
#include "runtime/run_context.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace caf::rosia::detail {

namespace {

std::string target_of(const node_directory& nodes,
                      const engine::connection_spec& connection) {
  return nodes.path(connection.target, false, connection.input);
}

/// Returns the number of the connection from an output of `node` to its target.
/// @throws std::runtime_error if there is none.
std::uint32_t connection_from(
  const node_directory& nodes, const engine::topology& graph,
  engine::node_id node, const run_file::node_part::channel& channel) {
  for (auto number : graph.outgoing(node)) {
    auto& connection = graph.connections()[number];
    if (nodes.port_name(node, true, connection.output) == channel.output
        && target_of(nodes, connection) == channel.target)
      return number;
  }
  throw std::runtime_error(
    "the checkpoint has a connection from '" + nodes.name(node) + '.'
    + channel.output + "' to '" + channel.target
    + "', which the application does not have");
}

/// Returns the port with this name. @throws std::runtime_error if there is
/// none.
template <class Ports>
auto& port_called(Ports& ports, const node& owner, const std::string& name) {
  for (auto* port : ports)
    if (port->name() == name)
      return *port;
  throw std::runtime_error(
    "the checkpoint has a port '" + owner.name() + '.' + name
    + "', which the application does not have");
}

/// Restores the modes of a node. @throws std::runtime_error if a saved mode is
/// unknown, or a mode of the node was not saved.
void restore_modes(node& self, const run_file::node_part& part) {
  for (auto& x : part.modes)
    restore_mode(self, {x.name, x.is_active, x.was_active, x.by_history,
                        static_cast<std::uint64_t>(x.entries)});
  auto* modes = node_access::engine(self).modes();
  if (modes == nullptr || modes->size() == part.modes.size())
    return;
  for (auto* action : node_access::saved(self).actions)
    if (modes->find(action->index()) != engine::modes::none
        && std::none_of(part.modes.begin(), part.modes.end(), [&](auto& x) {
             return x.name == action->name();
           }))
      throw std::runtime_error(
        "mode '" + action->name() + "' of node '" + self.name()
        + "' was not saved: the program did not have it yet");
}

/// Checks that each repeating tick of a mode that was active has an event: its
/// times do not follow from the declaration. @throws std::runtime_error if not.
void require_ticks(node& self, const run_file::node_part& part) {
  auto* modes = node_access::engine(self).modes();
  if (modes == nullptr || part.left)
    return;
  for (auto* action : node_access::saved(self).actions) {
    auto mode = modes->mode_of_action(action->index());
    if (mode == modes->none || !(*modes)[mode].was_active
        || !member_access::state(*action).ticks
        || member_access::times(static_cast<tick&>(*action)).period == 0)
      continue;
    auto is_saved = [&](auto& x) { return x.action == action->name(); };
    if (std::none_of(part.events.begin(), part.events.end(), is_saved)
        && std::none_of(
          part.suspended_events.begin(), part.suspended_events.end(), is_saved))
      throw std::runtime_error(
        "tick '" + action->name() + "' of node '" + self.name()
        + "' was not saved: the program did not have it yet, or it had no "
          "mode");
  }
}

/// Returns the tag of an event that occurs after a checkpoint. A watchdog that
/// runs may have reached its expiry, but a node that is beyond the checkpoint's
/// tag gives it a later one. An expiry has no microstep.
logical_time due_after(logical_time checkpoint, const saved_event& event) {
  return is_running_watchdog(event.content) && event.tag <= checkpoint
           ? saturating_add(checkpoint, std::chrono::nanoseconds{1})
           : event.tag;
}

} // namespace

// -- saving -------------------------------------------------------------------

run_file::node_part make_part(
  const node_directory& nodes, const engine::topology& graph,
  engine::node_id node, const saved_part& saved, logical_time tag) {
  auto& name = nodes.name(node);
  run_file::node_part result;
  result.node = name;
  result.logical = saved.node.logical;
  result.left = saved.node.left;
  if (saved.node.requested != forever)
    result.requested = {saved.node.requested, saved.node.requested_status};
  for (auto& state : saved.data.states)
    result.states.push_back(
      {state.name, type_name(state.content.type()), state.version,
       to_bytes(name + '.' + state.name, state.content)});
  for (auto& event : saved.data.events)
    result.events.push_back(
      {event.action, due_after(tag, event),
       to_bytes(name + '.' + event.action, event.content)});
  for (auto& last : saved.data.last_events)
    result.last_events.push_back({last.action, last.physical, last.tag});
  for (auto& mode : saved.data.modes)
    result.modes.push_back(
      {mode.name, mode.is_active, mode.was_active, mode.by_history,
       static_cast<std::int64_t>(mode.entries)});
  for (auto& event : saved.data.suspended)
    result.suspended_events.push_back(
      {event.action, event.distance,
       to_bytes(name + '.' + event.action, event.content)});
  for (std::uint32_t i = 0; i < saved.node.inputs.size(); ++i)
    for (auto& value : saved.node.inputs[i])
      result.inputs.push_back(
        {nodes.port_name(node, false, i),
         to_bytes(nodes.path(node, false, i), value)});
  for (std::uint32_t i = 0; i < saved.node.promises.size(); ++i)
    if (auto promised = saved.node.promises[i]; promised > tag)
      result.promises.push_back({nodes.port_name(node, true, i), promised});
  for (auto& channel : saved.node.channels) {
    if (channel.last_arrival == never)
      continue;
    auto& connection = graph.connections()[channel.connection];
    auto path = nodes.path(node, true, connection.output);
    auto& to = result.channels.emplace_back();
    to.output = nodes.port_name(node, true, connection.output);
    to.target = target_of(nodes, connection);
    to.last_arrival = channel.last_arrival;
    for (auto& message : channel.in_transit)
      if (message.tag > tag)
        to.in_transit.push_back({message.tag, to_bytes(path, message.content)});
  }
  return result;
}

run_file::graph_lines describe_for_resume(const graph_description& graph) {
  run_file::graph_lines result;
  for (auto& node : graph.nodes) {
    auto describe_ports = [&](const char* kind, auto& ports) {
      for (auto& port : ports)
        result.push_back(std::string{kind} + " '" + node.name + '.' + port.name
                         + "' of type " + port.type);
    };
    result.push_back("node '" + node.name + "'");
    describe_ports("input", node.inputs);
    describe_ports("output", node.outputs);
  }
  for (auto& x : graph.connections)
    result.push_back(
      "connection from '" + graph.output_of(x) + "' to '" + graph.input_of(x)
      + "', "
      + (x.physical ? std::string{"physical"}
                    : "after " + to_string(x.distance)));
  return result;
}

void check_savable(const node_directory& nodes) {
  std::vector<std::string> undeclared;
  for (auto id : nodes.local()) {
    auto& node = *nodes.find(id);
    if (!node_access::declares_state(node))
      undeclared.push_back(node.name());
    auto check = [&](auto& member, const std::string& name) {
      auto& type = member_access::payload(member);
      if (type.save == nullptr || type.load == nullptr)
        throw std::runtime_error(
          "checkpoints cannot save '" + name
          + "': CAF cannot serialise its type, " + type_name(*type.info)
          + "; give it an inspect() and a default constructor");
    };
    // A checkpoint includes the retained values of an input, and the messages
    // in transit to it.
    for (auto* input : node_access::inputs(node))
      check(*input, node.name() + '.' + input->name());
    for (auto* state : node_access::saved(node).states)
      check(*state, node.name() + '.' + state->name());
    for (auto* action : node_access::saved(node).actions)
      check(*action, node.name() + '.' + action->name());
  }
  if (undeclared.empty())
    return;
  auto several = undeclared.size() > 1;
  throw std::runtime_error(
    std::string{"checkpoints are set, but "} + (several ? "nodes " : "node ")
    + quoted_list(undeclared) + (several ? " do not say" : " does not say")
    + " what to save: declare it as rosia::state members, or derive the "
      "node's class from rosia::stateless if there is nothing");
}

// -- resuming -----------------------------------------------------------------

resumption::resumption(std::string run, logical_time tag, bool ended,
                       std::vector<run_file::node_part> parts)
  : run_(std::move(run)), tag_(tag), ended_(ended) {
  for (auto& part : parts) {
    auto name = part.node;
    parts_.emplace(std::move(name), std::move(part));
  }
}

const run_file::node_part& resumption::part_of(const std::string& node) const {
  auto i = parts_.find(node);
  if (i == parts_.end())
    throw std::runtime_error(
      "the checkpoint at tag " + to_string(tag_) + " has nothing of node '"
      + node
      + "'; if the application ran over several processes, each wrote "
        "its own file: put all of them into one folder");
  return i->second;
}

std::optional<run_file::node_part::end_request> resumption::request_of(
  const std::string& node) const {
  auto& result = part_of(node).requested;
  return result && ended_ && result->tag <= tag_ ? std::nullopt : result;
}

void resumption::release_values() noexcept {
  for (auto& [name, part] : parts_) {
    part.states = {};
    part.events = {};
    part.last_events = {};
    part.modes = {};
    part.suspended_events = {};
    part.inputs = {};
    part.channels = {};
  }
}

void resumption::restore(run_context& run, engine::node_id node) const {
  auto& nodes = run.nodes();
  auto& graph = run.graph().topology();
  auto note_remote = [&](std::uint32_t number, std::size_t count) {
    auto& x = graph.connections()[number];
    if (count > 0 && nodes.home(x.source) != nodes.home(x.target))
      run.actors().others()->note_restored(number, count);
  };

  auto& self = *nodes.find(node);
  auto& engine = node_access::engine(self);
  auto& part = part_of(self.name());
  for (auto& state : part.states) {
    // An older version may have had another type.
    auto& states = node_access::saved(self).states;
    auto i = std::find_if(states.begin(), states.end(), [&](auto* x) {
      return x->name() == state.name;
    });
    if (i != states.end() && (*i)->version() == state.version
        && type_name(*member_access::payload(**i).info) != state.type)
      throw std::runtime_error(
        "state '" + state.name + "' of node '" + self.name() + "' was saved as "
        + state.type + ", and is a "
        + type_name(*member_access::payload(**i).info)
        + " now; give it a higher version, and a function that reads the old "
          "one, see rosia::upgrades");
    restore_state(self, state.name, state.version, state.content);
  }
  for (auto* state : node_access::saved(self).states)
    if (std::none_of(part.states.begin(), part.states.end(), [&](auto& x) {
          return x.name == state->name();
        }))
      throw std::runtime_error(
        "state '" + state->name() + "' of node '" + self.name()
        + "' was not saved: the program did not have it yet");
  engine::saved_node saved;
  saved.logical = part.logical;
  saved.left = part.left;
  saved.until = part.left ? forever : saturating_add(tag_, microsteps(1));
  if (auto end = request_of(self.name())) {
    saved.requested = end->tag;
    saved.requested_status = end->status;
  }
  auto& inputs = node_access::inputs(self);
  saved.inputs.resize(inputs.size());
  for (auto& value : part.inputs) {
    auto& port = port_called(inputs, self, value.input);
    saved.inputs[port.index()].push_back(from_bytes(
      self.name() + '.' + value.input, value.content,
      member_access::payload(port)));
  }
  auto& outputs = node_access::outputs(self);
  saved.promises.resize(outputs.size());
  for (auto& promise : part.promises)
    saved.promises[port_called(outputs, self, promise.output).index()]
      = promise.tag;
  for (auto& channel : part.channels) {
    auto number = connection_from(nodes, graph, node, channel);
    auto& connection = graph.connections()[number];
    auto& to = saved.channels.emplace_back();
    to.connection = number;
    to.last_arrival = channel.last_arrival;
    // Nodes that left receive no messages.
    if (part_of(nodes.name(connection.target)).left)
      continue;
    auto& type
      = member_access::payload(port_called(outputs, self, channel.output));
    note_remote(number, channel.in_transit.size());
    for (auto& message : channel.in_transit)
      to.in_transit.push_back(
        {message.arrival, from_bytes(self.name() + '.' + channel.output,
                                     message.content, type)});
  }
  engine.restore(saved);
  std::optional<checkpoint_trace> trace;
  if (run.trace() != nullptr)
    trace.emplace(*run.trace());
  if (trace)
    trace->restored(node, saved.logical, saved.left);
  for (auto& last : part.last_events)
    restore_last_event(self, {last.action, last.physical, last.tag});
  restore_modes(self, part);
  auto index_of = [&](const std::string& action) {
    return port_called(node_access::saved(self).actions, self, action).index();
  };
  for (auto& mode : part.modes)
    if (trace && mode.was_active && !part.left)
      trace->visited(node, index_of(mode.name), mode.is_active);
  for (auto& event : part.suspended_events) {
    auto content
      = restore_suspended(self, event.action, event.distance, event.content);
    if (trace && !part.left)
      trace->suspended(node, index_of(event.action), event.distance, content);
  }
  for (auto& event : part.events) {
    auto content = restore_event(self, event.action, event.tag, event.content);
    if (!trace || part.left)
      continue;
    auto index = index_of(event.action);
    if (is_running_watchdog(content))
      trace->running(node, index, event.tag.ns);
    else
      trace->pending(node, index, event.tag, content);
  }
  require_ticks(self, part);
  if (part.left)
    return;
  // Restores the messages in transit. The node's connections are in the order
  // of `incoming`.
  auto incoming = graph.incoming(node);
  for (std::uint32_t i = 0; i < incoming.size(); ++i) {
    auto& connection = graph.connections()[incoming[i]];
    if (connection.physical)
      continue;
    auto output = nodes.port_name(connection.source, true, connection.output);
    auto target = target_of(nodes, connection);
    for (auto& channel : part_of(nodes.name(connection.source)).channels)
      if (channel.output == output && channel.target == target) {
        if (nodes.find(connection.source) == nullptr)
          note_remote(incoming[i], channel.in_transit.size());
        for (auto& message : channel.in_transit) {
          auto content = from_bytes(
            target, message.content,
            member_access::payload(*inputs[connection.input]));
          if (trace)
            trace->in_transit(
              node, connection.input, incoming[i], message.arrival, content);
          engine.restore(i, {message.arrival, std::move(content)});
        }
      }
  }
}

} // namespace caf::rosia::detail
