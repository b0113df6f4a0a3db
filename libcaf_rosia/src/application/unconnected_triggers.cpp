// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/unconnected_triggers.hpp"

#include "base/text.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "engine/modes.hpp"
#include "nodes/node_access.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

namespace {

/// Returns the triggers of a reaction that can never have a value, except those
/// that may be unconnected.
std::vector<std::string> missing_triggers(
  const engine::topology& graph, engine::node_id id, node& owner,
  const reaction_base& reaction) {
  auto& inputs = node_access::inputs(owner);
  auto& connections = graph.connections();
  auto incoming = graph.incoming(id);
  std::vector<std::string> result;
  for (auto [kind, index] : reaction.triggers()) {
    if (kind != graph_description::trigger_kind::input)
      continue;
    auto& port = *inputs[index];
    if (!port.is_physical() && !port.is_optional()
        && std::none_of(incoming.begin(), incoming.end(), [&](auto i) {
             return connections[i].input == port.index();
           }))
      result.push_back(port.name());
  }
  return result;
}

/// Returns whether each trigger of a reaction of a mode belongs to another
/// mode, so that it is never present while the reaction may run [10.7.1].
bool has_wrong_mode(node& owner, const reaction_base& reaction) {
  auto* modes = node_access::engine(owner).modes();
  if (modes == nullptr)
    return false;
  auto mode = modes->mode_of_reaction(reaction.index());
  auto triggers = reaction.triggers();
  return mode != modes->none
         && std::all_of(triggers.begin(), triggers.end(), [&](auto& x) {
              if (x.kind != graph_description::trigger_kind::action)
                return false;
              auto other = modes->mode_of_action(x.index);
              return other != modes->none && other != mode;
            });
}

void warn_of_missing(
  spdlog::logger& to, const node& owner, const reaction_base& reaction,
  const std::vector<std::string>& ports) {
  constexpr std::string_view advice
    = "call application::connect, or declare what may stay unconnected with "
      "rosia::optional_input";
  auto triggers = ports.size() == 1 ? "trigger" : "triggers";
  auto& node = owner.name();
  if (ports.size() == reaction.triggers().size())
    to.warn("reaction '{}' of node '{}' never runs: nothing is connected to "
            "its {} {}; {}",
            reaction.name(), node, triggers, quoted_list(ports), advice);
  else
    to.info("reaction '{}' of node '{}' runs without its {} {}: nothing is "
            "connected there; {}",
            reaction.name(), node, triggers, quoted_list(ports), advice);
}

} // namespace

void warn_of_unconnected(spdlog::logger& to, const engine::topology& graph,
                         const std::vector<node*>& nodes) {
  for (engine::node_id i = 0; i < nodes.size(); ++i)
    if (auto* owner = nodes[i])
      for (auto* reaction : node_access::reactions(*owner)) {
        if (auto ports = missing_triggers(graph, i, *owner, *reaction);
            !ports.empty())
          warn_of_missing(to, *owner, *reaction, ports);
        if (has_wrong_mode(*owner, *reaction))
          to.warn("reaction '{}' of node '{}' never runs: its triggers belong "
                  "to other modes; declare both in one mode",
                  reaction->name(), owner->name());
      }
}

} // namespace caf::rosia::detail
