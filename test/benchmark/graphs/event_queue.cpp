// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/graphs/event_queue.hpp"

#include <algorithm>
#include <queue>

namespace bench {

namespace {

struct event {
  std::int64_t time = 0;
  std::uint32_t node = 0;
  /// Whether the node writes a value by itself, with this number.
  bool is_tick = false;
  std::uint32_t tick = 0;
  token content;
};

/// Orders the heap by time, and then in the order of the nodes, so that a node
/// is executed after all that it receives values from at the same time.
struct later {
  bool operator()(const event& x, const event& y) const noexcept {
    return x.time != y.time ? x.time > y.time : x.node > y.node;
  }
};

class event_queue {
public:
  explicit event_queue(const graph_plan& graph) : graph_(graph) {
    results_.resize(graph.nodes.size());
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
      if (graph.nodes[i].ticks > 0)
        queue_.push({0, i, true, 0, {}});
  }

  std::vector<node_result> run() {
    while (!queue_.empty()) {
      auto next = queue_.top();
      queue_.pop();
      if (next.is_tick)
        write_tick(next);
      else
        execute(next);
    }
    return std::move(results_);
  }

private:
  auto writer(const node_plan& plan, std::int64_t now) {
    return [this, &plan, now](std::size_t output, token x) {
      for (auto& to : plan.outputs[output])
        queue_.push({now + to.delay, to.target, false, 0, x});
    };
  }

  void write_tick(const event& x) {
    auto& plan = graph_.nodes[x.node];
    write_outputs(
      plan, first_token(x.node, x.tick, graph_.hops), writer(plan, x.time));
    if (x.tick + 1 < plan.ticks)
      queue_.push({x.time + plan.period, x.node, true, x.tick + 1, {}});
  }

  void execute(const event& first) {
    auto sum = first.content;
    std::uint64_t messages = 1;
    while (!queue_.empty() && queue_.top().time == first.time
           && queue_.top().node == first.node) {
      auto& x = queue_.top().content;
      sum = {sum.value + x.value, std::max(sum.hops, x.hops)};
      ++messages;
      queue_.pop();
    }
    auto& plan = graph_.nodes[first.node];
    perform_work(plan);
    react(plan, results_[first.node], static_cast<std::uint64_t>(first.time),
          sum, messages, writer(plan, first.time));
  }

  const graph_plan& graph_;
  std::priority_queue<event, std::vector<event>, later> queue_;
  std::vector<node_result> results_;
};

} // namespace

graph_result run_with_event_queue(const graph_plan& graph) {
  event_queue queue{graph};
  auto start = std::chrono::steady_clock::now();
  auto results = queue.run();
  std::chrono::duration<double> elapsed
    = std::chrono::steady_clock::now() - start;
  return {std::move(results), elapsed.count()};
}

} // namespace bench
