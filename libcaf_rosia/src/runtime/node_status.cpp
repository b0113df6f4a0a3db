// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_status.hpp"

#include "caf/rosia/parameter.hpp"
#include "caf/rosia/port.hpp"
#include "engine/modes.hpp"
#include "engine/watchdogs.hpp"
#include "nodes/node_access.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

std::string code_name(node& owner, std::uint32_t code) {
  if (code == engine::activity::start_code)
    return "start";
  if (code == engine::activity::shutdown_code)
    return "shutdown";
  auto& body = node_access::body(owner);
  if (engine::activity::is_handler(code))
    return engine::handler_name(
      body.action_name(code - engine::activity::first_handler));
  return std::string{body.reaction_name(code)};
}

/// Returns the public name of a reason. The public reasons begin with that of a
/// busy node, and are the same otherwise.
constexpr blocker public_name(engine::blocker_kind kind) noexcept {
  return static_cast<blocker>(static_cast<std::uint8_t>(kind) + 1);
}

static_assert(public_name(engine::blocker_kind::none) == blocker::none);
static_assert(public_name(engine::blocker_kind::loop) == blocker::loop);
static_assert(public_name(engine::blocker_kind::sender) == blocker::sender);
static_assert(public_name(engine::blocker_kind::end) == blocker::end);

/// Adds what blocks the node.
void add_blocker(node_report& to, const run_context& run, node& owner,
                 const engine::blocker& blocker) {
  auto& nodes = run.nodes();
  auto& connections = run.graph().topology().connections();
  to.held_back_by = public_name(blocker.kind);
  to.bound = blocker.bound;
  switch (blocker.kind) {
    case engine::blocker_kind::loop:
      to.waits_for = nodes.name(blocker.node);
      [[fallthrough]];
    case engine::blocker_kind::input:
    case engine::blocker_kind::sender:
    case engine::blocker_kind::last_tag:
      if (blocker.connection != engine::blocker::no_connection) {
        auto& connection = connections[blocker.connection];
        to.port = node_access::inputs(owner)[connection.input]->name();
        if (connection.source == blocker.node)
          to.waits_for = nodes.path(connection.source, true, connection.output);
      }
      break;
    case engine::blocker_kind::receiver: {
      auto& connection = connections[blocker.connection];
      to.port = node_access::outputs(owner)[connection.output]->name();
      to.waits_for = nodes.path(connection.target, false, connection.input);
      break;
    }
    default:
      break;
  }
}

} // namespace

std::vector<std::pair<std::string, std::uint64_t>> count_missed_deadlines(
  node& owner) {
  std::vector<std::pair<std::string, std::uint64_t>> result;
  node_access::for_each_deadline(owner, [&](auto& reaction, auto& deadline) {
    result.emplace_back(reaction.name(), deadline.misses());
  });
  return result;
}

std::vector<std::pair<std::string, std::uint64_t>> count_dropped_by_spacing(
  node& owner) {
  std::vector<std::pair<std::string, std::uint64_t>> result;
  for (auto* port : node_access::inputs(owner))
    if (auto* action = node_access::spaced_action(*port);
        action != nullptr && action->options.spacing)
      result.emplace_back(port->name(), action->dropped.value());
  return result;
}

std::vector<std::pair<std::string, std::uint64_t>> count_tardy_values(
  node& owner) {
  std::vector<std::pair<std::string, std::uint64_t>> result;
  auto* waits = node_access::engine(owner).max_waits();
  if (waits == nullptr)
    return result;
  for (auto* port : node_access::inputs(owner)) {
    std::optional<std::uint64_t> count;
    for (auto& x : *waits)
      if (x.input == port->index())
        count = count.value_or(0) + x.tardy.value();
    if (count)
      result.emplace_back(port->name(), *count);
  }
  return result;
}

std::vector<watchdog_report> describe_watchdogs(node& owner) {
  std::vector<watchdog_report> result;
  auto* all = node_access::engine(owner).watchdogs();
  if (all == nullptr)
    return result;
  for (auto& dog : *all) {
    auto& added = result.emplace_back();
    added.name = node_access::saved(owner).actions[dog.index]->name();
    if (auto expiry = dog.expiry_tag().ns;
        expiry != engine::watchdog::stopped) {
      added.runs = true;
      added.expiry = std::chrono::nanoseconds{expiry};
    }
    added.expiries = dog.expiries.value();
  }
  return result;
}

std::vector<mode_report> describe_modes(node& owner) {
  std::vector<mode_report> result;
  auto* all = node_access::engine(owner).modes();
  if (all == nullptr)
    return result;
  auto active = all->active();
  for (std::uint32_t i = 0; i < all->size(); ++i) {
    auto& mode = (*all)[i];
    result.push_back({node_access::saved(owner).actions[mode.index]->name(),
                      i == active, mode.entries.value()});
  }
  return result;
}

node_report describe_node(const run_context& run, engine::node_id id,
                          node_stage stage, const engine::snapshot* state) {
  auto& owner = run.at(id);
  auto& nodes = run.nodes();
  node_report result;
  result.name = owner.name();
  if (nodes.distributed())
    result.process = nodes.processes()[nodes.self()];
  if (auto first = run.executors().first_of_group(id))
    result.group = nodes.name(*first);
  result.stage = stage;
  for (auto* parameter : node_access::parameters(owner))
    result.parameters.push_back(describe(*parameter));
  result.missed_deadlines = count_missed_deadlines(owner);
  result.dropped_by_spacing = count_dropped_by_spacing(owner);
  // Before, another thread may be about to wire the node.
  if (stage != node_stage::not_started)
    result.tardy_values = count_tardy_values(owner);
  result.watchdogs = describe_watchdogs(owner);
  result.modes = describe_modes(owner);
  result.has_left = run.progress().stages.has_left(id);
  result.inbox = node_access::inbox(owner).size();
  auto activity
    = state != nullptr ? state->doing : node_access::engine(owner).doing();
  if (activity.count > 0) {
    result.code = code_name(owner, activity.code);
    result.code_tag = activity.tag;
    result.running = activity.running;
  }
  if (activity.running)
    result.running_for = std::chrono::nanoseconds{
      std::max<std::int64_t>(run.time().elapsed() - activity.since, 0)};
  if (state == nullptr)
    return result;
  result.complete = true;
  result.logical = state->logical;
  result.stat = state->stat;
  result.next = state->next;
  result.outside = state->outside;
  result.yielded = state->yielded;
  result.scheduled = state->scheduled;
  result.suspended = state->suspended;
  for (auto [input, size] : state->queues)
    result.queues.emplace_back(node_access::inputs(owner)[input]->name(), size);
  add_blocker(result, run, owner, state->held_back);
  return result;
}

} // namespace caf::rosia::detail
