// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/duration.hpp"
#include "caf/rosia/graph_description.hpp"
#include "drawing/label.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Returns "deadline 20ms" or "deadline limit", the name of a state; empty for
/// none.
inline std::string deadline_of(const graph_description::reaction& x) {
  if (!x.has_deadline())
    return {};
  return "deadline "
         + (x.deadline_state.empty()
              ? time_text(std::chrono::nanoseconds{x.deadline})
              : label_of(x.deadline_state));
}

/// Returns a remark on the kind of a reaction and its deadline; empty for none.
inline std::string remark_on(const graph_description::reaction& x) {
  using enum graph_description::reaction_kind;
  auto deadline = deadline_of(x);
  auto separator = deadline.empty() ? "" : ", ";
  switch (x.kind) {
    case eager:
      return "eager" + (separator + deadline);
    case startup:
      return "at the start";
    default:
      return deadline;
  }
}

/// Returns " (spacing 10ms, drop, after 2ms)", or an empty text without these
/// options.
inline std::string options_of(
  const graph_description::spacing& x, std::int64_t after = 0) {
  auto text
    = [](std::int64_t ns) { return time_text(std::chrono::nanoseconds{ns}); };
  std::string result;
  if (x.exists())
    result
      = "spacing " + text(x.distance) + ", " + std::string{to_string(x.policy)};
  if (after > 0)
    result += (result.empty() ? "after " : ", after ") + text(after);
  return result.empty() ? result : " (" + result + ')';
}

/// Returns "physical action key (after 2ms)", or the name of an input.
inline std::string label_of(const graph_description::port& x) {
  return x.physical
           ? "physical action " + label_of(x.name)
               + options_of(x.spacing, x.after)
           : label_of(x.name);
}

/// Returns "action retry", "action retry (spacing 10ms, drop)", "tick step
/// (every 10ms from 5ms)", "tick boot (at 5ms)", "watchdog dog (500ms)" or
/// "mode failed".
inline std::string label_of(const graph_description::action& x) {
  auto text
    = [](std::int64_t ns) { return time_text(std::chrono::nanoseconds{ns}); };
  if (x.is_mode)
    return "mode " + label_of(x.name);
  if (x.timeout >= 0)
    return "watchdog " + label_of(x.name) + " (" + text(x.timeout) + ')';
  if (!x.ticks)
    return "action " + label_of(x.name) + options_of(x.spacing);
  auto result = "tick " + label_of(x.name) + " (";
  if (x.period == 0)
    return result + "at " + text(x.offset) + ')';
  result += "every " + text(x.period);
  return result + (x.offset == 0 ? "" : " from " + text(x.offset)) + ')';
}

/// The reactions of a mode, by their indices.
struct mode_frame {
  std::uint32_t mode; // an action, or `graph_description::no_mode`
  std::vector<std::uint32_t> reactions;
};

/// Returns the reactions without a mode, and then those of each mode.
inline std::vector<mode_frame> mode_frames_of(
  const graph_description::node& node) {
  std::vector<mode_frame> result{{graph_description::no_mode, {}}};
  for (std::uint32_t i = 0; i < node.actions.size(); ++i)
    if (node.actions[i].is_mode)
      result.push_back({i, {}});
  for (std::uint32_t i = 0; i < node.reactions.size(); ++i)
    for (auto& frame : result)
      if (frame.mode == node.reactions[i].mode)
        frame.reactions.push_back(i);
  return result;
}

/// Returns the labels of the members that trigger a reaction.
inline std::vector<std::string> causes_of(
  const graph_description::node& node,
  const graph_description::reaction& reaction) {
  std::vector<std::string> result;
  for (auto& trigger : reaction.triggers)
    switch (trigger.kind) {
      case graph_description::trigger_kind::input:
        result.push_back(label_of(node.inputs[trigger.index]));
        break;
      case graph_description::trigger_kind::action:
        result.push_back(label_of(node.actions[trigger.index]));
        break;
      default:
        result.push_back("the last tag");
    }
  return result;
}

/// Returns the ports that a reaction declares, "reads a, b; writes c", or an
/// empty text if it declares none [10.1.1].
inline std::string accesses_of(
  const graph_description::node& node, const graph_description::reaction& x) {
  if (!x.declares)
    return {};
  std::string result;
  auto add = [&](const char* verb, const std::vector<std::uint32_t>& indices,
                 const std::vector<graph_description::port>& ports) {
    const char* separator = verb;
    for (auto i : indices) {
      if (separator == verb && !result.empty())
        result += "; ";
      result += separator + label_of(ports[i].name);
      separator = ", ";
    }
  };
  add("reads ", x.reads, node.inputs);
  add("writes ", x.writes, node.outputs);
  add("later writes ", x.writes_later, node.outputs);
  if (x.writes.empty() && x.writes_later.empty())
    result += result.empty() ? "writes nothing" : "; writes nothing";
  return result;
}

} // namespace caf::rosia::detail
