// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/recorded_ports.hpp"

#include "nodes/node_access.hpp"

#include <utility>

namespace caf::rosia::detail {

class recorded_ports::node_log final : public engine::port_log {
public:
  /// By port; null if not recorded.
  using logs = std::vector<value_log*>;

  node_log(logs inputs, logs outputs, std::atomic<std::uint64_t>& lost) noexcept
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)), lost_(&lost) {
    // nop
  }

  void arrived(std::uint32_t input, logical_time tag,
               const engine::value& x) override {
    keep(inputs_[input], tag, x);
  }

  void written(std::uint32_t output, logical_time tag,
               const engine::value& x) override {
    keep(outputs_[output], tag, x);
  }

private:
  void keep(value_log* to, logical_time tag, const engine::value& x) {
    if (to != nullptr && !to->add(tag, x))
      lost_->fetch_add(1, std::memory_order_relaxed);
  }

  logs inputs_;
  logs outputs_;
  std::atomic<std::uint64_t>* lost_;
};

recorded_ports::recorded_ports(
  const node_directory& nodes, const graph_description& graph,
  const run_file::run_rows& rows, log_memory& memory)
  : node_logs_(nodes.size()) {
  for (auto id : nodes.local()) {
    auto& described = graph.nodes[id];
    auto row = rows.ports[id].begin(); // inputs are before outputs
    auto any = false;
    auto make_logs = [&](auto& ports, auto& descriptions) {
      node_log::logs result;
      for (auto* x : ports) {
        auto small = member_access::payload(*x).destroy == nullptr;
        auto recorded = descriptions[x->index()].recorded;
        any = any || recorded;
        result.push_back(
          recorded ? &ports_.emplace_back(*row, small, memory).log : nullptr);
        ++row;
      }
      return result;
    };
    auto& node = *nodes.find(id);
    auto inputs = make_logs(node_access::inputs(node), described.inputs);
    auto outputs = make_logs(node_access::outputs(node), described.outputs);
    if (any)
      node_logs_[id] = std::make_unique<node_log>(
        std::move(inputs), std::move(outputs), lost_);
  }
}

recorded_ports::~recorded_ports() {
  // nop
}

engine::port_log* recorded_ports::of(engine::node_id node) const noexcept {
  return node_logs_[node].get();
}

void recorded_ports::write(run_file::database& to, std::uint64_t& taken,
                           std::atomic<std::uint64_t>& steps) {
  std::vector<std::pair<port*, value_log::batch>> batches;
  for (auto& x : ports_)
    if (value_log::batch all{x.log}; all.size() > 0) {
      taken += all.size();
      batches.emplace_back(&x, std::move(all));
    }
  auto& row
    = to.prepared("write a value", "INSERT INTO value VALUES (?, ?, ?, ?, ?)");
  for (auto& [of_port, values] : batches) {
    row.bind(1, of_port->row);
    while (values.size() > 0) {
      auto x = values.next();
      row.bind(2, x.tag.ns).bind(3, std::int64_t{x.tag.microstep});
      columns_.bind(row, 4, x.content);
      row.run();
      ++steps;
    }
    of_port->log.payload_size(columns_.size());
  }
}

} // namespace caf::rosia::detail
