// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/workload.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace rosia_trace {

namespace {

constexpr auto no_activation = std::numeric_limits<std::size_t>::max();

/// Nanoseconds: 146 years. Sums of durations do not overflow.
constexpr std::int64_t longest_work = forever.ns / 2;

/// Keeps the edge with the least delay of those that lead to the same node.
void remove_longer(std::vector<logical_edge>& xs) {
  std::ranges::sort(xs, {}, [](auto& x) { return std::pair{x.node, x.delay}; });
  auto rest = std::unique(xs.begin(), xs.end(), [](auto& x, auto& y) {
    return x.node == y.node;
  });
  xs.erase(rest, xs.end());
}

} // namespace

logical_time latest_before(logical_time x, time_delay delay) {
  if (!is_tag(x))
    return x;
  if (x.ns < delay.ns)
    return never;
  auto fits = delay.microsteps <= x.microstep;
  if (delay.ns == 0)
    return fits ? logical_time{x.ns, x.microstep - delay.microsteps}
                : logical_time{x.ns - 1, max_microstep};
  return {x.ns - delay.ns - (fits ? 0 : 1), max_microstep};
}

void workload::add(const event& x) {
  switch (x.kind) {
    case event_kind::application:
      realtime_ = x.realtime;
      return;
    case event_kind::node:
      add_node(x);
      return;
    case event_kind::connection:
      declared_.add_connection(x, rules_);
      physical_values_.emplace_back();
      return;
    case event_kind::resumed:
      beginning_ = x.tag;
      return;
    default:
      if (x.has(member::node))
        add_step(x);
  }
}

void workload::finish() {
  declared_.seal(rules_);
  for (auto& x : declared_.connections())
    if (!x.physical) {
      nodes_[x.receiver].senders.push_back({x.sender, x.delay});
      nodes_[x.sender].receivers.push_back({x.receiver, x.delay});
    }
  for (auto& x : nodes_) {
    remove_longer(x.senders);
    remove_longer(x.receivers);
  }
}

void workload::add_node(const event& x) {
  declared_.add_node(x, rules_);
  auto name = x.has(member::process) ? x.process : std::string_view{};
  auto i = process_numbers_.find(name);
  if (i == process_numbers_.end()) {
    i = process_numbers_.emplace(name, process_names_.size()).first;
    process_names_.emplace_back(name);
  }
  nodes_.push_back(
    {i->second, no_activation, static_cast<index>(nodes_.size())});
}

void workload::add_step(const event& x) {
  auto node = declared_.find_node(x.node);
  switch (x.kind) {
    case event_kind::start:
      begin(node, beginning_, true);
      return;
    case event_kind::execute:
      begin(node, x.tag, false);
      return;
    case event_kind::ran:
      add_duration(node, x);
      return;
    case event_kind::send:
      send(node, x);
      return;
    case event_kind::input:
      receive(node, x);
      return;
    case event_kind::group:
      nodes_[node].group
        = x.has(member::group) ? declared_.find_node(x.group) : node;
      return;
    default:
      return;
  }
}

void workload::begin(index node, logical_time tag, bool is_start) {
  if (nodes_[node].current != no_activation) {
    auto& last = activations_[nodes_[node].current];
    rules_.require(
      rule::tag_order, !is_start && (last.is_start || last.tag < tag), [&] {
        return "node " + declared_.node_name(node) + " begins " + to_string(tag)
               + " after " + to_string(last.tag);
      });
  }
  nodes_[node].current = activations_.size();
  activations_.push_back(
    {.node = node,
     .group = nodes_[node].group,
     .tag = tag,
     .is_start = is_start});
}

activation& workload::current(index node) {
  rules_.require(rule::format, nodes_[node].current != no_activation, [&] {
    return "node " + declared_.node_name(node)
           + " runs before its first \"start\" or \"execute\"";
  });
  return activations_[nodes_[node].current];
}

void workload::add_duration(index node, const event& x) {
  rules_.require(
    rule::format,
    x.began >= 0 && x.began <= x.ended
      && x.ended - x.began <= longest_work - work_,
    [&] {
      return "node " + declared_.node_name(node) + " ran from "
             + std::to_string(x.began) + " to " + std::to_string(x.ended)
             + " ns, which is not possible";
    });
  current(node).duration += x.ended - x.began;
  work_ += x.ended - x.began;
  first_began_ = std::min(first_began_, x.began);
  last_ended_ = std::max(last_ended_, x.ended);
  knows_durations_ = true;
}

void workload::send(index node, const event& x) {
  auto connection
    = declared_.find_connection_to(declared_.find_output(node, x.port), x.to);
  if (!declared_.connections()[connection].physical)
    return;
  current(node);
  physical_values_[connection].push_back({nodes_[node].current, digest_of(x)});
}

void workload::receive(index node, const event& x) {
  if (!x.has(member::from))
    return;
  auto connection = declared_.find_connection_from(
    x.from, declared_.find_input(node, x.port));
  auto& values = physical_values_[connection];
  // Values before it were dropped.
  while (!values.empty() && values.front().value != digest_of(x))
    values.pop_front();
  if (values.empty())
    return;
  current(node).physical_senders.push_back(values.front().sender);
  values.pop_front();
}

} // namespace rosia_trace
