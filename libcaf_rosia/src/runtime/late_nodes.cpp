// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/late_nodes.hpp"

#include "base/text.hpp"
#include "runtime/runtime.hpp"

#include <spdlog/logger.h>

#include <algorithm>

namespace caf::rosia::detail {

namespace {

/// Maximum number of nodes named in the log for the same lapse.
constexpr std::size_t most_nodes_in_log = 20;

} // namespace

void late_nodes::add(engine::node_id node) {
  auto runs = run_.status().runs_code(node);
  nodes_.push_back({node, runs, {}});
  if (runs || nodes_.size() <= most_nodes_in_log)
    nodes_.back().text = run_.status().describe(node);
}

std::size_t late_nodes::move_culprits_first() {
  // A node may be late only because other nodes occupy all workers.
  auto others = std::stable_partition(
    nodes_.begin(), nodes_.end(), [](auto& x) { return x.runs; });
  if (others == nodes_.begin() || run_.status().verbose_end())
    return nodes_.size();
  return static_cast<std::size_t>(others - nodes_.begin());
}

std::string late_nodes::log(
  spdlog::level::level_enum level, const std::string& lapse) {
  if (nodes_.empty())
    return {};
  auto shown = std::min(move_culprits_first(), most_nodes_in_log);
  auto text_of = [this, &lapse](auto& x) {
    return "node '" + run_.nodes().name(x.node) + "' " + lapse;
  };
  auto& log = run_.context().coordinator_log();
  for (std::size_t i = 0; i < shown; ++i)
    log.log(level, "{}: {}", text_of(nodes_[i]), nodes_[i].text);
  if (auto rest = nodes_.size() - shown; rest > 0)
    log.log(level, "and {} {}", plural(rest, "more node", "more nodes"), lapse);
  auto result = text_of(nodes_.front());
  nodes_.clear();
  return result;
}

} // namespace caf::rosia::detail
