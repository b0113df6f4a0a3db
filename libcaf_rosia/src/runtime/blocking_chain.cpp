// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/blocking_chain.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace caf::rosia::detail {

namespace {

/// A shorter delay needs no explanation.
constexpr std::int64_t least_lag = 100'000'000;

bool is_gone(const node_report& x) {
  return x.has_left || x.stage == node_stage::left
         || x.stage == node_stage::not_started;
}

/// Returns the node that `x` waits for, or its port. Returns nothing if `x`
/// does not wait for a node.
std::string_view holder(const node_report& x) {
  switch (x.held_back_by) {
    case blocker::input:
    case blocker::loop:
    case blocker::receiver:
    case blocker::sender:
    case blocker::last_tag:
      return x.waits_for;
    default:
      return {};
  }
}

/// Returns whether the node is merely idle, which needs no explanation.
bool is_at_rest(const node_report& x) {
  return !x.running
         && (x.held_back_by == blocker::clock
             || x.held_back_by == blocker::outside
             || x.held_back_by == blocker::end);
}

/// Returns whether nodes owe the coordinator something in this stage.
bool is_owed(application_stage x) {
  return x == application_stage::asking || x == application_stage::aborted;
}

/// Returns the first node of the explanation, or null if there is none.
const node_report* first_of(const application_report& x, bool realtime) {
  auto counts = [&](const node_report& node) {
    return !is_gone(node)
           && (is_owed(x.stage) || node.running_for.count() >= least_lag
               || (realtime && lag_of(node, x.elapsed) >= least_lag));
  };
  auto rank = [&](const node_report& node) {
    return std::tuple{
      is_owed(x.stage) && node.stage == node_stage::asked,
      is_owed(x.stage) && node.running, lag_of(node, x.elapsed),
      node.running_for};
  };
  const node_report* result = nullptr;
  for (auto& node : x.nodes)
    if (counts(node) && (result == nullptr || rank(node) > rank(*result)))
      result = &node;
  return result;
}

} // namespace

std::int64_t lag_of(const node_report& x, std::chrono::nanoseconds elapsed) {
  if (is_gone(x))
    return 0;
  auto next = x.running ? x.code_tag : x.next;
  if ((!x.running && !x.complete) || next == forever || next == never)
    return 0;
  return std::max<std::int64_t>(elapsed.count() - next.ns, 0);
}

std::vector<std::string> explain(const application_report& x, bool realtime) {
  std::vector<std::string> result;
  if (x.stage == application_stage::not_started
      || x.stage == application_stage::over)
    return result;
  std::map<std::string_view, const node_report*> known;
  for (auto& node : x.nodes)
    known.emplace(node.name, &node);
  std::set<const node_report*> seen;
  auto* node = first_of(x, realtime);
  while (node != nullptr && seen.insert(node).second) {
    auto where
      = node->process.empty()
          ? std::string{}
          : " in process '" + node->process + "'";
    result.push_back("'" + node->name + "'" + where + ": " + to_string(*node));
    auto held_by = holder(*node);
    auto next = known.find(held_by);
    if (next == known.end()) // it is a port
      next = known.find(held_by.substr(0, held_by.rfind('.')));
    node = node->running || next == known.end() ? nullptr : next->second;
    // A healthy source ends the chain with its own explanation.
    if (node != nullptr && is_gone(*node))
      break;
  }
  if (result.size() == 1 && is_at_rest(**seen.begin()) && !is_owed(x.stage))
    result.clear();
  return result;
}

} // namespace caf::rosia::detail
